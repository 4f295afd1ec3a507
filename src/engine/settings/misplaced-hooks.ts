import { warningAt } from "./check-fields.ts";
import { type checkHooks, checkMisplaced, type HooksSource, type Rows } from "./check-hooks.ts";
import { isAboutFailure, looksLikeOnFailure } from "./failure-policy.ts";
import { findHooks, type HooksKey } from "./find-hooks.ts";

type Values = Readonly<Record<string, unknown>>;

/** Hooks in a place where none are read. Other unknown keys may be anything; these were meant to run. */
export function misplacedHooks(
  value: Values,
  source: HooksSource,
  rows: Rows,
): Pick<ReturnType<typeof checkHooks>, "warnings" | "unusable"> {
  const found = misplacedKeys(value, rows).map((key) => {
    const { meant, at } = key;
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const text = `is not read: hooks are found under "hooks" only. Write ${form}.`;
    const checked = checkMisplaced([key], source, rows);
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
  const isPolicy = (key: string, given: unknown) => isAboutFailure(key, given) || looksLikeOnFailure(key, given);
  const found = Object.entries(value).filter(
    ([key, given]) => key === "hooks" || misplaced.has(key) || isPolicy(key, given),
  );
  return found.map(([key]) => key);
}

/** What is next to `hooks`: keys that mean hooks or an event there, and those with hooks further down, as in `metadata.hooks`. */
function misplacedKeys(value: Values, rows: Rows): readonly HooksKey[] {
  const { hooks: _, ...others } = value;
  return findHooks(
    others,
    "",
    new Set(Object.keys(rows)),
    (key, meant, inside) => meant === "hooks" || Object.hasOwn(rows, key) || Array.isArray(inside),
  );
}
