import { isObject } from "../../protocol/internal.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { Answer, AnswerKind } from "./answer.ts";
import { type EventRule, eventRule, isLegal } from "./event-rules.ts";
import { isAnswerKind, isRefusal } from "./fold-answers.ts";

/** A mistake in a hooks file that does not stop the event. */
export interface AppWarning {
  readonly code:
    | "illegal-answer"
    | "allow-without-reason"
    | "long-text"
    | "handler-failed"
    | "app-failed"
    | "never-runs";
  readonly message: string;
  readonly handler?: string;
}

/** Hosts write longer texts to a file. */
const maxTextLength = 10_000;

/**
 * Turns the return value of a handler into answers that are legal for the event. Answers in `alreadyChecked` get no second warning about
 * their length.
 *
 * Contract: a refusal of another event's kind becomes the event's own refusal and is never lost. Any other illegal answer is dropped with
 * a warning. A value that is not an answer throws: the handler has failed. Together with a refusal it is a warning instead.
 */
export function acceptAnswers(
  returned: unknown,
  event: HookEvent,
  handler: string,
  alreadyChecked: readonly Answer[] = [],
): { readonly answers: readonly Answer[]; readonly warnings: readonly AppWarning[] } {
  const rule = eventRule(event.name);
  const answers: Answer[] = [];
  const warnings: AppWarning[] = [];
  const list: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  const values = list.filter((value) => value !== undefined && value !== null);
  for (const value of values) {
    if (!isAnswer(value)) {
      const fault = `returned ${describe(value)}; expected an answer, a list of answers, or nothing`;
      if (!values.some((other) => isAnswer(other) && isRefusal(other))) throw new TypeError(fault);
      warnings.push({ code: "illegal-answer", message: `${handler} ${fault}.`, handler });
      continue;
    }
    for (const part of value.kind === "raw" ? splitRawDecisions(value.fields, rule) : [value]) {
      const answer = asEventRefusal(withReason(part, handler), rule);
      const objection = objectionTo(answer, rule, event.name, handler);
      if (objection !== undefined) warnings.push({ ...objection, handler });
      else answers.push(answer);
      if (!alreadyChecked.includes(part)) warnings.push(...lengthWarnings(answer, event.name, handler));
    }
  }
  return { answers, warnings };
}

/** Turns decisions in raw fields into answers, so that they count like any other. The remaining fields stay raw. */
function splitRawDecisions(fields: Readonly<Record<string, unknown>>, rule: EventRule): readonly Answer[] {
  const { hookSpecificOutput, ...rest } = fields;
  const top: Record<string, unknown> = rest;
  const specific: Record<string, unknown> = isObject(hookSpecificOutput) ? { ...hookSpecificOutput } : {};
  const decisions: { kind: AnswerKind; reason: unknown; interrupt?: boolean }[] = [];
  const take = (kind: AnswerKind, object: Record<string, unknown>, decisionKey: string, reasonKey: string) => {
    decisions.push({ kind, reason: object[reasonKey] });
    delete object[decisionKey];
    delete object[reasonKey];
  };
  // Hosts ignore `permissionDecision` at the top level, but the author meant it.
  for (const object of [specific, top]) {
    const kind = object["permissionDecision"];
    if (rule.form !== "permission" || (kind !== "deny" && kind !== "ask" && kind !== "defer")) continue;
    if (isLegal(rule, kind)) take(kind, object, "permissionDecision", "permissionDecisionReason");
  }
  const { decision: behavior } = specific;
  if (rule.refusal === "denyPermission" && isObject(behavior) && behavior["behavior"] === "deny") {
    decisions.push({ kind: "denyPermission", reason: behavior["message"], interrupt: behavior["interrupt"] === true });
    delete specific["decision"];
  }
  if (rule.refusal !== undefined && (top["decision"] === "block" || top["decision"] === "deny")) {
    take("block", top, "decision", "reason");
  }
  if (isLegal(rule, "halt") && top["continue"] === false) take("halt", top, "continue", "stopReason");
  if (decisions.length === 0) return [{ kind: "raw", fields }];
  const { hookEventName: _name, ...others } = specific;
  const remaining = { ...top, ...(Object.keys(others).length > 0 ? { hookSpecificOutput: others } : {}) };
  return [
    ...(decisions as readonly Answer[]),
    ...(Object.keys(remaining).length > 0 ? [{ kind: "raw", fields: remaining } as const] : []),
  ];
}

