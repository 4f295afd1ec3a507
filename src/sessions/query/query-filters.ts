import { fitsWildcard, Problem } from "../../protocol/internal.ts";
import type { EntryBlock } from "../model/content-block.ts";
import type { AttachmentEntry, Entry } from "../model/entry.ts";
import type { ModelCall } from "../model/model-call.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import type { Subagent } from "../model/subagents.ts";
import type { ElementFacts, ElementTest, QueryElement, QuerySource, TimeBoundary } from "./query.ts";

export function elementFacts(element: QueryElement): ElementFacts {
  if ("thread" in element) return agentFacts(element);
  if ("use" in element) return toolFacts(element);
  return "counted" in element ? callFacts(element) : entryFacts(element);
}

function entryFacts(entry: Entry): ElementFacts {
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

function callFacts(call: ModelCall): ElementFacts {
  return {
    entry: call.lines[0],
    timestamp: call.timestamp,
    model: call.model,
    blocks: call.content,
    failed: false,
    text: () => call.content.map(textOfBlock).join("\n"),
  };
}

function toolFacts(tool: SessionToolCall): ElementFacts {
  return {
    entry: tool.use,
    timestamp: tool.startedAt,
    model: tool.call.model,
    blocks: tool.output,
    failed: tool.isError || tool.status === "denied" || tool.status === "error",
    text: () => [tool.name, allText(tool.input), ...tool.output.map(textOfBlock)].join("\n"),
  };
}

function agentFacts({ thread, meta, toolCall, id }: Subagent): ElementFacts {
  const first = thread.entries[0];
  return {
    entry: first,
    timestamp: first?.timestamp,
    model: thread.calls[0]?.model,
    blocks: [],
    failed: toolCall?.isError ?? false,
    text: () => [id, meta?.agentType, meta?.description, meta?.name, allText(toolCall?.input)].join("\n"),
  };
}

const failedHooks: ReadonlySet<string> = new Set([
  "hook_non_blocking_error",
  "hook_blocking_error",
  "hook_error_during_execution",
  "hook_cancelled",
]);

export function isHookRecord(entry: Entry): entry is AttachmentEntry {
  return entry.kind === "attachment" && (entry.type.startsWith("hook_") || entry.type === "async_hook_response");
}

function isFailure(entry: Entry): boolean {
  if (entry.kind === "assistant") return entry.isApiErrorMessage === true;
  if (entry.kind === "user") return entry.content.some((block) => block.type === "tool_result" && block.isError);
  return entry.kind === "attachment" && failedHooks.has(entry.type);
}

/** The readable text of an entry, without account data. */
export function textOfEntry(entry: Entry): string {
  switch (entry.kind) {
    case "user":
    case "assistant":
      return entry.content.map(textOfBlock).join("\n");
    case "attachment":
      return allText(entry.fields);
    case "other":
      return allText(entry.object);
    // Account data is never shown.
    case "bridge-session":
      return "";
    default:
      return [entry.content, "summary" in entry ? entry.summary : "", "customTitle" in entry ? entry.customTitle : ""]
        .map(allText)
        .join("\n");
  }
}

/** The readable text of a block, without image data and signatures. */
export function textOfBlock(block: EntryBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "tool_use":
    case "server_tool_use":
      return `${block.name} ${allText(block.input)}`;
    case "tool_result":
      return block.content.map(textOfBlock).join("\n");
    case "web_search_tool_result":
    case "advisor_tool_result":
    case "compaction":
      return allText(block.content);
    default:
      return "";
  }
}

/** All texts in a value, one per line. */
function allText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(allText).filter(Boolean).join("\n");
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Both sides are inclusive. For a time, elements without a timestamp do not pass; for an entry, its position in the file counts. */
export async function boundaryTest(
  side: "since" | "until",
  boundary: TimeBoundary,
  source: Pick<QuerySource, "now" | "entryWith">,
): Promise<ElementTest> {
  const time = boundaryTimeMs(boundary, source.now());
  if (time !== undefined) return byTime(side, time);
  const entry = await source.entryWith(String(boundary));
  if (entry === undefined) {
    const message = `"${String(boundary)}" is not a time or an entry. Use a date, "2h" or a uuid.`;
    throw new Problem("sessions/bad-time", message, { about: { boundary } });
  }
  const timeTest = byTime(side, Date.parse(entry.timestamp ?? ""));
  return (element, facts) => {
    if (facts.entry?.file !== entry.file) return timeTest(element, facts);
    return side === "since" ? facts.entry.offset >= entry.offset : facts.entry.offset <= entry.offset;
  };
}

/** The boundary in milliseconds; undefined when it is a uuid or invalid. */
export function boundaryTimeMs(boundary: TimeBoundary, now: number): number | undefined {
  if (boundary instanceof Date) return Number.isNaN(boundary.getTime()) ? undefined : boundary.getTime();
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(boundary) ?? [];
  if (amount !== undefined && unit !== undefined) return now - Number(amount) * (units[unit] ?? 0);
  // A uuid may begin like a year, but its first hyphen comes after eight digits.
  if (!/^\d{4}-\d{2}/.test(boundary) || /^[0-9a-f]{8}-/i.test(boundary)) return undefined;
  const time = Date.parse(boundary);
  return Number.isNaN(time) ? undefined : time;
}

function byTime(side: "since" | "until", time: number): ElementTest {
  return (_, { timestamp }) => {
    const at = Date.parse(timestamp ?? "");
    return side === "since" ? at >= time : at <= time;
  };
}

/** Tests a name: exact, with `*` as a wildcard, or by a regular expression. */
export function nameTest(name: string | RegExp): (text: string) => boolean {
  if (name instanceof RegExp) return (text) => new RegExp(name.source, name.flags.replace(/[gy]/g, "")).test(text);
  return (text) => fitsWildcard(name, text);
}

/** Tests for a text, ignoring case, or for a regular expression. */
export function textTest(text: string | RegExp): (content: string) => boolean {
  if (text instanceof RegExp) return nameTest(text);
  const lowerCase = text.toLowerCase();
  return (content) => content.toLowerCase().includes(lowerCase);
}
