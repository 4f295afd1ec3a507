import { resolve, win32 } from "node:path";
import {
  commonFields,
  defined,
  didYouMean,
  type EventRow,
  type Field,
  isObject,
  Problem,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";

/** A payload of any event. */
export type AnyPayload = Readonly<Record<string, unknown>>;

/**
 * A payload as hooks get it: common fields first and in order, then the event's own as the host sent them. `olderFields` adds the older
 * spellings `working_directory` and `home_directory` for hooks that still read them.
 */
export function completePayload(
  row: EventRow,
  given: AnyPayload,
  session: string,
  options: { readonly cwd: string; readonly home: string; readonly olderFields: boolean },
): AnyPayload {
  const { cwd, home, olderFields } = options;
  const payload: Record<string, unknown> = {
    session_id: given["session_id"] ?? session,
    transcript_path: given["transcript_path"] ?? "",
    cwd: absoluteFrom(cwd, given["cwd"] ?? given["working_directory"]),
  };
  for (const name of laterNames) if (given[name] !== undefined) payload[name] = given[name];
  payload["hook_event_name"] = row.name;
  for (const name in given) if (!leftOut.has(name) && !Object.hasOwn(payload, name)) payload[name] = given[name];
  if (olderFields) {
    payload["working_directory"] = payload["cwd"];
    payload["home_directory"] = home;
  }
  return payload;
}

/** A folder that a host gives as `.` or `sub` counts from the start folder: rules, conditions and hooks must all mean the same one. */
export function absoluteFrom(start: string, cwd: unknown): unknown {
  if (cwd === undefined || cwd === null) return start;
  return typeof cwd !== "string" || win32.isAbsolute(cwd) ? cwd : resolve(start, cwd);
}

/** Older names, whose values are passed on under the current ones, and the one that would change what the payload inherits. */
const leftOut: ReadonlySet<string> = new Set(["working_directory", "home_directory", "__proto__"]);

/** Common fields after the first three, which `completePayload` always sets, and before the event's name. */
const laterNames: readonly string[] = Object.keys(commonFields).slice(
  3,
  Object.keys(commonFields).indexOf("hook_event_name"),
);

/** Throws when a field that the engine itself reads is wrong; other missing fields are a warning. */
export function checkPayload(row: EventRow, given: AnyPayload): readonly Warning[] {
  if (!isObject(given)) throw badPayload(row, `The payload of ${row.name} must be a JSON object.`);
  const { needed, expected } = expectationsOf(row);
  for (const [name, field] of needed) {
    const value = given[name];
    if (value === undefined && !row.special.onTool) continue;
    const isObjectField = field.is === "object";
    if (isObjectField ? isObject(value) : typeof value === "string") continue;
    if (value === undefined) throw badPayload(row, `${name} is missing; ${row.name} needs it.`, name);
    const found = JSON.stringify(value)?.slice(0, 60);
    throw badPayload(
      row,
      `${name} of ${row.name} must be ${isObjectField ? "an object" : "a string"}, not ${found}.`,
      name,
    );
  }
  const missing = expected.filter((name) => given[name] === undefined);
  const warnings = missing.length === 0 ? noWarnings : [incomplete(row, missing)];
  const { permission_mode: mode } = given;
  return mode === undefined || knownModes.has(mode) ? warnings : [...warnings, unknownMode(row, mode)];
}

const noWarnings: readonly Warning[] = [];

/** `manual` is an alias of `default`. */
const knownModes: ReadonlySet<unknown> = new Set([...commonFields.permission_mode.of, "manual"]);

function unknownMode(row: EventRow, mode: unknown): Warning {
  const what = `permission_mode of ${row.name} is ${showValue(mode)}, which is not a permission mode; rules use "default".`;
  const hint = typeof mode === "string" ? didYouMean(mode, commonFields.permission_mode.of) : "";
  return { code: "mode-unknown", message: `${what}${hint}`, place: "permission_mode" };
}

interface Expectations {
  /** Fields the engine itself looks at. */
  readonly needed: readonly (readonly [string, Field])[];
  readonly expected: readonly string[];
}

/** Worked out once per row: payloads are checked before every event. */
const expectations = new WeakMap<EventRow, Expectations>();

function expectationsOf(row: EventRow): Expectations {
  const known = expectations.get(row);
  if (known !== undefined) return known;
  const matched = row.matchesOn === null ? [] : [row.matchesOn.field];
  const names = row.special.onTool ? ["tool_name", "tool_input", ...matched] : matched;
  const own = Object.keys(row.fields).filter(
    (name) => !row.fields[name]?.optional && !(row.special.endsTurn && mayBeMissing.has(name)),
  );
  const found: Expectations = {
    needed: [...new Set(names)].map((name) => [name, row.fields[name] ?? { is: "text" }]),
    expected: ["transcript_path", ...own],
  };
  expectations.set(row, found);
  return found;
}

/** At the end of a turn: the engine counts continuations itself when the host does not, and many hosts have no background tasks or scheduled prompts. */
const mayBeMissing: ReadonlySet<string> = new Set(["stop_hook_active", "background_tasks", "session_crons"]);

function incomplete(row: EventRow, missing: readonly string[]): Warning {
  const message = `The payload of ${row.name} is missing ${missing.join(", ")}; hooks that use them will see undefined.`;
  return { code: "payload-incomplete", message, place: missing.join(", ") };
}

function badPayload(row: EventRow, message: string, field?: string): Problem {
  return new Problem("event/bad-payload", message, { about: { event: row.name, ...defined({ field }) } });
}
