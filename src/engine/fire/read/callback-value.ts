import {
  eventOutputFields,
  hookOutputFields,
  isObject,
  messageOf,
  showValue,
  type ToolInput,
  type Verdict,
} from "../../../protocol/internal.ts";
import type { RunnerResult } from "../../runners/runner-result.ts";
import type { HookRun } from "../firing-event.ts";
import { type ExactAnswer, readExact } from "./event-fields.ts";
import { specificOf, withFieldWarnings } from "./exact-shape.ts";
import { decisions, failureBlocks, honoured, noAnswer, type ReadAnswer, warn } from "./read-verdict.ts";
import { recoverRestriction } from "./salvage.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * What a callback returned: nothing, a verdict, or the JSON a command would have printed. What was meant as an answer and cannot be
 * read as one is a failure, and a restriction in it still counts. Contract: never throws, whatever the value.
 */
export function readReturned(ran: RunnerResult, value: unknown, run: HookRun): ReadAnswer {
  if (value === undefined || value === null) return { answer: noAnswer, warnings: [] };
  try {
    const read = readValue(ran, value, run);
    // Other hooks and rules judge a rewritten input as JSON.
    JSON.stringify(read.answer.input);
    return read;
  } catch (error) {
    // A field that throws when it is read, or an input with a circle.
    return failed(ran, `returned an object that cannot be read: ${messageOf(error).split("\n")[0]}`, run);
  }
}

function readValue(ran: RunnerResult, value: unknown, run: HookRun): ReadAnswer {
  if (!isObject(value)) return restrictionIn(value, run) ?? failed(ran, "returned a value that is not an object", run);
  const read = readObject(ran, value, run);
  const { verdict, stop, failure } = read.answer;
  const restricts = stop !== undefined || (verdict.kind !== "allow" && verdict.kind !== "none");
  if (!hidesContent(value) || restricts || failure !== undefined) return read;
  return failed(ran, `returned a value of type ${typeName(value)}, which is not an answer; return a plain object`, run);
}

function readObject(ran: RunnerResult, value: Json, run: HookRun): ReadAnswer {
  // An instance of a class may inherit it.
  if ("kind" in value) return readVerdict(ran, value, run);
  const exact = readExact(value, run);
  const invalid = "invalid" in exact ? exact.invalid : nothingKnownIn(value);
  const unknown = unknownIn(value);
  const withWarnings = (read: ReadAnswer) => withFieldWarnings(read, value, run, `${nameOf(run)} returned`);
  if (!("invalid" in exact) && decides(exact)) {
    const isExact = exact.answer.verdict.kind !== "allow" || unknown.length === 0;
    return isExact ? withWarnings(exact) : failed(ran, inexactAllow(unknown), run);
  }
  const repaired = repair(value, invalid, run);
  if (repaired !== undefined) return withWarnings(repaired);
  if ("invalid" in exact || invalid !== undefined)
    return failed(ran, `returned an object that cannot be used: ${invalid}`, run);
  if (unknown.length > 0 && Object.hasOwn(value, "reason") && !Object.hasOwn(value, "decision")) {
    const why = `returned a reason without a decision, and ${unknown.map(showValue).join(", ")}, which no answer has`;
    return withWarnings(failed(ran, why, run));
  }
  const read = withWarnings(exact);
  if (exact.unknownWord === undefined || !failureBlocks(run)) return read;
  const failure = `returned an unknown decision ${showValue(exact.unknownWord)}`;
  return { answer: { ...noAnswer, failure }, warnings: read.warnings };
}

/** A `Set`, a `Response`, a generator, an instance with getters only: what it means may be in none of its fields. */
function hidesContent(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  // A plain object, which in another realm has another `Object.prototype`.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return false;
  return Object.keys(value).length === 0 || [Map, Set, Date, Error].some((type) => value instanceof type);
}

function typeName(value: object): string {
  // The constructor of a generator has no name, and an object may have no constructor.
  const type: unknown = value.constructor;
  return (typeof type === "function" && type.name) || Object.prototype.toString.call(value).slice(8, -1);
}

/** Next to an unknown decision, only a restriction counts. */
function decides({ answer: { verdict }, unknownWord }: ExactAnswer): boolean {
  if (unknownWord === undefined) return verdict.kind !== "none";
  return verdict.kind === "deny" || verdict.kind === "ask";
}

