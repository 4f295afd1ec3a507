import { isAbsolute } from "node:path";
import type { HookOutput, OutcomeOutput, Verdict, Warning } from "../../../protocol/index.ts";
import type { HookRun } from "../fire.ts";
import { permissionOutput } from "./permission-answer.ts";
import { warn } from "./read-verdict.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type SpecificOutput = NonNullable<HookOutput["hookSpecificOutput"]>;

/** The event-specific answers of an exact object: those the row honours; the others draw a warning. */
export function outputOf(
  output: HookOutput,
  verdict: Verdict,
  run: HookRun,
): { output: OutcomeOutput; warnings: readonly Warning[] } {
  const specific = output.hookSpecificOutput;
  const permission = permissionOutput(output, verdict, run);
  const action =
    verdict.kind === "deny" && run.event.row.answers.includes("action") ? { action: "decline" as const } : {};
  if (specific === undefined) return { output: { ...permission.output, ...action }, warnings: permission.warnings };

  const result: Mutable<OutcomeOutput> = { ...permission.output };
  const warnings: Warning[] = [...permission.warnings];
  for (const [name, value] of Object.entries(specific)) {
    if (value === undefined || !(taken.has(name) || name in takers || name in readElsewhere)) continue;
    const why = notHonoured(name as keyof SpecificOutput, run);
    if (why !== undefined) warnings.push(warn(run, "output-ignored", `${name} was dropped: ${why}`));
    else if (taken.has(name)) Object.assign(result, { [name]: specific[name as keyof SpecificOutput] });
    else takers[name]?.(result, specific, run, warnings);
  }
  return { output: { ...result, ...action }, warnings };
}

/** Read by the verdict, the rewritten input and the texts. */
const readElsewhere: Readonly<Record<string, true>> = {
  additionalContext: true,
  permissionDecision: true,
  updatedInput: true,
  decision: true,
};

function notHonoured(name: string, { event: { row, payload }, hook: { ref } }: HookRun): string | undefined {
  if (!row.answers.some((answer) => answer === name)) {
    // The verdict has already said that it does not know the word.
    return name === "permissionDecision" ? undefined : `${row.name} does not honour it`;
  }
  const when = row.special.honouredWhen?.[name as keyof NonNullable<typeof row.special.honouredWhen>];
  if (when !== undefined && !when(payload)) return `${row.name} does not honour it here`;
  if (name === "worktreePath" && ref.type === "command") return "a command hook's stdout is the path";
  return undefined;
}

type Taker = (result: Mutable<OutcomeOutput>, specific: SpecificOutput, run: HookRun, warnings: Warning[]) => void;

/** Answers that are taken as they are. */
const taken: ReadonlySet<string> = new Set<keyof OutcomeOutput & keyof SpecificOutput>([
  "initialUserMessage",
  "sessionTitle",
  "reloadSkills",
  "suppressOriginalPrompt",
  "displayContent",
  "retry",
  "updatedToolOutput",
  "worktreePath",
  "action",
  "content",
]);

/** How the value of any other answer gets into the outcome's `output`. */
const takers: Readonly<Record<string, Taker>> = {
  watchPaths: takeWatchPaths,
  updatedMCPToolOutput: (result, { updatedMCPToolOutput: value }) => {
    result.updatedToolOutput ??= value;
  },
  classifierContext: (result, { classifierContext: text }) => {
    if (text !== undefined) result.classifierContext = text.slice(0, classifierUnits);
  },
};

const classifierUnits = 2_000;

function takeWatchPaths(
  result: Mutable<OutcomeOutput>,
  { watchPaths = [] }: SpecificOutput,
  run: HookRun,
  warnings: Warning[],
): void {
  result.watchPaths = watchPaths.filter((path) => isAbsolute(path));
  for (const path of watchPaths.filter((path) => !isAbsolute(path))) {
    warnings.push(warn(run, "output-ignored", `watchPaths must be absolute; "${path}" was dropped`));
  }
}
