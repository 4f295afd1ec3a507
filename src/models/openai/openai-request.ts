import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from "openai/resources/chat/completions";
import { type ContentBlock, type Message, type ToolResultBlock, textIn } from "../message.ts";
import type { ModelRequest, ToolChoice } from "../model.ts";

/** How the limit of an answer is spelled: the vendor's newest models refuse the old word, other servers know no other. */
export type LimitWord = "max_tokens" | "max_completion_tokens";

/**
 * A request in the format of chat completions, without a limit of the answer where `limit` is undefined. What the API does not support
 * is left out; `unsupportedParts` names it.
 */
export function chatRequest(request: ModelRequest, limit: LimitWord | undefined): ChatCompletionCreateParamsStreaming {
  const { model, maxTokens, tools, toolChoice } = request;
  return {
    model,
    ...(limit === undefined ? {} : { [limit]: maxTokens }),
    stream: true,
    stream_options: { include_usage: true },
    messages: [...systemOf(request.system), ...request.messages.flatMap(messagesOf)],
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input_schema: parameters }) => ({
            type: "function" as const,
            function: { name, description, parameters },
          })),
          ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
        }
      : {}),
  };
}

/** The parts of a request that this API does not support. */
export function unsupportedParts(request: ModelRequest): readonly string[] {
  const has = (type: ContentBlock["type"]) =>
    request.messages.some(({ content }) => typeof content !== "string" && content.some((block) => block.type === type));
  return [
    ...((request.thinkingTokens ?? 0) > 0 || has("thinking") || has("redacted_thinking") ? ["thinking"] : []),
    ...(has("document") ? ["documents"] : []),
  ];
}

function systemOf(parts: readonly string[]): ChatCompletionMessageParam[] {
  const content = parts.filter((part) => part !== "").join("\n\n");
  return content === "" ? [] : [{ role: "system", content }];
}

function messagesOf({ role, content }: Message): ChatCompletionMessageParam[] {
  if (typeof content === "string") return [{ role, content }];
  return role === "assistant" ? assistantOf(content) : userOf(content);
}

function assistantOf(blocks: readonly ContentBlock[]): ChatCompletionMessageParam[] {
  const text = textIn(blocks);
  const calls = blocks.flatMap((block): ChatCompletionMessageToolCall[] =>
    block.type === "tool_use"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  );
  if (text === "" && calls.length === 0) return [];
  return [{ role: "assistant", content: text || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

/** Tool results come first, each as a message of its own: they must follow the calls they answer. */
function userOf(blocks: readonly ContentBlock[]): ChatCompletionMessageParam[] {
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block] : []));
  const pictures = results.flatMap(({ content }) => (typeof content === "string" ? [] : (content ?? [])));
  const parts = [...pictures.filter(({ type }) => type === "image"), ...blocks].flatMap(partOf);
  return [
    ...results.map((one) => ({ role: "tool", tool_call_id: one.tool_use_id, content: resultText(one) }) as const),
    ...(parts.length > 0 ? [{ role: "user", content: parts } as const] : []),
  ];
}

function resultText({ content = "", is_error: failed }: ToolResultBlock): string {
  const text =
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  return failed === true ? `Error: ${text}` : text;
}

function partOf(block: ContentBlock): ChatCompletionContentPart[] {
  if (block.type === "text" && block.text !== "") return [{ type: "text", text: block.text }];
  if (block.type !== "image") return [];
  const { source } = block;
  const url = source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`;
  return [{ type: "image_url", image_url: { url } }];
}

function choiceOf(choice: ToolChoice): NonNullable<ChatCompletionCreateParamsStreaming["tool_choice"]> {
  if (choice.type === "tool") return { type: "function", function: { name: choice.name } };
  return choice.type === "any" ? "required" : choice.type;
}