/** An object with `kind` is meant as a verdict and as nothing else. */
function readVerdict(ran: RunnerResult, value: Json, run: HookRun): ReadAnswer {
  const unusable = (why: string): ReadAnswer =>
    repair(value, why, run) ?? failed(ran, `returned a verdict that cannot be used: ${why}`, run);
  const kind = decisions.find((known) => known === value["kind"]);
  if (kind === undefined) {
    const known = decisions.map((decision) => `"${decision}"`).join(", ");
    return unusable(`kind ${showValue(value["kind"])} is unknown; it is ${known}`);
  }
  const { reason, input } = value;
  const mayRewrite = kind === "allow" || kind === "ask";
  if (mayRewrite && input !== undefined && !isObject(input))
    return unusable(`input must be an object, not ${showValue(input)}`);
  const unknown = Object.keys(value).filter((name) => !["kind", "reason", "input"].includes(name));
  if (kind === "allow" && unknown.length > 0) return failed(ran, inexactAllow(unknown), run);
  if (kind === "none") return { answer: noAnswer, warnings: [] };
  const { verdict, warnings } = honoured(kind, typeof reason === "string" ? reason : undefined, run);
  const { answers } = run.event.row;
  const takes = mayRewrite && input !== undefined && (answers.includes("updatedInput") || answers.includes("decision"));
  const answer = { verdict, ...(takes ? { input: input as ToolInput } : {}) };
  if (reason === undefined || typeof reason === "string") return { answer, warnings };
  const dropped = warn(run, "output-invalid", `The reason of a verdict is a string, not ${showValue(reason)}.`);
  return { answer, warnings: [...warnings, dropped] };
}

/** An allow must be exact: the field may have been meant to change the input. */
function inexactAllow(unknown: readonly string[]): string {
  return `returned an allow with ${unknown.map(showValue).join(", ")}, which no such answer has`;
}

/** Names of fields that no answer has, in the object and in its part for the event. */
function unknownIn(value: Json): readonly string[] {
  return [
    ...Object.keys(value).filter((name) => !Object.hasOwn(hookOutputFields, name)),
    ...Object.keys(specificOf(value)).filter((name) => !Object.hasOwn(eventOutputFields, name)),
  ];
}

/** `{ knd: "deny" }`: the name of an unknown field that contains the decision. */
function misspelledDecision(value: Json): string | undefined {
  const all: Json = { ...specificOf(value), ...value };
  const names = unknownIn(value);
  return (
    names.find((name) => all[name] === "deny" || all[name] === "block") ?? names.find((name) => all[name] === "ask")
  );
}

/** A denial or a question that can be read out of a value with a fault. */
function repair(value: Json, why: string | undefined, run: HookRun): ReadAnswer | undefined {
  const decisionName = ["kind", "behavior"].find((name) => value[name] != null) ?? misspelledDecision(value);
  const found = recoverRestriction(value, run, decisionName);
  if (found === undefined) return undefined;
  const { verdict, spelling } = found;
  return repaired(verdict, why ?? `it was returned as ${spelling}`, run);
}

function repaired(verdict: Verdict, why: string, run: HookRun): ReadAnswer {
  const message = `${nameOf(run)} returned a value with a fault; its ${verdict.kind} still counts (${why}).`;
  return { answer: { verdict }, warnings: [warn(run, "output-repaired", message)] };
}

/** A denial in a list of answers, or in a text; else another restriction, unless the failure itself denies. */
function restrictionIn(value: unknown, run: HookRun): ReadAnswer | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value.flat(maxNesting) : [value];
  const what = Array.isArray(value) ? "a list" : "a text";
  const found = items.flatMap((item) => {
    if (isObject(item)) return repair(item, `it was in ${what}; return one object`, run) ?? [];
    const verdict = recoverRestriction(item, run)?.verdict;
    return verdict === undefined ? [] : [repaired(verdict, `it was in ${what}; return one object`, run)];
  });
  return found.find(({ answer }) => answer.verdict.kind === "deny") ?? (failureBlocks(run) ? undefined : found[0]);
}

const maxNesting = 10;

/** Names of the wire are many, and an object that has none of them was meant as something else. */
function nothingKnownIn(value: Json): string | undefined {
  const names = Object.keys(value);
  if (names.length === 0 || names.some((name) => Object.hasOwn(hookOutputFields, name))) return undefined;
  return `it has no field of an answer, only ${names.slice(0, 5).map(showValue).join(", ")}`;
}

function failed(ran: RunnerResult, why: string, run: HookRun): ReadAnswer {
  const failure = ran.failure ?? why;
  return { answer: { ...noAnswer, failure }, warnings: [warn(run, "output-invalid", `${nameOf(run)} ${why}.`)] };
}

function nameOf({ hook: { ref } }: HookRun): string {
  return `Hook ${ref.name}`;
}
