import { isObject, type ToolInput } from "../../protocol/internal.ts";
import { badCall, checkContext, checkReturnedBy } from "../check-call.ts";
import type { Policy, PolicyRule } from "../policy.ts";
import { coversTool, currentName, kindOf } from "../rules/rule-tools.ts";
import { fieldCovers } from "../rules/spec-patterns.ts";
import {
  isInWorkingDirectory,
  isSpecial,
  type JudgeContext,
  type JudgeState,
  openJudgeState,
} from "./judge-context.ts";
import { protectionFinding } from "./judge-path.ts";
import { judgeShell, judgeUnanalysedText } from "./judge-shell.ts";
import { judgeFiles, judgeName, namedThing } from "./judge-tools.ts";
import {
  allowedAsHarmless,
  askedBy,
  type CallContent,
  type Judgement,
  type PartFinding,
  refOf,
  restrictedBy,
  strictest,
  strongestStance,
  unusableInput,
  wholePart,
} from "./judgement.ts";
import { suggest } from "./suggest.ts";

/**
 * Judges one tool call under a policy: allow, ask or deny, with the rule, the reason and every part of the call.
 * Contract: starts no process, opens no file, and never throws because of a tool's input. A wrong argument throws `permissions/bad-call`.
 */
export function judge(
  call: { readonly tool: string; readonly input: unknown },
  policy: Policy,
  context: JudgeContext,
): Judgement {
  if (typeof call?.tool !== "string") throw badCall("judge", "its first argument must be { tool, input }");
  checkReturnedBy(policy, "boundary", "judge", "its second argument", "compileRules");
  checkContext(context, "judge", ["cwd", "home", "projectRoot"]);
  const state = openJudgeState(policy, context);
  const tool = currentName(call.tool, policy.names);
  const copy = frozenJsonCopy(call.input);
  const input: ToolInput = isObject(copy) ? copy : Object.freeze({});
  const content = judgeContent(tool, input, state);
  const findings = [...judgeCall(tool, input, state), ...content.findings];
  const stance = strongestStance(findings);
  const decisive = strictest(findings) ?? allowedAsHarmless("nothing is run");
  const why = reasonFor(decisive, content);
  const attended = context.attended !== false && !policy.denyInsteadOfPrompting;
  const noUserReason = policy.denyInsteadOfPrompting ? "permissions.denyInsteadOfPrompting is set" : "no user to ask";
  const wouldAsk = decisive.decision === "ask" && !attended;
  return {
    tool,
    decision: wouldAsk ? "deny" : decisive.decision,
    reason: wouldAsk ? `${noUserReason}: ${why}` : why,
    wouldAsk,
    by: wouldAsk ? "unattended" : decisive.by,
    mode: state.mode,
    rule: refOf(decisive.rule),
    complete: content.complete,
    problems: content.problems,
    parts: content.parts,
    paths: state.inputPaths.map((path) => ({
      given: path.given,
      resolved: path.resolved,
      links: path.links,
      inside: isInWorkingDirectory(path, state),
      protected: protectionFinding(path, state) !== undefined,
      special: isSpecial(path),
    })),
    suggestions: decisive.decision === "ask" ? suggest(content, tool, state) : [],
    warnings: [...policy.warnings, ...state.warnings],
    stance,
    attended,
    input,
  };
}

/** At most this many parts are named in a reason; the rest is counted. */
const maxNamedParts = 5;

/** The reason. If a call has several parts, it names the part that is denied, or those that need a confirmation. */
function reasonFor(decisive: PartFinding, { findings, parts }: CallContent): string {
  if (parts.length < 2 || !findings.includes(decisive)) return decisive.why;
  const first = parts.find(({ why, decision }) => why === decisive.why && decision === decisive.decision);
  if (first === undefined || decisive.decision !== "ask")
    return first ? `${first.text}: ${decisive.why}` : decisive.why;
  const open = [first, ...parts.filter((part) => part.decision === "ask" && part !== first)];
  const texts = new Map<string, Set<string>>();
  for (const { text, why } of open.slice(0, maxNamedParts)) texts.set(why, (texts.get(why) ?? new Set()).add(text));
  const reasons = [...texts].map(([why, named]) => `${[...named].join(", ")}: ${why}`);
  return [...reasons, ...(open.length > maxNamedParts ? [`and ${open.length - maxNamedParts} more`] : [])].join("; ");
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
      const isAnalysed = kind === "shell" && (state.context.shell ?? "bash") === "bash";
      return { kind, ...(isAnalysed ? judgeShell : judgeUnanalysedText)(command, tool, state) };
    }
    case "read":
    case "edit":
      return { ...whole, ...judgeFiles(tool, kind, input, state) };
    default: {
      const found = judgeName(tool, kind, input, state);
      const part = wholePart(namedThing(tool, kind, input), found, state.context.cwd);
      return { ...whole, findings: [found], parts: [part] };
    }
  }
}

/** Applies deny and ask rules on the tool as a whole or on one of its fields, and the effect of rules that cannot be read. */
function judgeCall(tool: string, input: ToolInput, state: JudgeState): PartFinding[] {
  const { policy, mode } = state;
  const matches = ({ meaning: { tools, target } }: PolicyRule) =>
    coversTool(tools, tool, policy.names) &&
    (target.kind === "all" || (target.kind === "field" && fieldCovers(target, input)));
  const restricted = restrictedBy(policy, matches, "it", mode);
  if (restricted) return [restricted];
  const doubt = policy.doubtful.find(({ tools }) => coversTool(tools, tool, policy.names));
  if (doubt) {
    const why = `the rule ${doubt.text} cannot be read; until it is fixed every ${tool} call is asked about`;
    return [askedBy(mode, "rule", why)];
  }
  // A managed file that cannot be read may contain restrictions: every call needs at least a confirmation.
  return policy.managedUnreadable ? [askedBy(mode, "rule", "the managed settings cannot be read")] : [];
}

/**
 * A frozen copy of an input, so that the judged input is the one that runs. Values that JSON cannot hold are left out. An object that
 * occurs more than once, or contains itself, is copied once.
 */
export function frozenJsonCopy(value: unknown, copies = new Map<object, unknown>(), depth = 0): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (copies.has(value)) return copies.get(value);
  if (depth > maxInputDepth) return null;
  const copy: object = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    // Defined, not assigned: `__proto__` must become an ordinary key.
    Object.defineProperty(copy, key, { value: frozenJsonCopy(inner, copies, depth + 1), enumerable: true });
  }
  return Object.freeze(copy);
}

const maxInputDepth = 1_000;
