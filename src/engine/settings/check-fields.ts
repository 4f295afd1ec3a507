import {
  type CallbackHook,
  closestName,
  type Field,
  type Fields,
  type FunctionHook,
  fileHookTypes,
  groupFields,
  hookFields,
  inProcessFields,
  isObject,
  showValue,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";

type Values = Readonly<Record<string, unknown>>;

/** What is wrong with a value, and where inside it. */
export interface Fault {
  /** Such as `timeout` or `headers.Accept`; empty for the value as a whole. */
  readonly field: string;
  readonly why: string;
}

/** A warning about a key of a settings file. `at` is the path of the key. */
export function warningAt(code: WarningCode, file: string, at: string, text: string): Warning {
  return { code, message: `${at} in ${file} ${text}`, place: `${file}: ${at}` };
}

/**
 * The first fault of a value from a file, compared with its field.
 *
 * The schemas in `schema/` have the same rules (a test compares them), but cost more to load than an idle engine may.
 */
export function faultOf(value: unknown, field: Field, at = ""): Fault | undefined {
  if (value === undefined) return field.optional ? undefined : { field: at, why: "is missing" };
  if (value === null && field.nullable) return undefined;
  const shown = () => (holdsSecrets.test(at) ? kindOf(value) : showValue(value));
  const mustBe = (wanted: string): Fault => ({ field: at, why: `must be ${wanted}, not ${shown()}` });
  switch (field.is) {
    case "text":
      if (typeof value !== "string") return mustBe("a string");
      if (field.of === undefined || field.open || field.of.includes(value)) return undefined;
      return mustBe(field.of.map((word) => JSON.stringify(word)).join(" or "));
    case "number":
      if (typeof value !== "number") return mustBe("a number");
      if (value === Number.POSITIVE_INFINITY) return mustBe("finite");
      return field.above === undefined || value > field.above ? undefined : mustBe(`above ${field.above}`);
    case "flag":
      return typeof value === "boolean" ? undefined : mustBe("true or false");
    case "list":
      if (!Array.isArray(value)) return mustBe("a list");
      return firstFound(value.entries(), ([index, item]) => faultOf(item, field.of, below(at, index)));
    case "object":
      return isObject(value) ? objectFault(value, field, at) : mustBe("an object");
    case "either":
      if (field.of.some((option) => faultOf(value, option) === undefined)) return undefined;
      return { field: at, why: `cannot be ${shown()}` };
    case "anything":
      return undefined;
  }
}

/** Values at these paths may be secrets, and warnings are shown and logged. */
const holdsSecrets = /(?:^|\.)(?:env|headers)(?:\.|$)/;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The first fault among the named fields of an object. */
export function fieldsFault(value: Values, fields: Fields, at = ""): Fault | undefined {
  return firstFound(Object.entries(fields), ([name, field]) => faultOf(ownValue(value, name), field, below(at, name)));
}

/** Why an entry of a file is not valid; undefined when it is. */
export function hookFault(entry: unknown): Fault | undefined {
  if (!isObject(entry)) return { field: "", why: `must be an object, not ${showValue(entry)}` };
  const type = ownValue(entry, "type");
  const known = fileHookTypes.find((name) => name === type);
  const fault = fieldsFault(entry, known === undefined ? { type: { is: "text" } } : { ...hookFields[known] });
  if (fault?.why === "is missing") return { ...fault, why: missing(entry, fault.field) };
  return fault ?? (known === undefined ? { field: "type", why: unknownType(String(type)) } : undefined);
}

function missing(value: Values, name: string): string {
  const [near] = misspelledKeys(value, [name]);
  return near === undefined ? "is missing" : `is missing; ${showValue(near.key)} looks like it`;
}

/** Why a group is not valid. `withPolicy` is the group with a valid failure policy. */
export function groupFault(value: unknown, withPolicy: Values): Fault | undefined {
  if (!isObject(value)) return { field: "", why: `must be an object, not ${showValue(value)}` };
  const hooks = ownValue(value, "hooks");
  if (hooks === undefined && value["type"] !== undefined)
    return { field: "", why: 'is a hook where a group is expected; wrap it as { "hooks": [ … ] }' };
  const { hooks: _, ...own } = groupFields;
  const fault = fieldsFault(withPolicy, own);
  if (fault !== undefined || Array.isArray(hooks)) return fault;
  return {
    field: "hooks",
    why: hooks === undefined ? missing(value, "hooks") : `must be a list, not ${showValue(hooks)}`,
  };
}

function unknownType(type: string): string {
  if (type === "callback" || type === "function")
    return `cannot be ${showValue(type)} in a file; a program registers those`;
  const near = closestName(type, fileHookTypes);
  return `is unknown: ${showValue(type)}${near ? `. Did you mean ${showValue(near)}?` : `; known are ${fileHookTypes.join(", ")}`}`;
}

/** In-process hooks come from a program: types may have been ignored, and an instance of a class inherits its methods. */
export function inProcessFault(hook: CallbackHook | FunctionHook): Fault | undefined {
  const fields = inProcessFields[hook.type];
  const given: Values = Object.fromEntries(Object.keys(fields).map((name) => [name, Reflect.get(hook, name)]));
  if (typeof given[hook.type] !== "function") return { field: hook.type, why: "must be a function" };
  return fieldsFault(given, fields);
}

/** Never what an object inherits: `toString` is not a setting. */
export function ownValue(object: Values, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function objectFault(
  value: Values,
  { fields = {}, values }: Extract<Field, { is: "object" }>,
  at: string,
): Fault | undefined {
  const named = fieldsFault(value, fields, at);
  if (named !== undefined || values === undefined) return named;
  const others = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  return firstFound(others, (name) => faultOf(value[name], values, below(at, name)));
}

/** The first thing that `find` finds in one of the items. */
export function firstFound<Item, Found>(
  items: Iterable<Item>,
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function below(at: string, name: string | number): string {
  return at === "" ? String(name) : `${at}.${name}`;
}

/**
 * The keys of an object that are not known but look like a known one: other case, `_` or `-`, or one or two letters off. Other unknown
 * keys may be anything.
 */
export function misspelledKeys(
  value: Values,
  known: readonly string[],
): readonly { readonly key: string; readonly meant: string }[] {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length === 0) return [];
  const names = known.map((name) => [name, lettersOf(name)] as const);
  return unknown.slice(0, maxCompared).flatMap((key) => {
    const meant = meantBy(key, names, value);
    return meant === undefined ? [] : [{ key, meant }];
  });
}

/** More unknown keys than people write: a hostile file may not make the start slow. */
const maxCompared = 1_000;

function meantBy(
  key: string,
  known: readonly (readonly [name: string, letters: string])[],
  value: Values,
): string | undefined {
  // People turn a key into a note in this way: `_timeout`, `//timeout`, `$comment`.
  if (/^[_/#$]/.test(key) || key.length > maxKeyLength) return undefined;
  const typed = lettersOf(key);
  for (const edits of [0, 1, 2]) {
    const meant = known.find(([name, letters]) => {
      // `comment` next to `command` is a key of its own.
      const isTaken = edits === 2 && Object.hasOwn(value, name);
      return edits <= maxEdits(name) && !isTaken && isWithin(typed, letters, edits);
    });
    if (meant !== undefined) return meant[0];
  }
  return undefined;
}

/** Longer than every known key. */
const maxKeyLength = 60;

/** Short names are often one letter apart: `id` is not a misspelled `if`. */
function maxEdits(name: string): number {
  return Math.min(2, Math.floor(name.length / 3));
}

/** A key without what people confuse: case and separators. */
export function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[\s_.-]+/g, "");
}

/** Whether at most this many letters must be changed, added, removed or swapped with their neighbor to make the texts equal. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  if (same === a.length && same === b.length) return true;
  if (edits === 0) return false;
  const [x, y] = [a.slice(same), b.slice(same)];
  const isSwapped = x.length > 1 && x[0] === y[1] && x[1] === y[0];
  return (
    isWithin(x.slice(1), y.slice(1), edits - 1) ||
    isWithin(x.slice(1), y, edits - 1) ||
    isWithin(x, y.slice(1), edits - 1) ||
    (isSwapped && isWithin(x.slice(2), y.slice(2), edits - 1))
  );
}
