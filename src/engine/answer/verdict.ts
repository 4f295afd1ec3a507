import type { Decision, HookOutput, Verdict, Warning } from "../../protocol/index.ts";
import { compareDecisions } from "../../protocol/index.ts";
import { stripControl } from "../display.ts";
import { defaultReason, type Reading, warn } from "./reading.ts";

/** What an exact object says about the operation: the stricter of its old and its new way to decide. */
export function verdictOf(output: HookOutput, reading: Reading): { verdict: Verdict; warnings: readonly Warning[] } {
  const old = topLevelVerdict(output, reading);
  const current = specificVerdict(output, reading);
  const stronger = compareDecisions(old.verdict.kind, current.verdict.kind) > 0 ? old.verdict : current.verdict;
  return { verdict: stronger, warnings: [...old.warnings, ...current.warnings] };
}

interface Said {
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
}

const silent: Said = { verdict: { kind: "none" }, warnings: [] };

function topLevelVerdict({ decision, reason }: HookOutput, reading: Reading): Said {
  const { row } = reading;
  if (decision === undefined) return silent;
  if (decision === "block" && row.blockWord) return { verdict: worded("deny", reason, reading), warnings: [] };
  if (decision === "approve") {
    return row.decisions.includes("allow") ? { verdict: worded("allow", reason, reading), warnings: [] } : silent;
  }
  return { verdict: { kind: "none" }, warnings: [unknownDecision(decision, reading)] };
}

function specificVerdict(output: HookOutput, reading: Reading): Said {
  const specific = output.hookSpecificOutput;
  if (specific?.hookEventName !== reading.row.name) return silent;
  if (specific.permissionDecision !== undefined) {
    const reason = specific.permissionDecisionReason ?? output.reason;
    return honoured(specific.permissionDecision, reason, reading);
  }
  const answer = specific.decision;
  if (answer !== undefined && reading.row.answers.includes("decision")) {
    if (answer.behavior === "allow") return { verdict: { kind: "allow" }, warnings: [] };
    return { verdict: worded("deny", answer.message ?? output.reason, reading), warnings: [] };
  }
  if (specific.action === "decline" && reading.row.answers.includes("action")) {
    return { verdict: worded("deny", output.reason, reading), warnings: [] };
  }
  return silent;
}

/** A decision as far as the event knows it: where it can block but not ask, asking and deferring refuse. */
export function honoured(decision: Exclude<Decision, "none">, reason: string | undefined, reading: Reading): Said {
  const { decisions, blocks } = reading.row;
  if (decisions.includes(decision)) return { verdict: worded(decision, reason, reading), warnings: [] };
  const refuses = decision !== "allow" && decisions.includes("deny") && blocks !== null;
  return {
    verdict: refuses ? worded("deny", reason, reading) : { kind: "none" },
    warnings: [unknownDecision(decision, reading)],
  };
}

/** A reason is read by people wherever a decision is shown, so nothing in it acts on a terminal. */
export function worded(decision: Exclude<Decision, "none">, reason: string | undefined, reading: Reading): Verdict {
  const words = reason?.trim() ? stripControl(reason) : undefined;
  if (decision === "deny") return { kind: "deny", reason: words ?? defaultReason(reading, "denied") };
  if (decision === "ask") return { kind: "ask", reason: words ?? defaultReason(reading, "asks about") };
  return words === undefined ? { kind: decision } : { kind: decision, reason: words };
}

function unknownDecision(decision: string, reading: Reading): Warning {
  const known = reading.row.decisions;
  const way = known.length > 0 ? `It knows ${known.join(", ")}.` : "Hooks decide nothing here.";
  return warn(reading, "unknown-decision", `${reading.row.name} does not know the decision "${decision}". ${way}`);
}
