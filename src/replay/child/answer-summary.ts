import { sha256 } from "../../files/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { gitUnavailable, type SettledEvent } from "../../sdk/internal.ts";
import type { Effect, HandlerResult, ReplayAnswer, ReplayDecision, UncaughtError } from "../child-protocol.ts";

/** What the app did in addition to its answer. */
export interface SideEffects {
  readonly effects: readonly Effect[];
  readonly tasks: readonly string[];
  readonly uncaughtErrors: readonly UncaughtError[];
  /** Why a guard has failed although its handlers have answered. */
  readonly failure?: EventFailure | undefined;
}

/** `isRefused`: only because effects are refused. */
export interface EventFailure {
  readonly error: string;
  readonly isRefused: boolean;
}

/** The parts of an answer that the report needs. */
export function replayAnswer(
  settled: SettledEvent,
  { effects, tasks, uncaughtErrors, failure }: SideEffects,
): ReplayAnswer {
  const { folded, trace } = settled;
  const gitUses = trace.flatMap(({ name: handler, error }): Effect[] =>
    error?.startsWith(gitUnavailable) ? [{ kind: "other", target: "ctx.git", handler }] : [],
  );
  const all = [...effects, ...gitUses];
  const withEffects = new Set(all.map(({ handler }) => handler));
  const handlers = trace.map(({ name, outcome, ms, error }): HandlerResult => {
    const refused =
      outcome !== "skipped" && outcome !== "not-reached" && (withEffects.has(name) || isRestricted(error));
    return { name, outcome: refused ? "effect-refused" : outcome, ms, ...defined({ error }) };
  });
  const done = defined({
    effects: unlessEmpty(all),
    tasks: unlessEmpty(tasks),
    uncaughtErrors: unlessEmpty(uncaughtErrors),
  });
  if (failure !== undefined && folded.refusal === undefined && folded.halt === undefined) {
    const decision = failure.isRefused ? "effect-refused" : settled.event === "PreToolUse" ? "deny" : "block";
    return { decision, reason: cut(failure.error), ...done, handlers, fingerprint: `failed ${failure.error}` };
  }
  const reason = folded.refusal?.reason ?? folded.halt ?? folded.decision?.reason;
  return {
    decision: decisionOf(settled, handlers),
    ...defined({
      reason: reason && cut(reason),
      input: folded.input,
      outputChanged: folded.output === undefined ? undefined : (true as const),
      contexts: unlessEmpty(folded.contexts.map(cut)),
      messages: unlessEmpty(folded.messages.map(cut)),
    }),
    ...done,
    handlers,
    fingerprint: fingerprintOf(settled),
  };
}

/** A refusal because a guard failed means nothing when the guard failed only because effects are refused. */
function decisionOf({ folded, event }: SettledEvent, handlers: readonly HandlerResult[]): ReplayDecision {
  const { refusal, halt, decision } = folded;
  const failedGuard = handlers.find(
    ({ name, outcome, error }) =>
      outcome === "effect-refused" && error !== undefined && refusal?.reason === `${name} failed: ${error}`,
  );
  if (failedGuard !== undefined) return "effect-refused";
  if (halt !== undefined) return "halt";
  if (refusal !== undefined) return event === "PreToolUse" ? "deny" : "block";
  return decision?.kind ?? "none";
}

/** A failure names its place in the hooks file, and a comment above it moves that place: it does not count. */
function fingerprintOf({ stdout, stderr, exitCode, trace }: SettledEvent): string {
  const hasFailed = trace.some(({ error }) => error !== undefined);
  const withoutPlaces = (text: string) => (hasFailed ? text.replace(/ \([^()\n]*:\d+(?::\d+)?\)/g, "") : text);
  return sha256(JSON.stringify([withoutPlaces(stdout), withoutPlaces(stderr), exitCode])).slice(0, 32);
}

/** A report shows one line of a text. Fingerprints cover the whole text. */
function cut(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}

/** The permission model's own message, for an effect that `refuse-effects.ts` does not know. Newer versions of Node append a hint. */
function isRestricted(error: string | undefined): boolean {
  return error?.startsWith("Access to this API has been restricted") === true;
}

/** Whether a handler failed because git cannot be asked about the past. Its answer is as unknown as that of one with effects. */
function unlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}
