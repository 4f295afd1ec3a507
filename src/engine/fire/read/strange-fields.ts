import { isObject, nearest, outputShapes, specificShapes, type Warning } from "../../../protocol/internal.ts";
import type { HookRun } from "../fire.ts";
import { type ReadAnswer, warn } from "./read-verdict.ts";

type Json = Readonly<Record<string, unknown>>;

/** The answer, with a warning about fields that look like a known one and are not, or that stand where they do not count. */
export function noted(read: ReadAnswer, value: Json, run: HookRun, subject: string): ReadAnswer {
  const specific = isObject(value["hookSpecificOutput"]) ? value["hookSpecificOutput"] : {};
  const told = [
    ...misspelt(value, Object.keys(outputShapes), "", run, subject),
    ...misspelt(specific, Object.keys(specificShapes), "hookSpecificOutput.", run, subject),
    ...misplaced(read, value, run, subject),
  ];
  return { answer: read.answer, warnings: told.length === 0 ? read.warnings : [...read.warnings, ...told] };
}

function misspelt(
  value: Json,
  known: readonly string[],
  prefix: string,
  run: HookRun,
  subject: string,
): readonly Warning[] {
  const names = Object.keys(value).slice(0, mostCompared);
  return names.flatMap((name) => {
    const near = known.includes(name) ? undefined : nearest(name, known);
    if (near === undefined) return [];
    return [warn(run, "output-invalid", `${subject} ${prefix}${name}, which no answer has. Did you mean "${near}"?`)];
  });
}

/** More fields than an answer has: what a hook prints may not hold up its host. */
const mostCompared = 1_000;

/** An answer of the event that was written next to `hookSpecificOutput`; a denial that was read there has its own warning. */
function misplaced({ warnings }: ReadAnswer, value: Json, run: HookRun, subject: string): readonly Warning[] {
  if (warnings.some(({ code }) => code === "output-repaired")) return [];
  const names = run.event.row.answers.filter(
    (name) => Object.hasOwn(value, name) && !Object.hasOwn(outputShapes, name),
  );
  return names.map((name) =>
    warn(run, "output-ignored", `${subject} ${name} at the top of the object. It counts in hookSpecificOutput only.`),
  );
}