type ShapeCheck = (answer: Readonly<Record<string, unknown>>) => boolean;

const hasText: ShapeCheck = ({ text }) => typeof text === "string";

/** The kinds whose fields are checked. A missing reason is added later. */
const shapeChecks: Readonly<Partial<Record<AnswerKind, ShapeCheck>>> = {
  // With a misspelled key the request would be approved unchanged, which the author did not mean.
  approvePermission: ({ kind: _kind, input, rules, ...others }) =>
    Object.keys(others).length === 0 &&
    (input === undefined || isObject(input)) &&
    (rules === undefined || Array.isArray(rules)),
  context: hasText,
  systemMessage: hasText,
  updateInput: ({ input }) => isObject(input) && !(input instanceof Promise),
  patchInput: ({ part }) => isObject(part) && !(part instanceof Promise),
  mapOutput: ({ map }) => typeof map === "function",
  sessionTitle: ({ title }) => typeof title === "string",
  watchPaths: ({ paths }) => Array.isArray(paths) && paths.every((path) => typeof path === "string"),
  initialUserMessage: hasText,
  display: hasText,
  elicit: ({ action }) => action === "accept" || action === "decline" || action === "cancel",
  // Hosts read the path from the last line of stdout.
  worktree: ({ path }) => typeof path === "string" && path !== "" && !/[\r\n]/.test(path),
  raw: ({ fields }) => isObject(fields),
};

/** Checks the shape, not the class: an answer may come from another copy of this package. */
function isAnswer(value: unknown): value is Answer {
  if (!isObject(value)) return false;
  const { kind } = value;
  return isAnswerKind(kind) && shapeChecks[kind]?.(value) !== false;
}

/** Gives a refusal or a question a reason if it has none. */
function withReason(answer: Answer, handler: string): Answer {
  if (answer.kind !== "ask" && !isRefusal(answer)) return answer;
  const { reason } = answer as { reason?: unknown };
  return typeof reason === "string" && reason.trim() !== ""
    ? answer
    : ({ ...answer, reason: `Refused by ${handler}` } as Answer);
}

function asEventRefusal(answer: Answer, rule: EventRule): Answer {
  if (!isRefusal(answer) || isLegal(rule, answer.kind) || rule.refusal === undefined) return answer;
  return { kind: rule.refusal, reason: (answer as { reason: string }).reason };
}

/** Why an answer is dropped. Undefined when it is accepted. */
function objectionTo(answer: Answer, rule: EventRule, event: string, handler: string): AppWarning | undefined {
  if (!isLegal(rule, answer.kind)) {
    const legal = [...rule.legal, "systemMessage", "raw"].join(", ");
    const message = `${handler}: ${answer.kind} is not supported on ${event} and was dropped. Supported: ${legal}.`;
    return { code: "illegal-answer", message };
  }
  if (answer.kind !== "allow" || (typeof answer.reason === "string" && answer.reason.trim() !== "")) return undefined;
  const message = `${handler}: allow() without a reason was dropped. Return nothing for "no objection", or pass a reason to skip the permission prompt.`;
  return { code: "allow-without-reason", message };
}

function lengthWarnings(answer: Answer, event: string, handler: string): readonly AppWarning[] {
  if ((answer.kind !== "context" && answer.kind !== "systemMessage") || answer.text.length <= maxTextLength) return [];
  const message = `${handler}: a ${answer.kind} of ${answer.text.length} characters on ${event}; hosts write texts over ${maxTextLength} characters to a file.`;
  return [{ code: "long-text", message, handler }];
}

function describe(value: unknown): string {
  if (isObject(value)) return `an object with the keys ${Object.keys(value).join(", ") || "(none)"}`;
  return Array.isArray(value) ? "a list in a list" : `a ${typeof value}`;
}
