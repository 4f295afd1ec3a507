import type { ToolInput } from "../../protocol/internal.ts";
import { badCall, checkMade, checkPlace } from "../check-call.ts";
import type { Policy, PolicyRule } from "../policy.ts";
import { coversTool, currentName, kindOf } from "../rules/rule-tools.ts";
import { isInside, isSpecial, type JudgeContext, type JudgeState, openJudgeState } from "./judge-context.ts";
import { protectionFinding } from "./judge-path.ts";
import { judgeShell, judgeUnanalysedText } from "./judge-shell.ts";
import { fieldCovers, judgeFiles, judgeName, namedThing } from "./judge-tools.ts";
import {
  allowedAsHarmless,
  askedBy,
  type CallContent,
  firmest,
  type Judgement,
  type PartFinding,
  refOf,
  restrictedBy,
  strictest,
  unusableInput,
  wholePart,
} from "./judgement.ts";
import { suggest } from "./suggest.ts";

/**
 * One tool call under a policy: allow, ask or deny, with the rule, the reason and every part looked at.
 * Contract: starts nothing, opens no file, never throws on any input of a tool. A wrong argument is `permissions/bad-call`.
 */
export function judge(
  call: { readonly tool: string; readonly input: unknown },
  policy: Policy,
  context: JudgeContext,
): Judgement {
  if (typeof call?.tool !== "string") throw badCall("judge", "its first argument must be { tool, input }");
  checkMade(policy, "boundary", "judge", "its second argument", "compileRules");
  checkPlace(context, "judge");
  const state = openJudgeState(policy, context);
  const tool = currentName(call.tool, policy.names);
  const input = frozenInput(call.input);
  const looked = judgeContent(tool, input, state);
  const findings = [...judgeCall(tool, input, state), ...looked.findings];
  const stance = firmest(findings);
  const found = strictest(findings) ?? allowedAsHarmless("nothing is run");
  const why = reasonFor(found, looked);
  const attended = context.attended !== false && !policy.denyInsteadOfPrompting;
  const unasked = policy.denyInsteadOfPrompting ? "permissions.denyInsteadOfPrompting is set" : "no user to ask";
  const wouldAsk = found.decision === "ask" && !attended;
  return {
    tool,
    decision: wouldAsk ? "deny" : found.decision,
    reason: wouldAsk ? `${unasked}: ${why}` : why,
    wouldAsk,
    by: wouldAsk ? "unattended" : found.by,
    mode: state.mode,
    rule: refOf(found.rule),
    complete: looked.complete,
    problems: looked.problems,
    parts: looked.parts,
    paths: state.seen.map((path) => ({
      given: path.given,
      resolved: path.resolved,
      links: path.links,
      inside: isInside(path, state),
      protected: protectionFinding(path, state) !== undefined,
      special: isSpecial(path),
    })),
    suggestions: found.decision === "ask" ? suggest(looked, tool, state) : [],
    warnings: [...policy.warnings, ...state.warnings],
    stance,
    attended,
    input,
  };
}

/** Parts named in a reason; of the others only the number is given. */
const maxNamed = 5;

/** Of several parts those that decided are named: the one that is denied, or all that are asked about. */
function reasonFor(found: PartFinding, { findings, parts }: CallContent): string {
  if (parts.length < 2 || !findings.includes(found)) return found.why;
  const first = parts.find(({ why, decision }) => why === found.why && decision === found.decision);
  if (first === undefined || found.decision !== "ask") return first ? `${first.text}: ${found.why}` : found.why;
  const open = [first, ...parts.filter((part) => part.decision === "ask" && part !== first)];
  const texts = new Map<string, Set<string>>();
  for (const { text, why } of open.slice(0, maxNamed)) texts.set(why, (texts.get(why) ?? new Set()).add(text));
  const reasons = [...texts].map(([why, named]) => `${[...named].join(", ")}: ${why}`);
  return [...reasons, ...(open.length > maxNamed ? [`and ${open.length - maxNamed} more`] : [])].join("; ");
}

function judgeContent(tool: string, input: ToolInput, state: JudgeState): CallContent {
  const kind = kindOf(tool, state.policy.names);
  const whole = { kind, complete: true, problems: [] };
  switch (kind) {
    case "shell":
    case "text": {
      const command = input["command"];
      if (typeof command !== "string")
        return { ...whole, findings: [unusableInput("the call has no command")], parts: [] };
      const analysed = kind === "shell" && (state.context.shell ?? "bash") === "bash";
      if (!analysed) return { ...whole, ...judgeUnanalysedText(command, tool, state) };
      const { findings, parts, analysis } = judgeShell(command, tool, state);
      return { kind, findings, parts, complete: analysis.complete, problems: analysis.problems };
    }
    case "read":
    case "edit":
      return { ...whole, ...judgeFiles(tool, kind, input, state) };
    default: {
      const found = judgeName(tool, kind, input, state);
      return {
        ...whole,
        findings: [found],
        parts: [wholePart(namedThing(tool, kind, input), found, state.context.cwd)],
      };
    }
  }
}

/** Deny and ask rules on the tool as a whole, or on one of its fields; and rules that cannot be read. */
function judgeCall(tool: string, input: ToolInput, state: JudgeState): PartFinding[] {
  const { policy, mode } = state;
  const met = ({ meaning: { tools, target } }: PolicyRule) =>
    coversTool(tools, tool, policy.names) &&
    (target.kind === "all" || (target.kind === "field" && fieldCovers(target, input)));
  const restricted = restrictedBy(policy, met, "it", mode);
  if (restricted) return [restricted];
  const doubt = policy.doubtful.find(({ tools }) => coversTool(tools, tool, policy.names));
  if (doubt) {
    const why = `the rule ${doubt.text} cannot be read; until it is fixed every ${tool} call is asked about`;
    return [askedBy(mode, "rule", why)];
  }
  // While a managed file cannot be read nothing settles below `ask`.
  return policy.managedUnreadable ? [askedBy(mode, "rule", "the managed settings cannot be read")] : [];
}

/**
 * A frozen copy of an input: what was judged is what runs. Values that JSON cannot hold are
 * left out; an object that occurs in several places, or in itself, is copied once.
 */
function frozenInput(input: unknown): ToolInput {
  const copy = copied(input, new Map(), 0);
  return copy !== null && typeof copy === "object" && !Array.isArray(copy) ? (copy as ToolInput) : Object.freeze({});
}

const maxInputDepth = 1_000;

function copied(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return seen.get(value);
  if (depth > maxInputDepth) return null;
  const copy: object = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    // Defined, not assigned: `__proto__` is a name like any other.
    Object.defineProperty(copy, key, { value: copied(inner, seen, depth + 1), enumerable: true });
  }
  return Object.freeze(copy);
}
