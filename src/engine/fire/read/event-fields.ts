import { isAbsolute } from "node:path";
import type {
  HookAnswerRecord,
  HookOutput,
  OutcomeOutput,
  ToolInput,
  Verdict,
  Warning,
} from "../../../protocol/internal.ts";
import { terminalSequenceAllowed } from "../../safe-text/display-text.ts";
import type { HookRun } from "../fire.ts";
import { outputFault } from "./exact-shape.ts";
import { permissionOutput } from "./permission-answer.ts";
import { type ReadAnswer, verdictOf, warn } from "./read-verdict.ts";

/** An object read by the event's row; `invalid` names the field when it is not exactly what the wire allows. */
export function readExact(value: Readonly<Record<string, unknown>>, run: HookRun): ExactAnswer | { invalid: string } {
  const invalid = outputFault(value) ?? wrongName(value as HookOutput, run);
  if (invalid !== undefined) return { invalid };
  const output = value as HookOutput;
  const { verdict, warnings, unknownWord } = verdictOf(output, run);
  const specific = outputOf(output, verdict, run);
  const sequence = terminalSequence(output, run);
  const answer: HookAnswerRecord = {
    verdict,
    ...inputOf(output, verdict.kind, run),
    ...textsOf(output, verdict.kind, run),
    ...stopOf(output, specific.output.permission?.interrupt === true),
    output: { ...specific.output, ...sequence.output },
  };
  const all = [...warnings, ...droppedRewrite(output, verdict.kind, run), ...specific.warnings, ...sequence.warnings];
  return { answer, warnings: all, ...(unknownWord === undefined ? {} : { unknownWord }) };
}

export interface ExactAnswer extends ReadAnswer {
  /** A top-level `decision` that no event knows. */
  readonly unknownWord?: string;
}

/** Answers count only under the event's own name; where the row honours none at all, the object is merely ignored. */
function wrongName({ hookSpecificOutput: specific }: HookOutput, { event: { row } }: HookRun): string | undefined {
  if (specific === undefined || row.answers.length === 0 || specific.hookEventName === row.name) return undefined;
  if (specific.hookEventName === undefined) return "hookSpecificOutput.hookEventName is missing";
  return `hookSpecificOutput.hookEventName must be "${row.name}", not "${specific.hookEventName}"`;
}

function inputOf(output: HookOutput, decision: string, { event: { row } }: HookRun): { input?: ToolInput } {
  // A deferred call is kept as the model made it.
  if (decision === "defer") return {};
  const specific = output.hookSpecificOutput;
  if (row.answers.includes("updatedInput") && specific?.updatedInput) return { input: specific.updatedInput };
  const answer = row.answers.includes("decision") ? specific?.decision : undefined;
  return answer?.behavior === "allow" && answer.updatedInput ? { input: answer.updatedInput } : {};
}

function droppedRewrite(output: HookOutput, decision: string, run: HookRun): readonly Warning[] {
  if (decision !== "defer" || output.hookSpecificOutput?.updatedInput === undefined) return [];
  const message = "updatedInput next to defer does not count: the call is kept as the model made it.";
  return [warn(run, "rewrite-ignored", message)];
}

function textsOf(
  output: HookOutput,
  decision: string,
  { event: { row, payload } }: HookRun,
): Pick<HookAnswerRecord, "context" | "messages"> {
  const context: string[] = [];
  const added = output.hookSpecificOutput?.additionalContext;
  if (added?.trim() && row.answers.includes("additionalContext") && decision !== "defer") context.push(added);
  const message = output.systemMessage?.trim() ? output.systemMessage : undefined;
  const forModel = message !== undefined && row.special.messageIsContext?.(payload) === true;
  if (forModel) context.push(message);
  return {
    ...(context.length > 0 ? { context } : {}),
    ...(message !== undefined && !forModel ? { messages: [message] } : {}),
  };
}

function stopOf(output: HookOutput, interrupted: boolean): Pick<HookAnswerRecord, "stop"> {
  if (output.continue !== false && !interrupted) return {};
  return { stop: output.stopReason?.trim() ? { reason: output.stopReason } : {} };
}

function terminalSequence(
  output: HookOutput,
  run: HookRun,
): { output: { terminalSequence?: string }; warnings: Warning[] } {
  const sequence = output.terminalSequence;
  if (sequence === undefined) return { output: {}, warnings: [] };
  if (terminalSequenceAllowed(sequence)) return { output: { terminalSequence: sequence }, warnings: [] };
  const message =
    "terminalSequence may hold titles (OSC 0, 1, 2), notices (OSC 9, 99, 777) and BEL only; it was dropped";
  return { output: {}, warnings: [warn(run, "terminal-sequence-dropped", message)] };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type SpecificOutput = NonNullable<HookOutput["hookSpecificOutput"]>;

/** The event-specific answers of an exact object: those the row honours; the others draw a warning. */
function outputOf(
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
    const why = ignoredReason(name as keyof SpecificOutput, run);
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

function ignoredReason(name: string, { event: { row, payload }, hook: { ref } }: HookRun): string | undefined {
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
