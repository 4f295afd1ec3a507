import { isObject } from "../../../protocol/internal.ts";
import type { EntryBlock, EntryToolResultBlock, UnknownBlock } from "../../model/content-block.ts";
import type { PromptSource, UserEntry, UserRole } from "../../model/entry.ts";
import { textsIn } from "../../model/entry-text.ts";
import { addExtra } from "./build-entry.ts";

/** A message's content: a string is one text block. Undefined when it is neither text nor a list. */
export function toBlocks(content: unknown): readonly EntryBlock[] | undefined {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(toBlock) : undefined;
}

function toBlock(value: unknown): EntryBlock {
  if (!isObject(value)) return { type: "unknown", unknown: value };
  return readers.get(value["type"])?.(value) ?? { type: "unknown", unknown: value };
}

type Reader = (value: Record<string, unknown>) => EntryBlock | undefined;

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", textBlock],
  ["thinking", thinkingBlock],
  ["redacted_thinking", redactedBlock],
  ["tool_use", toolUse],
  ["server_tool_use", toolUse],
  ["tool_result", toolResult],
  ["image", (value) => rest({ type: "image", source: value["source"] }, value, 2)],
  ["document", (value) => rest({ type: "document", source: value["source"] }, value, 2)],
  ["web_search_tool_result", serverResult],
  ["advisor_tool_result", serverResult],
  ["compaction", (value) => rest({ type: "compaction", content: value["content"] }, value, 2)],
]);

function textBlock(value: Record<string, unknown>): EntryBlock | undefined {
  const { text } = value;
  return typeof text === "string" ? rest({ type: "text", text }, value, 2) : undefined;
}

function thinkingBlock(value: Record<string, unknown>): EntryBlock | undefined {
  const { thinking, signature } = value;
  if (typeof thinking !== "string") return undefined;
  if (typeof signature !== "string") return rest({ type: "thinking", thinking }, value, 2);
  return rest({ type: "thinking", thinking, signature }, value, 3);
}

function redactedBlock(value: Record<string, unknown>): EntryBlock | undefined {
  const { data } = value;
  return typeof data === "string" ? rest({ type: "redacted_thinking", data }, value, 2) : undefined;
}

function toolUse(value: Record<string, unknown>): EntryBlock | undefined {
  const { type, id, name, input } = value;
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  return rest({ type: type as "tool_use" | "server_tool_use", id, name, input }, value, 4);
}

function toolResult(value: Record<string, unknown>): EntryBlock | undefined {
  const { tool_use_id: toolUseId, content, is_error: isError } = value;
  if (typeof toolUseId !== "string") return undefined;
  const blocks = content === undefined ? [] : toBlocks(content);
  if (blocks === undefined) return undefined;
  const known = 2 + ("content" in value ? 1 : 0) + ("is_error" in value ? 1 : 0);
  const block: EntryToolResultBlock = {
    type: "tool_result",
    toolUseId,
    content: blocks,
    ...(typeof content === "string" ? { contentWasText: true } : {}),
    isError: isError === true,
  };
  return rest(block, value, known);
}

function serverResult(value: Record<string, unknown>): EntryBlock | undefined {
  const { tool_use_id: toolUseId, content } = value;
  if (typeof toolUseId !== "string") return undefined;
  const type = value["type"] as "web_search_tool_result" | "advisor_tool_result";
  return rest({ type, toolUseId, content }, value, 3);
}

const wireNames: ReadonlySet<string> = new Set(["tool_use_id", "is_error"]);

/**
 * Most blocks have no field beyond those of their type; counting keys shows that without comparing each. One that is spelled as we
 * spell it is kept as it was parsed: a transcript has millions of them.
 */
function rest(block: Exclude<EntryBlock, UnknownBlock>, value: Record<string, unknown>, known: number): EntryBlock {
  let count = 0;
  for (const _ in value) count++;
  if (count <= known) return "tool_use_id" in value ? block : (value as unknown as EntryBlock);
  let extra: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    if (!(key in block) && !wireNames.has(key)) extra = addExtra(extra, key, value[key]);
  }
  return extra === undefined ? block : { ...block, extra };
}

type UserFacts = Pick<UserEntry, "content" | "isMeta" | "isCompactSummary" | "origin">;

/** What a user line is: the first rule that fits. */
export function roleOf({ content, isMeta, isCompactSummary, origin }: UserFacts): UserRole {
  if (content.some((block) => block.type === "tool_result")) return "result";
  if (isCompactSummary === true) return "summary";
  if (isMeta === true) return "meta";
  const text = textsIn(content)[0]?.trimStart() ?? "";
  if (opens(text, "<command-name>", "<command-message>")) return "command";
  if (opens(text, "<local-command-stdout>", "<local-command-stderr>")) return "command-output";
  if (content.length === 1 && /^\[Request interrupted by user[^\]]*\]$/.test(text.trimEnd())) return "interrupt";
  const from = isObject(origin) ? origin["kind"] : undefined;
  if (from === "task-notification" || text.startsWith("<task-notification>")) return "notification";
  if (from !== "human" && /^(?:[^\n<]*\n)?\s*<teammate-message/.test(text)) return "teammate";
  return "prompt";
}

/** Who a prompt came from. The first line of an agent's thread is written by the agent that started it. */
export function promptSourceOf({ promptSource, isSidechain, parentUuid }: UserEntry): PromptSource {
  if (isSidechain && parentUuid === null) return "agent";
  if (promptSource === "typed" || promptSource === "sdk" || promptSource === "system") return promptSource;
  return "unknown";
}

function opens(text: string, ...tags: readonly string[]): boolean {
  return tags.some((tag) => text.startsWith(tag));
}
