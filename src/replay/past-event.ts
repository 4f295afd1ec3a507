import { type commonFields, eventRow, isObject, type ToolInput } from "../protocol/internal.ts";
import type { WirePayload } from "../sdk/index.ts";
import type { AssistantEntry, UserEntry } from "../sessions/internal.ts";

/** The events that a transcript tells of: calls of tools before and after they ran, and prompts. */
export const pastEventNames = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"] as const;
export type PastEventName = (typeof pastEventNames)[number];

/** Something that happened, as the payload a hook would have been given then. */
export interface PastEvent {
  readonly name: PastEventName;
  readonly payload: WirePayload;
  readonly session: string;
  /** The folder the session began in. */
  readonly project?: string;
  /** Absent for prompts. */
  readonly tool?: string;
  readonly at?: string;
  /** The same for every copy of it: a forked session repeats what it began with. */
  readonly key: string;
  /** Parts of the payload that no transcript holds. */
  readonly missing: readonly string[];
}

/** A call that was not let through then: by a hook, a rule or the user. Comes after the call. */
export interface RefusedThen {
  readonly name: "refused-then";
  /** The id of the call. */
  readonly toolUseId: string;
}

/** A part of a transcript that is not a record. */
export interface UnreadableLine {
  readonly name: "unreadable";
  readonly file: string;
  readonly line: number;
  /** The archive ends here, in the middle. */
  readonly isCut?: true;
}

/** What the lines before an event say about it. */
export interface TranscriptContext {
  readonly session: string;
  readonly project: string | undefined;
  /** The main transcript of the session. */
  readonly transcript: string;
  readonly promptId: string | undefined;
  readonly permissionMode: string | undefined;
  readonly agentId: string | undefined;
  readonly agentType: string | undefined;
  readonly effort: unknown;
}

/** The payload as the host would have sent it, as far as the transcript knows. */
export function pastEvent(
  name: PastEventName,
  entry: UserEntry | AssistantEntry,
  own: Readonly<Record<string, unknown>>,
  around: TranscriptContext,
  lost: readonly string[] = [],
): PastEvent {
  const { carries } = eventRow(name);
  const level = effortLevel(around.effort);
  const common: Record<keyof typeof commonFields, unknown> = {
    session_id: around.session,
    transcript_path: around.transcript,
    cwd: entry.cwd,
    prompt_id: around.promptId,
    permission_mode: carries.includes("permission_mode") ? around.permissionMode : undefined,
    agent_id: around.agentId,
    agent_type: around.agentId === undefined ? undefined : around.agentType,
    effort: carries.includes("effort") && level !== undefined ? { level } : undefined,
    hook_event_name: name,
    scratchpad_dir: undefined,
  };
  const payload = present({ ...common, ...own });
  const tool = own["tool_name"];
  return {
    name,
    payload,
    session: around.session,
    ...(around.project === undefined ? {} : { project: around.project }),
    ...(typeof tool === "string" ? { tool } : {}),
    ...(entry.timestamp === undefined ? {} : { at: entry.timestamp }),
    key: `${name}/${entry.uuid}/${String(own["tool_use_id"] ?? "")}`,
    missing: [...missingIn(name, payload), ...lost],
  };
}

/** A tool's input is an object, unless the model wrote something that could not be parsed. */
export function inputOf(input: unknown): ToolInput {
  return isObject(input) ? input : {};
}

/** Parts that hosts send with this event and the payload lacks; what only newer hosts or some tools send is not missed. */
function missingIn(name: PastEventName, payload: Readonly<Record<string, unknown>>): readonly string[] {
  const { fields, carries } = eventRow(name);
  const own = Object.entries(fields).filter(([, field]) => field.newer !== true);
  const usual = [
    ...["session_id", "transcript_path", "cwd", "prompt_id"],
    ...["permission_mode", "effort"].filter((part) => (carries as readonly string[]).includes(part)),
    ...("agent_id" in payload ? ["agent_type"] : []),
    ...own.map(([field]) => field).filter((field) => field !== "mcp_server" || isMcp(payload)),
  ];
  return usual.filter((part) => !(part in payload));
}

function isMcp({ tool_name: tool }: Readonly<Record<string, unknown>>): boolean {
  return typeof tool === "string" && tool.startsWith("mcp__");
}

function effortLevel(effort: unknown): string | undefined {
  if (typeof effort === "string") return effort;
  const level = typeof effort === "object" && effort !== null && "level" in effort ? effort.level : undefined;
  return typeof level === "string" ? level : undefined;
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
