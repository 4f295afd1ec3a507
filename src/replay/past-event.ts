import { type commonFields, defined, eventRow, isObject, type ToolInput, textField } from "../protocol/internal.ts";
import type { WirePayload } from "../sdk/index.ts";
import type { AssistantEntry, UserEntry } from "../sessions/internal.ts";

/** The events that a transcript records: tool calls before and after they run, and prompts. */
export const pastEventNames = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"] as const;
export type PastEventName = (typeof pastEventNames)[number];

/** A past event with the payload that a hook would have received. */
export interface PastEvent {
  readonly name: PastEventName;
  readonly payload: WirePayload;
  readonly session: string;
  /** The folder in which the session was started. */
  readonly project?: string;
  /** Absent for prompts. */
  readonly tool?: string;
  readonly at?: string;
  /** Equal for every copy of the event: a forked session repeats the beginning of its parent. */
  readonly key: string;
  /** Parts of the payload that the transcript does not record. */
  readonly missing: readonly string[];
}

/** A call that a hook, a rule or the user refused at the time. Follows the call. */
export interface RefusedCall {
  readonly name: "refused-call";
  /** The id of the call. */
  readonly toolUseId: string;
}

/** A line that is not a valid entry. */
export interface UnreadableLine {
  readonly name: "unreadable";
  readonly file: string;
  readonly line: number;
  /** The archive is incomplete and ends here. */
  readonly isCut?: true;
}

/** What earlier lines record about an event. */
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

/** Builds the payload that the host would have sent, as far as the transcript records it. */
export function pastEvent(
  name: PastEventName,
  entry: UserEntry | AssistantEntry,
  own: Readonly<Record<string, unknown>>,
  context: TranscriptContext,
  lost: readonly string[] = [],
): PastEvent {
  const { carries } = eventRow(name);
  const { effort } = context;
  const level = typeof effort === "string" ? effort : textField(effort, "level");
  const common: Record<keyof typeof commonFields, unknown> = {
    session_id: context.session,
    transcript_path: context.transcript,
    cwd: entry.cwd,
    prompt_id: context.promptId,
    permission_mode: carries.includes("permission_mode") ? context.permissionMode : undefined,
    agent_id: context.agentId,
    agent_type: context.agentId === undefined ? undefined : context.agentType,
    effort: carries.includes("effort") && level !== undefined ? { level } : undefined,
    hook_event_name: name,
    scratchpad_dir: undefined,
  };
  const payload = defined({ ...common, ...own });
  const { session, project } = context;
  return {
    name,
    payload,
    session,
    ...defined({ project, tool: textField(own, "tool_name"), at: entry.timestamp }),
    key: `${name}/${entry.uuid}/${String(own["tool_use_id"] ?? "")}`,
    missing: [...missingIn(name, payload), ...lost],
  };
}

/** A tool's input is an object unless the model wrote invalid JSON. */
export function inputOf(input: unknown): ToolInput {
  return isObject(input) ? input : {};
}

/** Parts that every supported host sends with this event and that are missing from the payload. */
function missingIn(name: PastEventName, payload: Readonly<Record<string, unknown>>): readonly string[] {
  const { fields, carries } = eventRow(name);
  const own = Object.entries(fields).filter(([, field]) => field.newer !== true);
  const isMcp = textField(payload, "tool_name")?.startsWith("mcp__");
  const usual = [
    ...["session_id", "transcript_path", "cwd", "prompt_id"],
    ...["permission_mode", "effort"].filter((part) => (carries as readonly string[]).includes(part)),
    ...("agent_id" in payload ? ["agent_type"] : []),
    ...own.map(([field]) => field).filter((field) => field !== "mcp_server" || isMcp),
  ];
  return usual.filter((part) => !(part in payload));
}
