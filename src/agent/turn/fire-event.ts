import type { EventPayload, EventStep, HookProgress, RunStep } from "../../engine/internal.ts";
import { defined, type EventName, eventRow, type Outcome, type ToolInput } from "../../protocol/internal.ts";
import { type AgentThread, commonPayload, effortOf } from "../session/agent-session.ts";
import { noticeMissingKey } from "../world/provider-keys.ts";
import { type Attachment, attachmentsOf, isFailedRun } from "./attachments.ts";
import { recordNotes } from "./channels.ts";

interface ThreadFireOptions {
  readonly signal?: AbortSignal;
  readonly toolUseId?: string;
  /** The previous input: only hooks that match the new input and did not match this one run. */
  readonly rewrittenFrom?: ToolInput;
}

/** Fires an event and adds its attachments to the conversation. */
export async function fire(
  thread: AgentThread,
  event: EventName,
  own: Readonly<Record<string, unknown>>,
  options: ThreadFireOptions = {},
): Promise<Outcome> {
  const { outcome, notes } = await fireAndHold(thread, event, own, options);
  await recordNotes(thread, notes);
  return outcome;
}

/** Fires an event with the common fields of its thread. The caller may add the attachments to the conversation. */
export async function fireAndHold(
  thread: AgentThread,
  event: EventName,
  own: Readonly<Record<string, unknown>>,
  { signal, toolUseId, rewrittenFrom }: ThreadFireOptions = {},
): Promise<{ readonly outcome: Outcome; readonly notes: readonly Attachment[] }> {
  const { engine, report, notice, options } = thread.session;
  const payload = payloadOf(thread, event, own) as EventPayload<EventName>;
  const hookName = hookNameOf(event, own);
  const runId = options.uuid();
  const fireOptions = {
    ...defined({ signal, rewrittenFrom }),
    progress: {
      everyMs: options.hookProgressMs,
      tell: ({ hook, stdout, stderr }: HookProgress) =>
        report({ kind: "hook-progress", event, hookName, runId: `${runId} ${hook.id}`, stdout, stderr }),
    },
  };
  const outcome = await lastOutcome(engine.stream<EventName>(event, payload, fireOptions), (step) => {
    const { hook } = step.kind === "started" ? step : step.record;
    report({ kind: "hook", step, event, hookName, runId: `${runId} ${hook.id}` });
  });
  report({ kind: "outcome", outcome, hookName, ...defined({ agent: thread.agent?.id }) });
  for (const { hook, stderr, stdout } of outcome.runs.filter(isFailedRun))
    noticeMissingKey(thread.session, `${hook.name}\n${stderr}\n${stdout}`);
  for (const text of outcome.systemMessages) notice(text, "info");
  for (const warning of outcome.warnings) report({ kind: "warning", warning });
  return { outcome, notes: attachmentsOf(outcome, hookName, toolUseId ?? runId) };
}

async function lastOutcome(steps: AsyncIterable<EventStep>, show: (step: RunStep) => void): Promise<Outcome> {
  for await (const step of steps) {
    if (step.kind === "outcome") return step.outcome;
    show(step);
  }
  throw new Error("the event was never settled");
}

/** Starts the hooks of an event without waiting; their answers are not used. */
export function notifyHooks(thread: AgentThread, event: EventName, own: Readonly<Record<string, unknown>>): void {
  thread.session.engine.notify(event, payloadOf(thread, event, own) as EventPayload<EventName>);
}

/** Fires an event without waiting; `use` gets the outcome later. A failure is a notice. */
export function fireInBackground(
  thread: AgentThread,
  event: EventName,
  own: Readonly<Record<string, unknown>>,
  use: (outcome: Outcome) => void,
): void {
  const { signal, notice } = thread.session;
  fireAndHold(thread, event, own, { signal }).then(
    ({ outcome }) => use(outcome),
    (error: unknown) => {
      if (!signal.aborted) notice(`${event} failed: ${String(error)}`, "warning");
    },
  );
}

/** The event and the value that its matchers match: `PreToolUse:Bash`, `SessionStart:startup`. */
function hookNameOf(event: EventName, own: Readonly<Record<string, unknown>>): string {
  const value = own[eventRow(event).matchesOn?.field ?? ""];
  return typeof value === "string" && value !== "" ? `${event}:${value}` : event;
}

function payloadOf(thread: AgentThread, event: EventName, own: Readonly<Record<string, unknown>>) {
  const { session, agent } = thread;
  const startedAs = agent === undefined && thread.purpose === "main" ? session.options.subagent : undefined;
  const { carries } = eventRow(event);
  const effort = effortOf(thread);
  return {
    ...commonPayload(thread),
    ...(carries.includes("permission_mode") ? { permission_mode: session.permissions.mode() } : {}),
    ...(carries.includes("agent") && agent !== undefined ? { agent_id: agent.id, agent_type: agent.type } : {}),
    ...defined({ agent_type: startedAs }),
    ...(carries.includes("effort") && effort !== undefined ? { effort: { level: effort } } : {}),
    ...own,
  };
}
