import { isObject } from "../../protocol/internal.ts";
import { misspelledKeys, warningAt } from "./check-fields.ts";
import { type checkHooks, checkMisplaced, type HooksSource, type Rows } from "./check-hooks.ts";

/** Hooks next to `hooks` instead of below it. Other unknown keys may be anything; these were meant to run. */
export function misplacedHooks(
  value: Readonly<Record<string, unknown>>,
  source: HooksSource,
  rows: Rows,
): Pick<ReturnType<typeof checkHooks>, "warnings" | "unusable"> {
  const events = Object.keys(value).filter((key) => Object.hasOwn(rows, key));
  const misspelled = misspelledKeys(value, ["hooks", ...Object.keys(rows)]).filter(
    ({ key, meant }) => meant === "hooks" || Array.isArray(value[key]),
  );
  const found = [...events.map((key) => ({ key, meant: key })), ...misspelled].map(({ key, meant }) => {
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const text = `is not read: hooks are found under "hooks" only. Write ${form}.`;
    const inside = meant === "hooks" ? value[key] : { [key]: value[key] };
    const checked = isObject(inside) ? checkMisplaced(inside, meant === "hooks" ? key : "", source, rows) : nothing;
    return { ...checked, warnings: [warningAt("hook-invalid", source.file, key, text), ...checked.warnings] };
  });
  return {
    warnings: found.flatMap(({ warnings }) => warnings),
    unusable: found.flatMap(({ unusable }) => unusable),
  };
}

const nothing = { warnings: [], unusable: [] } as const;
