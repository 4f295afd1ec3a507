import {
  blocksIn,
  type ContentBlock,
  joinTurns,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  textIn,
} from "../../models/internal.ts";
import { isObject } from "../../protocol/internal.ts";
import type { EntryBlock, GraphEntry } from "../../sessions/internal.ts";
import { type Attachment, textForModel } from "../turn/attachments.ts";

/** A tool call of an answer, with the line of the call in the transcript. */
export interface BatchCall {
  readonly call: ToolUseBlock;
  readonly lineUuid: string;
  /** The input is not a JSON object. */
  readonly unreadable?: boolean;
}

/** The conversation that is resumed, from the entries of its transcript. Large parts have already been restored. */
export function readConversation(context: readonly GraphEntry[]) {
  const deferred = deferredIn(context);
  const messages = context.flatMap((entry) => messageIn(entry) ?? []);
  const deferredIds = new Set(deferred.map(({ call }) => call.id));
  const answers = context.filter((entry) => entry.kind === "assistant");
  return {
    /** The messages that the model was sent. */
    messages: pairCallsAndResults(joinTurns(messages), deferredIds),
    /** Tokens of the conversation as its last answer counted them. */
    contextTokens: tokensIn(answers.findLast(({ usage }) => usage !== undefined)?.usage ?? {}),
    deferred,
    /** The model of the last answer. Lines about API errors name a synthetic model. */
    lastModel: answers.findLast(({ model }) => model !== undefined && model !== "<synthetic>")?.model,
    /** The folder of the last line. */
    lastFolder: context.findLast(({ cwd }) => cwd !== undefined)?.cwd,
  };
}

function tokensIn(usage: Readonly<Record<string, unknown>>): number {
  const names = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  return names.reduce((sum, name) => sum + (typeof usage[name] === "number" ? usage[name] : 0), 0);
}

/** Calls that a hook deferred in an earlier run and that still wait for a decision. */
function deferredIn(context: readonly GraphEntry[]): readonly BatchCall[] {
  const waiting = new Set<string | undefined>();
  for (const entry of context)
    if (entry.kind === "attachment" && entry.type === "hook_deferred_tool") waiting.add(entry.toolUseId);
  // Nearly always. A long conversation must not be copied for nothing.
  if (waiting.size === 0) return [];
  for (const entry of context)
    if (entry.kind === "user")
      for (const block of entry.content) if (block.type === "tool_result") waiting.delete(block.toolUseId);
  return context.flatMap((entry) => {
    const calls = entry.kind === "assistant" ? entry.content.filter((block) => block.type === "tool_use") : [];
    return calls.filter(({ id }) => waiting.has(id)).map((block) => ({ call: asApiCall(block), lineUuid: entry.uuid }));
  });
}

function messageIn(entry: GraphEntry): Message | undefined {
  if (entry.kind === "attachment") {
    const { type, hookName, hookEvent, toolUseId, fields } = entry;
    const text = textForModel({ ...fields, type, hookName, hookEvent, toolUseID: toolUseId } as Attachment);
    return text === undefined ? undefined : { role: "user", content: [{ type: "text", text }] };
  }
  if (entry.kind !== "user" && entry.kind !== "assistant") return undefined;
  if (entry.kind === "assistant" && entry.isApiErrorMessage === true) return undefined;
  const content = entry.content.flatMap(asApiBlocks);
  return content.length === 0 ? undefined : { role: entry.kind, content };
}

/** A block of a transcript in the API's format; empty for blocks that are never sent to a model. */
function asApiBlocks(block: EntryBlock): readonly ContentBlock[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
      return [{ type: "thinking", thinking: block.thinking, signature: block.signature ?? "" }];
    case "redacted_thinking":
      return [{ type: "redacted_thinking", data: block.data }];
    case "tool_use":
      return [asApiCall(block)];
    case "tool_result": {
      const parts = block.content.flatMap(asApiBlocks);
      const content =
        block.contentWasText === true ? textIn(parts) : (parts as NonNullable<ToolResultBlock["content"]>);
      const failed = block.isError ? { is_error: true } : {};
      return [{ type: "tool_result", tool_use_id: block.toolUseId, content, ...failed }];
    }
    case "image":
    case "document":
      return [{ type: block.type, source: block.source } as ContentBlock];
    default:
      return [];
  }
}

function asApiCall({ id, name, input }: Extract<EntryBlock, { type: "tool_use" }>): ToolUseBlock {
  return { type: "tool_use", id, name, input: isObject(input) ? input : {} };
}

/** The API refuses calls without a result and results without a call: adds the former, removes the latter. Messages that fit stay as they are. */
function pairCallsAndResults(messages: readonly Message[], deferred: ReadonlySet<string>): Message[] {
  const answered = new Set(deferred);
  const called = new Set<string>();
  for (const message of messages) {
    for (const block of blocksIn(message)) {
      if (block.type === "tool_result") answered.add(block.tool_use_id);
      if (block.type === "tool_use") called.add(block.id);
    }
  }
  const hasNoCall = (block: ContentBlock) => block.type === "tool_result" && !called.has(block.tool_use_id);
  const paired: Message[] = [];
  for (const message of messages) {
    const blocks = blocksIn(message);
    const content = blocks.some(hasNoCall) ? blocks.filter((block) => !hasNoCall(block)) : blocks;
    if (content === blocks) paired.push(message);
    else if (content.length > 0) paired.push({ ...message, content });
    const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const added = calls.filter((id) => !answered.has(id)).map(resultOfSkippedCall);
    if (added.length > 0) paired.push({ role: "user", content: added });
  }
  return paired;
}

/** The result of a call that was not run. */
export function resultOfSkippedCall(id: string): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content: "The call was cut short; it has no result.", is_error: true };
}
