import { hookKeys, warningAt } from "./check-fields.ts";
import { type checkHooks, checkMisplaced, type HooksSource, type Rows } from "./check-hooks.ts";

/** Hooks next to `hooks` instead of below it. Other unknown keys may be anything; these were meant to run. */
export function misplacedHooks(
  value: Readonly<Record<string, unknown>>,
  source: HooksSource,
  rows: Rows,
): Pick<ReturnType<typeof checkHooks>, "warnings" | "unusable"> {
  const misplaced = keysAboutHooks(value, rows).filter(({ key }) => key !== "hooks");
  const found = misplaced.map(({ key, meant }) => {
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const text = `is not read: hooks are found under "hooks" only. Write ${form}.`;
    const checked = checkMisplaced({ [key]: value[key] }, "", source, rows);
    return { ...checked, warnings: [warningAt("hook-invalid", source.file, key, text), ...checked.warnings] };
  });
  return {
    warnings: found.flatMap(({ warnings }) => warnings),
    unusable: found.flatMap(({ unusable }) => unusable),
  };
}

/** The keys of a file that are, or were meant to be, hooks. */
export function keysAboutHooks(value: Readonly<Record<string, unknown>>, rows: Rows): ReturnType<typeof hookKeys> {
  return hookKeys(value, Object.keys(rows)).filter(
    ({ key, meant }) => meant === "hooks" || Object.hasOwn(rows, key) || Array.isArray(value[key]),
  );
}
