import { isObject } from "../../protocol/internal.ts";
import { hookKeys, ownValue, warningAt } from "./check-fields.ts";
import { type checkHooks, checkMisplaced, type HooksSource, type Rows } from "./check-hooks.ts";
import { isAboutFailure, looksLikeOnFailure } from "./failure-policy.ts";

type Values = Readonly<Record<string, unknown>>;

/** Hooks in a place where none are read. Other unknown keys may be anything; these were meant to run. */
export function misplacedHooks(
  value: Values,
  source: HooksSource,
  rows: Rows,
): Pick<ReturnType<typeof checkHooks>, "warnings" | "unusable"> {
  const found = misplacedKeys(value, rows).map(({ below, key, meant, inside }) => {
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const text = `is not read: hooks are found under "hooks" only. Write ${form}.`;
    const checked = checkMisplaced({ [key]: inside }, below, source, rows);
    const at = below === "" ? key : `${below}.${key}`;
    return { ...checked, warnings: [warningAt("hook-invalid", source.file, at, text), ...checked.warnings] };
  });
  return {
    warnings: found.flatMap(({ warnings }) => warnings),
    unusable: found.flatMap(({ unusable }) => unusable),
  };
}

/** The keys of a file that are, contain, or were meant to be, hooks. With them, those that look like a failure policy. */
export function keysAboutHooks(value: Values, rows: Rows): readonly string[] {
  const misplaced = new Set(misplacedKeys(value, rows).map(({ top }) => top));
  if (misplaced.size === 0 && !Object.hasOwn(value, "hooks")) return [];
  const isAbout = (key: string) => key === "hooks" || misplaced.has(key);
  return Object.keys(value).filter((key) => isAbout(key) || isAboutFailure(key) || looksLikeOnFailure(key));
}

interface MisplacedKey {
  readonly key: string;
  /** `hooks`, or the event. */
  readonly meant: string;
  readonly inside: unknown;
  /** The path of the object that has the key; empty for the file. */
  readonly below: string;
  /** The key of the file that contains it. */
  readonly top: string;
}

function misplacedKeys(value: Values, rows: Rows): readonly MisplacedKey[] {
  const { hooks: _, ...others } = value;
  const here = hookKeys(others, Object.keys(rows)).filter(
    ({ key, meant }) => meant === "hooks" || Object.hasOwn(rows, key) || Array.isArray(value[key]),
  );
  const isHere = (top: string) => here.some(({ key }) => key === top);
  return [
    ...here.map(({ key, meant }) => ({ key, meant, inside: value[key], below: "", top: key })),
    ...Object.keys(others).flatMap((top) => (isHere(top) ? [] : keysInside(value[top], top, rows))),
  ];
}

/** Hooks further down, as in `metadata.hooks`. Contract: handles any depth. */
function keysInside(value: unknown, top: string, rows: Rows): readonly MisplacedKey[] {
  if (isNote.test(top)) return [];
  const found: MisplacedKey[] = [];
  const waiting = [{ value, below: top }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, below } = next;
    if (Array.isArray(value))
      waiting.push(...value.map((item, index) => ({ value: item, below: `${below}[${index}]` })));
    if (!isObject(value)) continue;
    for (const [key, inside] of Object.entries(value)) {
      const isHooks =
        key === "hooks" && isObject(inside) && Object.keys(inside).some((name) => Object.hasOwn(rows, name));
      const isEvent =
        Object.hasOwn(rows, key) &&
        Array.isArray(inside) &&
        inside.some((group) => ownValue(isObject(group) ? group : {}, "hooks") !== undefined);
      if (isHooks || isEvent) found.push({ key, meant: key, inside, below, top });
      else if (!isNote.test(key)) waiting.push({ value: inside, below: `${below}.${key}` });
    }
  }
  return found;
}

/** Hooks are turned into a note or put aside in this way: `_hooks`, `//hooks`, `disabledHooks`. */
const isNote = /^[_/#$]|disabled|inactive|unused|backup|example/i;
