import {
  closestName,
  eventOutputFields,
  type Fields,
  hookOutputFields,
  isObject,
  type Warning,
} from "../../../protocol/internal.ts";
import { type Fault, faultOf } from "../../settings/check-fields.ts";
import type { HookRun } from "../firing-event.ts";
import { type ReadAnswer, warn } from "./read-verdict.ts";

type Json = Readonly<Record<string, unknown>>;

/** Describes the first field with an invalid value; undefined when the object has exactly the shape that the protocol allows. */
export function outputFault(value: Json): string | undefined {
  const fault = firstFault(value);
  return fault && inWords(fault);
}

/** The object without its invalid fields, and what is wrong with each of them. */
export function withoutFaults(value: Json): { readonly value: Json; readonly faults: readonly string[] } {
  const fault = firstFault(value);
  if (fault === undefined) return { value, faults: [] };
  const rest = withoutFaults(withoutField(value, fault.field.split(".")));
  return { value: rest.value, faults: [inWords(fault), ...rest.faults] };
}

function firstFault(value: Json): Fault | undefined {
  return faultIn(value, hookOutputFields, "") ?? faultIn(specificOf(value), eventOutputFields, "hookSpecificOutput.");
}

export function specificOf({ hookSpecificOutput: specific }: Json): Json {
  return isObject(specific) ? specific : {};
}

function faultIn(value: Json, fields: Fields, prefix: string): Fault | undefined {
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined || !Object.hasOwn(value, name)) continue;
    const at = prefix + name;
    // Only a callback can return it: what was meant to be there may restrict the call.
    const isEmpty = value[name] === undefined && field.is !== "anything";
    const fault = isEmpty ? { field: at, why: "must not be undefined" } : faultOf(value[name], field, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function inWords({ field, why }: Fault): string {
  return `${field} ${why}`;
}

/** An answer in `hookSpecificOutput` is dropped as a whole. */
function withoutField(value: Json, [name = "", answer]: readonly string[]): Json {
  const { [name]: given, ...rest } = value;
  if (answer === undefined || !isObject(given)) return rest;
  return { ...rest, [name]: withoutField(given, [answer]) };
}

/** The answer, with a warning for each field that is misspelled or in the wrong object. */
export function withFieldWarnings(read: ReadAnswer, value: Json, run: HookRun, subject: string): ReadAnswer {
  const misspelled = (object: Json, fields: Fields, prefix: string): readonly Warning[] =>
    Object.keys(object)
      .slice(0, maxComparedFields)
      .flatMap((name) => {
        const near = Object.hasOwn(fields, name) ? undefined : closestName(name, Object.keys(fields));
        const message = `${subject} ${prefix}${name}, which no answer has. Did you mean "${near}"?`;
        return near === undefined ? [] : [warn(run, "output-invalid", message)];
      });
  const found = [
    ...misspelled(value, hookOutputFields, ""),
    ...misspelled(specificOf(value), eventOutputFields, "hookSpecificOutput."),
    ...misplacedFields(read, value, run, subject),
  ];
  return { answer: read.answer, warnings: found.length === 0 ? read.warnings : [...read.warnings, ...found] };
}

/** Far more fields than an answer has: a huge object must not block the host. */
const maxComparedFields = 1_000;

/** Fields of `hookSpecificOutput` that were written next to it. A denial that was read there has its own warning. */
function misplacedFields({ warnings }: ReadAnswer, value: Json, run: HookRun, subject: string): readonly Warning[] {
  if (warnings.some(({ code }) => code === "output-repaired")) return [];
  const names = run.event.row.answers.filter(
    (name) => Object.hasOwn(value, name) && !Object.hasOwn(hookOutputFields, name),
  );
  return names.map((name) =>
    warn(run, "output-ignored", `${subject} ${name} at the top of the object. It counts in hookSpecificOutput only.`),
  );
}
