import {
  type Decision,
  type HookAnswerRecord,
  type HookOutput,
  stripControl,
  type Verdict,
  type Warning,
  type WarningCode,
} from "../../../protocol/internal.ts";
import type { HookRun } from "../firing-event.ts";

export interface ReadAnswer {
  readonly answer: HookAnswerRecord;
  readonly warnings: readonly Warning[];
}

export const noAnswer: HookAnswerRecord = { verdict: { kind: "none" } };

/** A warning may quote the hook, and is shown to the user. */
export function warn({ hook }: HookRun, code: WarningCode, message: string): Warning {
  return { code, message: stripControl(message), place: hook.ref.id };
}

/**
 * Whether a failure of this hook denies on this event. Then an exit code other than 0 and 2 and an unknown decision are failures,
 * whatever else was printed.
 */
export function failureBlocks({ event, hook }: HookRun): boolean {
  return hook.onFailure === "block" && event.row.onFailure === "guard";
}

/** What an exact object says about the operation: the stricter of its old and its new way to decide. */
export function verdictOf(output: HookOutput, run: HookRun): ReadVerdict {
  const old = topLevelVerdict(output, run);
  const current = specificVerdict(output, run);
  const stronger = compareDecisions(old.verdict.kind, current.verdict.kind) > 0 ? old.verdict : current.verdict;
  return { ...old, verdict: stronger, warnings: [...old.warnings, ...current.warnings] };
}

/** From weak to strong; the strongest verdict of an event wins. */
export const decisions: readonly Decision[] = ["none", "allow", "ask", "defer", "deny"];

/** Positive when `a` is stronger than `b`. */
export function compareDecisions(a: Decision, b: Decision): number {
  return decisions.indexOf(a) - decisions.indexOf(b);
}

interface ReadVerdict {
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
  /** A top-level `decision` that no event knows. */
  readonly unknownWord?: string;
}

const silent: ReadVerdict = { verdict: { kind: "none" }, warnings: [] };

function topLevelVerdict({ decision, reason }: HookOutput, run: HookRun): ReadVerdict {
  const { row } = run.event;
  if (decision === undefined) return silent;
  if (decision === "block" && row.blockWord) return { verdict: withReason("deny", reason, run), warnings: [] };
  if (decision === "approve") {
    return row.decisions.includes("allow") ? { verdict: withReason("allow", reason, run), warnings: [] } : silent;
  }
  const read: ReadVerdict = { verdict: { kind: "none" }, warnings: [unknownWord(decision, run)] };
  return decision === "block" ? read : { ...read, unknownWord: decision };
}

function specificVerdict(output: HookOutput, run: HookRun): ReadVerdict {
  const specific = output.hookSpecificOutput;
  if (specific?.hookEventName !== run.event.row.name) return silent;
  if (specific.permissionDecision !== undefined) {
    const reason = specific.permissionDecisionReason ?? output.reason;
    const read = honoured(specific.permissionDecision, reason, run);
    return run.event.row.answers.includes("permissionDecision") ? read : misplaced(read, run);
  }
  const answer = specific.decision;
  if (answer !== undefined && run.event.row.answers.includes("decision")) {
    if (answer.behavior === "allow") return { verdict: { kind: "allow" }, warnings: [] };
    return { verdict: withReason("deny", answer.message ?? output.reason, run), warnings: [] };
  }
  if (specific.action === "decline" && run.event.row.answers.includes("action")) {
    return { verdict: withReason("deny", output.reason, run), warnings: [] };
  }
  return silent;
}

/** `permissionDecision` on an event that has no such answer: a denial counts, with a warning. */
function misplaced(read: ReadVerdict, run: HookRun): ReadVerdict {
  if (read.verdict.kind !== "deny" || read.warnings.length > 0) return read;
  const way = run.event.row.blockWord ? 'Print decision: "block" there.' : "";
  const message = `${run.event.row.name} has no permissionDecision; its deny still counts. ${way}`.trim();
  return { ...read, warnings: [warn(run, "output-repaired", message)] };
}

/** A decision as far as the event knows it: where it can block but not ask, asking and deferring refuse. */
export function honoured(decision: Exclude<Decision, "none">, reason: string | undefined, run: HookRun): ReadVerdict {
  const { decisions, blocks } = run.event.row;
  if (decisions.includes(decision)) return { verdict: withReason(decision, reason, run), warnings: [] };
  const refuses = decision !== "allow" && decisions.includes("deny") && blocks !== null;
  return {
    verdict: refuses ? withReason("deny", reason, run) : { kind: "none" },
    warnings: [unknownDecision(decision, run, refuses ? " It counts as deny." : "")],
  };
}

/** A reason is shown with its decision, so nothing in it acts on a terminal. */
export function withReason(decision: Exclude<Decision, "none">, reason: string | undefined, run: HookRun): Verdict {
  const words = reason?.trim() ? stripControl(reason) : undefined;
  if (decision === "deny") return { kind: "deny", reason: words ?? defaultDenyReason(run) };
  if (decision === "ask") return { kind: "ask", reason: words ?? defaultAskReason(run) };
  return words === undefined ? { kind: decision } : { kind: decision, reason: words };
}

/** The words of the older key `decision` are others than those of `permissionDecision`. */
function unknownWord(decision: string, run: HookRun): Warning {
  const { row } = run.event;
  const old = [...(row.decisions.includes("allow") ? ["approve"] : []), ...(row.blockWord ? ["block"] : [])];
  if (old.length === 0) return unknownDecision(decision, run);
  const known = old.map((word) => `"${word}"`).join(" and ");
  const way = row.answers.includes("permissionDecision") ? " Other decisions go into permissionDecision." : "";
  const message = `${row.name} does not know decision: "${decision}"; it knows ${known} there.${way}`;
  return warn(run, "unknown-decision", message);
}

function unknownDecision(decision: string, run: HookRun, effect = ""): Warning {
  const { decisions: known, name } = run.event.row;
  const way = known.length > 0 ? `It knows ${known.join(", ")}.` : "Hooks decide nothing here.";
  return warn(run, "unknown-decision", `${name} does not know the decision "${decision}".${effect} ${way}`);
}

/** The words of a denial that came without any. */
export function defaultDenyReason({ event }: HookRun): string {
  return event.row.special.stockDenial ?? "Blocked by hook";
}

/** The words of a question that came without any. */
function defaultAskReason({ event: { row, occasion } }: HookRun): string {
  return `Hook ${occasion} requires confirmation for this ${row.special.onTool ? "tool" : "operation"}`;
}
