import {
  closestName,
  eventOutputShapes,
  type HookOutput,
  hookOutputShapes,
  isObject,
  type OutputShape,
  showValue,
  type Warning,
} from "../../../protocol/internal.ts";
import type { HookRun } from "../fire.ts";
import { type ReadAnswer, warn } from "./read-verdict.ts";

type Json = Readonly<Record<string, unknown>>;

/** Describes the first field with an invalid value; undefined when the object has exactly the shape that the protocol allows. */
export function outputFault(value: Json): string | undefined {
  const [top] = faultsIn(value, hookOutputShapes, "");
  if (top !== undefined) return top.why;
  const specific = (value as HookOutput).hookSpecificOutput;
  return specific === undefined
    ? undefined
    : faultsIn({ ...specific }, eventOutputShapes, "hookSpecificOutput.")[0]?.why;
}

/** The object without its invalid fields, and what is wrong with each of them. */
export function withoutFaults(value: Json): { readonly value: Json; readonly faults: readonly string[] } {
  const top = faultsIn(value, hookOutputShapes, "");
  const kept = without(value, top);
  const specific = kept["hookSpecificOutput"];
  if (!isObject(specific)) return { value: kept, faults: top.map(({ why }) => why) };
  const inner = faultsIn(specific, eventOutputShapes, "hookSpecificOutput.");
  return {
    value: { ...kept, hookSpecificOutput: without(specific, inner) },
    faults: [...top, ...inner].map(({ why }) => why),
  };
}

interface Fault {
  readonly key: string;
  readonly why: string;
}

function faultsIn(value: Json, shapes: Readonly<Record<string, OutputShape>>, prefix: string): readonly Fault[] {
  const faults: Fault[] = [];
  for (const key in shapes) {
    const shape = shapes[key];
    if (shape === undefined || !Object.hasOwn(value, key)) continue;
    const field = value[key];
    if (!fits(field, shape)) {
      faults.push({ key, why: `${prefix}${key} must be ${describe(shape)}, not ${showValue(field)}` });
    }
  }
  return faults;
}

function without(value: Json, faults: readonly Fault[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !faults.some((fault) => fault.key === key)));
}

function fits(value: unknown, shape: OutputShape): boolean {
  return typeof shape === "string" ? shapes[shape].fits(value) : typeof value === "string" && shape.includes(value);
}

function describe(shape: OutputShape): string {
  return typeof shape === "string" ? shapes[shape].words : shape.map((word) => `"${word}"`).join(", ");
}

interface Shape {
  readonly words: string;
  fits(value: unknown): boolean;
}

const shapes: Readonly<Record<Extract<OutputShape, string>, Shape>> = {
  text: { words: "a string", fits: isText },
  flag: { words: "true or false", fits: (value) => typeof value === "boolean" },
  number: { words: "a number", fits: (value) => typeof value === "number" },
  object: { words: "an object", fits: isObject },
  texts: { words: "a list of strings", fits: (value) => Array.isArray(value) && value.every(isText) },
  "permission-answer": { words: "an object with behavior allow or deny", fits: isPermissionAnswer },
  anything: { words: "anything", fits: () => true },
};

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isPermissionAnswer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = value;
  return (
    (behavior === "allow" || behavior === "deny") &&
    (message === undefined || typeof message === "string") &&
    (interrupt === undefined || typeof interrupt === "boolean") &&
    (updatedInput === undefined || isObject(updatedInput)) &&
    (updatedPermissions === undefined || Array.isArray(updatedPermissions))
  );
}

/** The answer, with a warning for each field that is misspelled or in the wrong object. */
export function withFieldWarnings(read: ReadAnswer, value: Json, run: HookRun, subject: string): ReadAnswer {
  const specific = isObject(value["hookSpecificOutput"]) ? value["hookSpecificOutput"] : {};
  const found = [
    ...misspelledFields(value, Object.keys(hookOutputShapes), "", run, subject),
    ...misspelledFields(specific, Object.keys(eventOutputShapes), "hookSpecificOutput.", run, subject),
    ...misplacedFields(read, value, run, subject),
  ];
  return { answer: read.answer, warnings: found.length === 0 ? read.warnings : [...read.warnings, ...found] };
}

function misspelledFields(
  value: Json,
  known: readonly string[],
  prefix: string,
  run: HookRun,
  subject: string,
): readonly Warning[] {
  const names = Object.keys(value).slice(0, maxComparedFields);
  return names.flatMap((name) => {
    const near = known.includes(name) ? undefined : closestName(name, known);
    if (near === undefined) return [];
    return [warn(run, "output-invalid", `${subject} ${prefix}${name}, which no answer has. Did you mean "${near}"?`)];
  });
}

/** Far more fields than an answer has: a huge object must not block the host. */
const maxComparedFields = 1_000;

/** Fields of `hookSpecificOutput` that were written next to it. A denial that was read there has its own warning. */
function misplacedFields({ warnings }: ReadAnswer, value: Json, run: HookRun, subject: string): readonly Warning[] {
  if (warnings.some(({ code }) => code === "output-repaired")) return [];
  const names = run.event.row.answers.filter(
    (name) => Object.hasOwn(value, name) && !Object.hasOwn(hookOutputShapes, name),
  );
  return names.map((name) =>
    warn(run, "output-ignored", `${subject} ${name} at the top of the object. It counts in hookSpecificOutput only.`),
  );
}
