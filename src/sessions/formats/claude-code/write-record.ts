import { defined, each } from "../../../protocol/internal.ts";
import type { AssistantEntry } from "../../model/entry.ts";

/** A record as a host hands it in, in the spelling of the file: `type` and what is its own, without the envelope. */
export type RecordDraft<Type extends string = string> = Readonly<Record<string, unknown>> & {
  readonly type: Type;
} & (Type extends "user" | "assistant" ? { readonly message: DraftMessage } : unknown);

/** A message as the API spells it; of an answer also `id`, `model`, `stop_reason` and `usage`, which the figures need. */
interface DraftMessage {
  readonly content: string | readonly unknown[];
  readonly [field: string]: unknown;
}

/** What every line of one file has in common. */
export interface Envelope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
  readonly entrypoint: string;
  readonly gitBranch?: string | undefined;
  /** Set for the file of a subagent. */
  readonly agentId?: string | undefined;
}

/** What is the line's alone. */
export interface Position {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly timestamp: string;
}

/** The types that are part of the conversation's graph. */
export const conversationTypes: readonly string[] = ["user", "assistant", "system", "attachment"];

export function isConversationDraft(draft: RecordDraft): boolean {
  return conversationTypes.includes(draft.type);
}

/** A whole record. What the store sets wins over what the draft says; cwd and branch may change within a session. */
export function composeRecord(draft: RecordDraft, envelope: Envelope, position: Position): Record<string, unknown> {
  const { sessionId, cwd, version, entrypoint, gitBranch, agentId } = envelope;
  if (!isConversationDraft(draft)) return standaloneRecord(draft, sessionId, position.timestamp);
  const { parentUuid, uuid, timestamp } = position;
  return {
    parentUuid,
    isSidechain: agentId !== undefined,
    ...(agentId === undefined ? {} : { agentId }),
    ...omit(draft, ownFields),
    uuid,
    timestamp,
    userType: "external",
    entrypoint,
    cwd: draft["cwd"] ?? cwd,
    sessionId,
    version,
    ...defined({ gitBranch: draft["gitBranch"] ?? gitBranch }),
  };
}

const ownFields: ReadonlySet<string> = new Set([
  ...["parentUuid", "isSidechain", "agentId", "uuid", "timestamp", "userType"],
  ...["entrypoint", "cwd", "sessionId", "version", "gitBranch"],
]);

/** Snapshots and summaries name no session; operations of the queue say when. */
function standaloneRecord(draft: RecordDraft, sessionId: string, timestamp: string): Record<string, unknown> {
  if (draft.type === "summary" || draft.type.startsWith("file-history-")) return { ...draft };
  return draft.type === "queue-operation" ? { ...draft, timestamp, sessionId } : { ...draft, sessionId };
}

function omit(draft: RecordDraft, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !names.has(name)));
}

/** What Claude Code writes between an end that was never answered and the next prompt: a note, and an answer of its own. */
export const fillerRecords: readonly RecordDraft[] = [
  {
    type: "user",
    isMeta: true,
    message: { role: "user", content: [{ type: "text", text: "Continue from where you left off." }] },
  },
  {
    type: "assistant",
    message: {
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: "No response requested." }],
      stop_reason: "stop_sequence",
      stop_sequence: "",
      usage: each(0, "input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    },
  },
];

/** The line of a result that says its tool call was interrupted, with the envelope of the call's own line. */
export function interruptedResult(use: AssistantEntry, toolUseId: string, parentUuid: string, uuid: string): Buffer {
  const { isSidechain, agentId, timestamp, userType, entrypoint, cwd, sessionId, version, gitBranch } = use;
  const text = "[Request interrupted by user for tool use]";
  const result = { type: "tool_result", content: text, is_error: true, tool_use_id: toolUseId };
  const record = {
    parentUuid,
    isSidechain,
    agentId,
    type: "user",
    message: { role: "user", content: [result] },
    uuid,
    timestamp,
    toolUseResult: `Error: ${text}`,
    sourceToolAssistantUUID: parentUuid,
    userType,
    entrypoint,
    cwd,
    sessionId,
    version,
    gitBranch,
  };
  return Buffer.from(JSON.stringify(record));
}
