import type { Block } from "../model/content-block.ts";
import type { Entry } from "../model/entry.ts";
import type { Call } from "../model/model-call.ts";
import type { ToolCall } from "../model/session-tool-call.ts";
import type { Agent } from "../model/subagents.ts";

/** What a query can give: lines, merged calls, tool calls, agents. */
export type Element = Entry | Call | ToolCall | Agent;

/** The same questions asked of every kind of element, so that filters need not know which one they are looking at. */
export interface Facts {
  /** The line it begins in; agents have their first one. */
  readonly entry: Entry | undefined;
  readonly timestamp: string | undefined;
  readonly model: string | undefined;
  readonly blocks: readonly Block[];
  readonly failed: boolean;
  /** Everything a person would read in it. */
  text(): string;
}

export function factsOf(element: Element): Facts {
  if ("thread" in element) return agentFacts(element);
  if ("use" in element) return toolFacts(element);
  return "counted" in element ? callFacts(element) : entryFacts(element);
}

function entryFacts(entry: Entry): Facts {
  const blocks = entry.kind === "user" || entry.kind === "assistant" ? entry.content : [];
  return {
    entry,
    timestamp: entry.timestamp,
    model: entry.kind === "assistant" ? entry.model : undefined,
    blocks,
    failed: isFailure(entry),
    text: () => textOfEntry(entry),
  };
}

function callFacts(call: Call): Facts {
  return {
    entry: call.lines[0],
    timestamp: call.timestamp,
    model: call.model,
    blocks: call.content,
    failed: false,
    text: () => call.content.map(textOfBlock).join("\n"),
  };
}

function toolFacts(tool: ToolCall): Facts {
  return {
    entry: tool.use,
    timestamp: tool.startedAt,
    model: tool.call.model,
    blocks: tool.output,
    failed: tool.isError || tool.status === "denied" || tool.status === "error",
    text: () => [tool.name, words(tool.input), ...tool.output.map(textOfBlock)].join("\n"),
  };
}

function agentFacts({ thread, meta, toolCall, id }: Agent): Facts {
  const first = thread.entries[0];
  return {
    entry: first,
    timestamp: first?.timestamp,
    model: thread.calls[0]?.model,
    blocks: [],
    failed: toolCall?.isError ?? false,
    text: () => [id, meta?.agentType, meta?.description, meta?.name, words(toolCall?.input)].join("\n"),
  };
}

const failedHooks: ReadonlySet<string> = new Set([
  "hook_non_blocking_error",
  "hook_blocking_error",
  "hook_error_during_execution",
  "hook_cancelled",
]);

function isFailure(entry: Entry): boolean {
  if (entry.kind === "assistant") return entry.isApiErrorMessage === true;
  if (entry.kind === "user") return entry.content.some((block) => block.type === "tool_result" && block.isError);
  return entry.kind === "attachment" && failedHooks.has(entry.type);
}

function textOfEntry(entry: Entry): string {
  switch (entry.kind) {
    case "user":
    case "assistant":
      return entry.content.map(textOfBlock).join("\n");
    case "attachment":
      return words(entry.fields);
    case "other":
      return words(entry.object);
    // Account data: it is kept, never shown.
    case "bridge-session":
      return "";
    default:
      return [entry.content, "summary" in entry ? entry.summary : "", "customTitle" in entry ? entry.customTitle : ""]
        .map(words)
        .join("\n");
  }
}

/** A block as a person would read it; data of images and signatures is not text. */
export function textOfBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "tool_use":
    case "server_tool_use":
      return `${block.name} ${words(block.input)}`;
    case "tool_result":
      return block.content.map(textOfBlock).join("\n");
    case "web_search_tool_result":
    case "advisor_tool_result":
    case "compaction":
      return words(block.content);
    default:
      return "";
  }
}

/** Every text in a value, one below the other. */
function words(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(words).filter(Boolean).join("\n");
}
