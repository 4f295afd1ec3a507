import {
  compareDecisions,
  type Decision,
  type HookOutput,
  stripControl,
  type Verdict,
  type Warning,
} from "../../protocol/index.ts";
import { type Reading, stockDenial, stockQuestion, warn } from "./reading.ts";

/** What an exact object says about the operation: the stricter of its old and its new way to decide. */
export function verdictOf(output: HookOutput, reading: Reading): Said {
  const old = topLevelVerdict(output, reading);
  const current = specificVerdict(output, reading);
  const stronger = compareDecisions(old.verdict.kind, current.verdict.kind) > 0 ? old.verdict : current.verdict;
  return { ...old, verdict: stronger, warnings: [...old.warnings, ...current.warnings] };
}

interface Said {
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
  /** A top-level `decision` that no event knows. */
  readonly unknownWord?: string;
}

const silent: Said = { verdict: { kind: "none" }, warnings: [] };

function topLevelVerdict({ decision, reason }: HookOutput, reading: Reading): Said {
  const { row } = reading;
  if (decision === undefined) return silent;
  if (decision === "block" && row.blockWord) return { verdict: worded("deny", reason, reading), warnings: [] };
  if (decision === "approve") {
    return row.decisions.includes("allow") ? { verdict: worded("allow", reason, reading), warnings: [] } : silent;
  }
  const said: Said = { verdict: { kind: "none" }, warnings: [unknownWord(decision, reading)] };
  return decision === "block" ? said : { ...said, unknownWord: decision };
}

function specificVerdict(output: HookOutput, reading: Reading): Said {
  const specific = output.hookSpecificOutput;
  if (specific?.hookEventName !== reading.row.name) return silent;
  if (specific.permissionDecision !== undefined) {
    const reason = specific.permissionDecisionReason ?? output.reason;
    const said = honoured(specific.permissionDecision, reason, reading);
    return reading.row.answers.includes("permissionDecision") ? said : misplaced(said, reading);
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

/** `permissionDecision` on an event that has no such answer: what it refuses counts, and the hook's author is told. */
function misplaced(said: Said, reading: Reading): Said {
  if (said.verdict.kind !== "deny" || said.warnings.length > 0) return said;
  const way = reading.row.blockWord ? 'Print decision: "block" there.' : "";
  const message = `${reading.row.name} has no permissionDecision; its deny counts all the same. ${way}`.trim();
  return { ...said, warnings: [warn(reading, "output-repaired", message)] };
}

/** A decision as far as the event knows it: where it can block but not ask, asking and deferring refuse. */
export function honoured(decision: Exclude<Decision, "none">, reason: string | undefined, reading: Reading): Said {
  const { decisions, blocks } = reading.row;
  if (decisions.includes(decision)) return { verdict: worded(decision, reason, reading), warnings: [] };
  const refuses = decision !== "allow" && decisions.includes("deny") && blocks !== null;
  return {
    verdict: refuses ? worded("deny", reason, reading) : { kind: "none" },
    warnings: [unknownDecision(decision, reading, refuses ? " It counts as deny." : "")],
  };
}

/** A reason is read by people wherever a decision is shown, so nothing in it acts on a terminal. */
export function worded(decision: Exclude<Decision, "none">, reason: string | undefined, reading: Reading): Verdict {
  const words = reason?.trim() ? stripControl(reason) : undefined;
  if (decision === "deny") return { kind: "deny", reason: words ?? stockDenial(reading) };
  if (decision === "ask") return { kind: "ask", reason: words ?? stockQuestion(reading) };
  return words === undefined ? { kind: decision } : { kind: decision, reason: words };
}

/** The words of the older key `decision` are others than those of `permissionDecision`. */
function unknownWord(decision: string, reading: Reading): Warning {
  const { row } = reading;
  const old = [...(row.decisions.includes("allow") ? ["approve"] : []), ...(row.blockWord ? ["block"] : [])];
  if (old.length === 0) return unknownDecision(decision, reading);
  const known = old.map((word) => `"${word}"`).join(" and ");
  const way = row.answers.includes("permissionDecision") ? " Other decisions go into permissionDecision." : "";
  return warn(
    reading,
    "unknown-decision",
    `${row.name} does not know decision: "${decision}"; it knows ${known} there.${way}`,
  );
}

function unknownDecision(decision: string, reading: Reading, effect = ""): Warning {
  const known = reading.row.decisions;
  const way = known.length > 0 ? `It knows ${known.join(", ")}.` : "Hooks decide nothing here.";
  return warn(
    reading,
    "unknown-decision",
    `${reading.row.name} does not know the decision "${decision}".${effect} ${way}`,
  );
}
