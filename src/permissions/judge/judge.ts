import type { ToolInput } from "../../protocol/internal.ts";
import { badCall, checkMade, checkPlace } from "../check-call.ts";
import type { Policy, PolicyRule } from "../policy.ts";
import { coversTool, currentName, kindOf } from "../rules/rule-tools.ts";
import { type Desk, isInside, isSpecial, type JudgeContext, openDesk } from "./judge-context.ts";
import { protectionFinding } from "./judge-path.ts";
import { judgeShell, judgeWholeText } from "./judge-shell.ts";
import { fieldCovers, judgeFiles, judgeName, namedThing } from "./judge-tools.ts";
import {
  asked,
  denied,
  type Finding,
  firmest,
  harmless,
  type Judgement,
  type Look,
  refOf,
  strictest,
  unusable,
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
  const desk = openDesk(policy, context);
  const tool = currentName(call.tool, policy.names);
  const input = frozenInput(call.input);
  const looked = look(tool, input, desk);
  const findings = [...judgeCall(tool, input, desk), ...looked.findings];
  const stance = firmest(findings);
  const found = strictest(findings) ?? harmless("nothing is run");
  const why = toldWith(found, looked);
  const attended = context.attended !== false && !policy.denyInsteadOfPrompting;
  const unasked = policy.denyInsteadOfPrompting
    ? "permissions.denyInsteadOfPrompting is set"
    : "nobody is there to ask";
  const wouldAsk = found.decision === "ask" && !attended;
  return {
    tool,
    decision: wouldAsk ? "deny" : found.decision,
    reason: wouldAsk ? `${unasked}: ${why}` : why,
    wouldAsk,
    by: wouldAsk ? "unattended" : found.by,
    mode: desk.mode,
    rule: refOf(found.rule),
    complete: looked.complete,
    problems: looked.problems,
    parts: looked.parts,
    paths: desk.seen.map((path) => ({
      given: path.given,
      resolved: path.resolved,
      links: path.links,
      inside: isInside(path, desk),
      protected: protectionFinding(path, desk) !== undefined,
      special: isSpecial(path),
    })),
    suggestions: found.decision === "ask" ? suggest(looked, tool, desk) : [],
    warnings: [...policy.warnings, ...desk.warnings],
    stance,
    attended,
    input,
  };
}

/** Parts named in a reason; of more only the number is told. */
const mostNamed = 5;

/** Of several parts those that decided are named: the one that is denied, or all that are asked about. */
function toldWith(found: Finding, { findings, parts }: Look): string {
  if (parts.length < 2 || !findings.includes(found)) return found.why;
  const first = parts.find(({ why, decision }) => why === found.why && decision === found.decision);
  if (first === undefined || found.decision !== "ask") return first ? `${first.text}: ${found.why}` : found.why;
  const open = [first, ...parts.filter((part) => part.decision === "ask" && part !== first)];
  const texts = new Map<string, Set<string>>();
  for (const { text, why } of open.slice(0, mostNamed)) texts.set(why, (texts.get(why) ?? new Set()).add(text));
  const told = [...texts].map(([why, named]) => `${[...named].join(", ")}: ${why}`);
  return [...told, ...(open.length > mostNamed ? [`and ${open.length - mostNamed} more`] : [])].join("; ");
}

function look(tool: string, input: ToolInput, desk: Desk): Look {
  const kind = kindOf(tool, desk.policy.names);
  const whole = { kind, complete: true, problems: [] };
  switch (kind) {
    case "shell":
    case "text": {
      const command = input["command"];
      if (typeof command !== "string") return { ...whole, findings: [unusable("the call has no command")], parts: [] };
      const analysed = kind === "shell" && (desk.context.shell ?? "bash") === "bash";
      if (!analysed) return { ...whole, ...judgeWholeText(command, tool, desk) };
      const { findings, parts, analysis } = judgeShell(command, tool, desk);
      return { kind, findings, parts, complete: analysis.complete, problems: analysis.problems };
    }
    case "read":
    case "edit":
      return { ...whole, ...judgeFiles(tool, kind, input, desk) };
    default: {
      const found = judgeName(tool, kind, input, desk);
      return {
        ...whole,
        findings: [found],
        parts: [wholePart(namedThing(tool, kind, input), found, desk.context.cwd)],
      };
    }
  }
}

/** Deny and ask rules on the tool as a whole, or on one of its fields; and a rule nobody can read. */
function judgeCall(tool: string, input: ToolInput, desk: Desk): Finding[] {
  const { policy, mode } = desk;
  const met = ({ meaning: { tools, target } }: PolicyRule) =>
    coversTool(tools, tool, policy.names) &&
    (target.kind === "all" || (target.kind === "field" && fieldCovers(target, input)));
  const deny = policy.deny.find(met);
  if (deny) return [denied(deny, `${deny.text} denies it`)];
  const ask = policy.ask.find(met);
  if (ask) return [asked(mode, "rule", `${ask.text} asks about it`, ask)];
  const doubt = policy.doubtful.find(({ tools }) => coversTool(tools, tool, policy.names));
  if (doubt) {
    const why = `the rule ${doubt.text} cannot be read; until it is fixed every ${tool} call is asked about`;
    return [asked(mode, "rule", why)];
  }
  // While a managed file cannot be read nothing settles below `ask`.
  return policy.managedUnreadable ? [asked(mode, "rule", "the managed settings cannot be read")] : [];
}

/**
 * A copy of an input that nobody can change any more: what was judged is what runs. What no JSON could hold is
 * left out; an object that stands in several places, or in itself, is copied once.
 */
function frozenInput(input: unknown): ToolInput {
  const copy = copied(input, new Map(), 0);
  return copy !== null && typeof copy === "object" && !Array.isArray(copy) ? (copy as ToolInput) : Object.freeze({});
}

const deepest = 1_000;

function copied(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return seen.get(value);
  if (depth > deepest) return null;
  const copy: object = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    // Defined, not assigned: `__proto__` is a name like any other.
    Object.defineProperty(copy, key, { value: copied(inner, seen, depth + 1), enumerable: true });
  }
  return Object.freeze(copy);
}
