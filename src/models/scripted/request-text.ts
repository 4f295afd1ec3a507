import type { ContentBlock, Message } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { RequestPart } from "./script.ts";

/** What a model would read, as plain text: conditions and expectations look for text in it. */
export function textOfRequest(request: ModelRequest, part: RequestPart): string {
  const { system, messages, tools } = request;
  if (part === "system") return system.join("\n");
  if (part === "messages") return messages.map(textOfMessage).join("\n");
  if (part === "last-message") return messages.slice(-1).map(textOfMessage).join("");
  if (part === "tools") return tools.map(({ name, description }) => `${name}: ${description}`).join("\n");
  return [...system, ...messages.map(textOfMessage), textOfRequest(request, "tools")].join("\n");
}

/** How long the text of a request is, without making it: a conversation may be as large as memory allows. */
export function lengthOfRequest({ system, messages, tools }: ModelRequest): number {
  const parts = system.length + messages.length + (tools.length > 0 ? tools.length : 1);
  const said = messages.reduce((sum, message) => sum + textOfMessage(message).length, 0);
  const told = system.reduce((sum, text) => sum + text.length, 0);
  const offered = tools.reduce((sum, { name, description }) => sum + name.length + 2 + description.length, 0);
  return said + told + offered + parts - 1;
}

function textOfMessage({ content }: Message): string {
  return typeof content === "string" ? content : content.map(textOfBlock).join("\n");
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "tool_use":
      return `${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return typeof block.content === "string" ? block.content : (block.content ?? []).map(textOfBlock).join("\n");
    default:
      return `[${block.type}]`;
  }
}
