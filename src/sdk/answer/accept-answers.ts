import { isObject } from "../../protocol/internal.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { Answer, AnswerKind } from "./answer.ts";
import { type EventRule, eventRule, isLegal } from "./event-rules.ts";
import { isRefusal } from "./fold-answers.ts";

/** Something an author should know; it stops nothing. */
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

export interface AcceptedAnswers {
  readonly answers: readonly Answer[];
  readonly warnings: readonly AppWarning[];
}

const longText = 10_000;

/**
 * What a handler returned, as answers that this event takes. `passedOn` are answers of others among them, whose length was looked at.
 *
 * Contract: a refusal in the wrong word is spelled in the right one, never lost; any other answer that is illegal here is dropped
 * with a warning. A value that is not an answer throws: the handler has failed. Next to a refusal it is a warning.
 */
export function acceptAnswers(
  said: unknown,
  event: HookEvent,
  handler: string,
  alreadyChecked: readonly Answer[] = [],
): AcceptedAnswers {
  const rule = eventRule(event.name);
  const answers: Answer[] = [];
  const warnings: AppWarning[] = [];
  const list = listOf(said);
  for (const one of list) {
    if (!isAnswer(one)) {
      const fault = `returned ${describe(one)}; expected an answer, a list of answers, or nothing`;
      if (!list.some((other) => isAnswer(other) && isRefusal(other))) throw new TypeError(fault);
      warnings.push({ code: "illegal-answer", message: `${handler} ${fault}.`, handler });
      continue;
    }
    for (const part of one.kind === "raw" ? splitRawDecisions(one.fields, rule) : [one]) {
      const answer = asEventRefusal(withReason(part, handler), rule);
      const why = whyNot(answer, rule, event.name, handler);
      if (why !== undefined) warnings.push({ ...why, handler });
      else answers.push(answer);
      if (!alreadyChecked.includes(part)) warnings.push(...lengthOf(answer, event.name, handler));
    }
  }
  return { answers, warnings };
}

/** A refusal or question in raw fields as the answer it is, so that it counts like any other; then the fields that are left. */
function splitRawDecisions(fields: Readonly<Record<string, unknown>>, rule: EventRule): readonly Answer[] {
  const { hookSpecificOutput: given, ...rest } = fields;
  const top: Record<string, unknown> = rest;
  const specific: Record<string, unknown> = isObject(given) ? { ...given } : {};
  const found: { kind: AnswerKind; reason: unknown; interrupt?: boolean }[] = [];
  const { decision: behavior } = specific;
  // At the top, where no host looks for it, it is meant just as much.
  for (const place of [specific, top]) {
    const word = place["permissionDecision"];
    if (rule.form !== "permission" || (word !== "deny" && word !== "ask" && word !== "defer")) continue;
    if (!isLegal(rule, word)) continue;
    found.push({ kind: word, reason: place["permissionDecisionReason"] });
    delete place["permissionDecision"];
    delete place["permissionDecisionReason"];
  }
  if (rule.refusal === "denyPermission" && isObject(behavior) && behavior["behavior"] === "deny") {
    found.push({ kind: "denyPermission", reason: behavior["message"], interrupt: behavior["interrupt"] === true });
    delete specific["decision"];
  }
  if (rule.refusal !== undefined && (top["decision"] === "block" || top["decision"] === "deny")) {
    found.push({ kind: "block", reason: top["reason"] });
    delete top["decision"];
    delete top["reason"];
  }
  if (isLegal(rule, "halt") && top["continue"] === false) {
    found.push({ kind: "halt", reason: top["stopReason"] });
    delete top["continue"];
    delete top["stopReason"];
  }
  if (found.length === 0) return [{ kind: "raw", fields }];
  const { hookEventName: _name, ...others } = specific;
  const left = { ...top, ...(Object.keys(others).length > 0 ? { hookSpecificOutput: others } : {}) };
  return [
    ...(found as readonly Answer[]),
    ...(Object.keys(left).length > 0 ? [{ kind: "raw", fields: left } as const] : []),
  ];
}

function listOf(said: unknown): readonly unknown[] {
  if (said === undefined || said === null) return [];
  return Array.isArray(said) ? said.filter((one) => one !== undefined && one !== null) : [said];
}

const needs: Readonly<Record<AnswerKind, (answer: Readonly<Record<string, unknown>>) => boolean>> = {
  allow: () => true,
  ask: () => true,
  deny: () => true,
  defer: () => true,
  block: () => true,
  halt: () => true,
  denyPermission: () => true,
  // A name that is not one of these would approve what the user was asked about, and not what the author meant.
  approvePermission: ({ kind: _kind, input, rules, ...others }) =>
    Object.keys(others).length === 0 &&
    (input === undefined || isObject(input)) &&
    (rules === undefined || Array.isArray(rules)),
  retry: () => true,
  context: ({ text }) => typeof text === "string",
  systemMessage: ({ text }) => typeof text === "string",
  updateInput: ({ input }) => isObject(input) && !(input instanceof Promise),
  patchInput: ({ part }) => isObject(part) && !(part instanceof Promise),
  updateOutput: () => true,
  mapOutput: ({ map }) => typeof map === "function",
  sessionTitle: ({ title }) => typeof title === "string",
  watchPaths: ({ paths }) => Array.isArray(paths) && paths.every((path) => typeof path === "string"),
  initialUserMessage: ({ text }) => typeof text === "string",
  display: ({ text }) => typeof text === "string",
  elicit: ({ action }) => action === "accept" || action === "decline" || action === "cancel",
  // The last line on stdout is the path.
  worktree: ({ path }) => typeof path === "string" && path !== "" && !/[\r\n]/.test(path),
  raw: ({ fields }) => isObject(fields),
};

/** By its shape: an answer may come from another copy of this package. */
function isAnswer(value: unknown): value is Answer {
  if (!isObject(value)) return false;
  const kind = value["kind"];
  return typeof kind === "string" && Object.hasOwn(needs, kind) && needs[kind as AnswerKind](value);
}

/** A refusal and a question always have words. */
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

function whyNot(answer: Answer, rule: EventRule, event: string, handler: string): AppWarning | undefined {
  if (!isLegal(rule, answer.kind)) {
    const legal = [...rule.legal, "systemMessage", "raw"].join(", ");
    const message = `${handler}: ${answer.kind} has no meaning on ${event} and was dropped. Legal there: ${legal}.`;
    return { code: "illegal-answer", message };
  }
  if (answer.kind !== "allow" || (typeof answer.reason === "string" && answer.reason.trim() !== "")) return undefined;
  const message = `${handler}: allow() without a reason is no opinion. Return nothing for "no objection", or give a reason to skip the permission prompt.`;
  return { code: "allow-without-reason", message };
}

function lengthOf(answer: Answer, event: string, handler: string): readonly AppWarning[] {
  if ((answer.kind !== "context" && answer.kind !== "systemMessage") || answer.text.length <= longText) return [];
  const message = `${handler}: a ${answer.kind} of ${answer.text.length} characters on ${event}; hosts put texts over ${longText} into a file.`;
  return [{ code: "long-text", message, handler }];
}

function describe(value: unknown): string {
  if (isObject(value)) return `an object with the keys ${Object.keys(value).join(", ") || "(none)"}`;
  return Array.isArray(value) ? "a list in a list" : `a ${typeof value}`;
}
