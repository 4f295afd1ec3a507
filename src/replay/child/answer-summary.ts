import { createHash } from "node:crypto";
import type { SettledEvent } from "../../sdk/internal.ts";
import type { Effect, HandlerResult, ReplayAnswer, ReplayDecision, UncaughtError } from "../child-protocol.ts";

/** What happened in addition to the answer. */
export interface SideEffects {
  readonly effects: readonly Effect[];
  readonly tasks: readonly string[];
  readonly strays: readonly UncaughtError[];
}

/** What the app said, as far as a report needs it. */
export function replayAnswer(settled: SettledEvent, { effects, tasks, strays }: SideEffects): ReplayAnswer {
  const { folded, trace } = settled;
  const tried = new Set(effects.map(({ handler }) => handler));
  const handlers = trace.map(({ name, outcome, ms, error }): HandlerResult => {
    const refused = outcome !== "skipped" && outcome !== "not-reached" && (tried.has(name) || isRestricted(error));
    return {
      name,
      outcome: refused ? "effect-refused" : outcome,
      ms,
      ...(error === undefined ? {} : { error }),
    };
  });
  const reason = folded.refusal?.reason ?? folded.halt ?? folded.decision?.reason;
  return {
    decision: decisionOf(settled, handlers),
    ...(reason === undefined ? {} : { reason: cut(reason) }),
    ...(folded.input === undefined ? {} : { input: folded.input }),
    ...(folded.output === undefined ? {} : { outputChanged: true }),
    ...(folded.contexts.length === 0 ? {} : { contexts: folded.contexts.map(cut) }),
    ...(folded.messages.length === 0 ? {} : { messages: folded.messages.map(cut) }),
    handlers,
    ...(effects.length === 0 ? {} : { effects }),
    ...(tasks.length === 0 ? {} : { tasks }),
    ...(strays.length === 0 ? {} : { strays }),
    print: answerFingerprint(settled),
  };
}

/** A refusal that only stands for a handler's failure says nothing when the handler failed because of the replay. */
function decisionOf({ folded, event }: SettledEvent, handlers: readonly HandlerResult[]): ReplayDecision {
  const { refusal, halt, decision } = folded;
  const blamed = handlers.find(
    ({ name, outcome, error }) =>
      outcome === "effect-refused" && error !== undefined && refusal?.reason === `${name} failed: ${error}`,
  );
  if (blamed !== undefined) return "effect-refused";
  if (halt !== undefined) return "halt";
  if (refusal !== undefined) return event === "PreToolUse" ? "deny" : "block";
  return decision?.kind ?? "none";
}

/** A report shows a line of it; a difference further on shows in their fingerprints. */
function cut(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}

/** The permission model's own words, for a way in that we did not think of; newer versions of Node say which flag would help. */
function isRestricted(error: string | undefined): boolean {
  return error?.startsWith("Access to this API has been restricted") === true;
}

function answerFingerprint({ stdout, stderr, exitCode }: SettledEvent): string {
  return createHash("sha256")
    .update(JSON.stringify([stdout, stderr, exitCode]))
    .digest("hex")
    .slice(0, 32);
}
