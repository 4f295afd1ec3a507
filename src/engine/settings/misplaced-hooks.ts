import { isObject } from "../../protocol/internal.ts";
import { ownValue, warningAt } from "./check-fields.ts";
import { type checkHooks, checkMisplaced, type HooksSource, type Rows } from "./check-hooks.ts";
import { isAboutFailure, looksLikeOnFailure, wantsBlock } from "./failure-policy.ts";
import { findHooks, type HooksKey } from "./find-hooks.ts";
import { findRules } from "./find-rules.ts";

type Values = Readonly<Record<string, unknown>>;

/** Hooks in a place where none are read. Other unknown keys may be anything; these were meant to run. */
export function misplacedHooks(
  value: Values,
  source: HooksSource,
  rows: Rows,
): Pick<ReturnType<typeof checkHooks>, "warnings" | "unusable"> & { readonly reported: ReadonlySet<string> } {
  const { hooks } = value;
  const keys = misplacedKeys(value, rows);
  const found = keys.map((key) => {
    const { meant, at } = key;
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const text = `is not read: hooks are found under "hooks" only. Write ${form}.`;
    const checked = checkMisplaced([key], source, rows);
    return { ...checked, warnings: [warningAt("hook-invalid", source.file, at, text), ...checked.warnings] };
  });
  return {
    warnings: found.flatMap(({ warnings }) => warnings),
    unusable: found.flatMap(({ unusable }) => unusable),
    reported: new Set([
      ...keys.map(({ top }) => top),
      ...Object.keys(value).filter((key) => isSame(value[key], hooks)),
    ]),
  };
}

/** The keys of a file that are, contain, or were meant to be, hooks or rules. With hooks, those with a failure policy too. */
export function keysAboutHooks(value: Values, rows: Rows): readonly string[] {
  const misplaced = new Set(misplacedKeys(value, rows).map(({ top }) => top));
  const hasHooks = misplaced.size > 0 || Object.hasOwn(value, "hooks");
  const isPolicy = (key: string, given: unknown) =>
    isAboutFailure(key, given) || looksLikeOnFailure(key, given) || wantsBlock(given, { file: "", event: "", at: key });
  const isAbout = ([key, given]: readonly [string, unknown]) =>
    key === "hooks" ||
    misplaced.has(key) ||
    (hasHooks && isPolicy(key, given)) ||
    findRules(key, key, given).length > 0;
  return Object.entries(value).flatMap((entry) => (isAbout(entry) ? [entry[0]] : []));
}

/**
 * What is next to `hooks`: keys that mean hooks or an event there, and those with hooks further down, as in `metadata.hooks`. Not what
 * is in effect as well: in YAML an alias repeats it.
 */
function misplacedKeys(value: Values, rows: Rows): readonly HooksKey[] {
  const { hooks, ...others } = value;
  const counts = (key: string, meant: string) => meant === "hooks" || Object.hasOwn(rows, key);
  const found = findHooks(others, "", new Set(Object.keys(rows)), counts);
  return found.filter(({ meant, inside }) => {
    const used = meant === "hooks" ? hooks : isObject(hooks) ? ownValue(hooks, meant) : undefined;
    return !isSame(inside, used);
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
