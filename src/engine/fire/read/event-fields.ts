import { isAbsolute } from "node:path";
import {
  each,
  type Fields,
  type HookAnswerRecord,
  type HookOutput,
  isObject,
  type OutcomeOutput,
  type PermissionUpdate,
  type ToolInput,
  type Verdict,
  type WarningCode,
} from "../../../protocol/internal.ts";
import { terminalSequenceAllowed } from "../../safe-text/display-text.ts";
import { fieldsFault } from "../../settings/check-fields.ts";
import type { HookRun } from "../firing-event.ts";
import { outputFault } from "./exact-shape.ts";
import { type ReadAnswer, verdictOf, warn } from "./read-verdict.ts";

/** An object read by the event's row; `invalid` names the field when it is not exactly what the wire allows. */
export function readExact(value: Readonly<Record<string, unknown>>, run: HookRun): ExactAnswer | { invalid: string } {
  const given = value as HookOutput;
  const invalid = outputFault(value) ?? wrongName(given, run);
  if (invalid !== undefined) return { invalid };
  const { verdict, unknownWord, ...read } = verdictOf(given, run);
  const warnings = [...read.warnings];
  const report: ReportWarning = (code, message) => void warnings.push(warn(run, code, message));
  const input = inputOf(given, verdict.kind, run, report);
  const specific = outputOf(given, verdict, run, report);
  const answer: HookAnswerRecord = {
    verdict,
    ...input,
    ...textsOf(given, verdict.kind, run),
    ...stopOf(given, specific.permission?.interrupt === true),
    output: { ...specific, ...terminalSequence(given, report) },
  };
  return { answer, warnings, ...(unknownWord === undefined ? {} : { unknownWord }) };
}

export interface ExactAnswer extends ReadAnswer {
  /** A top-level `decision` that no event knows. */
  readonly unknownWord?: string;
}

/** Adds a warning about the hook. */
type ReportWarning = (code: WarningCode, message: string) => void;

/** Answers count only under the event's own name; where the row honors none at all, the object is merely ignored. */
function wrongName({ hookSpecificOutput: specific }: HookOutput, { event: { row } }: HookRun): string | undefined {
  if (specific === undefined || row.answers.length === 0 || specific.hookEventName === row.name) return undefined;
  if (specific.hookEventName === undefined) return "hookSpecificOutput.hookEventName is missing";
  return `hookSpecificOutput.hookEventName must be "${row.name}", not "${specific.hookEventName}"`;
}

function inputOf(output: HookOutput, decision: string, run: HookRun, report: ReportWarning): { input?: ToolInput } {
  const { answers } = run.event.row;
  const specific = output.hookSpecificOutput;
  if (decision === "defer") {
    const message = "updatedInput next to defer does not count: the call is kept as the model made it.";
    if (specific?.updatedInput !== undefined) report("rewrite-ignored", message);
    return {};
  }
  if (answers.includes("updatedInput") && specific?.updatedInput) return { input: specific.updatedInput };
  const answer = answers.includes("decision") ? specific?.decision : undefined;
  return answer?.behavior === "allow" && answer.updatedInput ? { input: answer.updatedInput } : {};
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
  { terminalSequence }: HookOutput,
  report: ReportWarning,
): Pick<OutcomeOutput, "terminalSequence"> {
  if (terminalSequence === undefined) return {};
  if (terminalSequenceAllowed(terminalSequence)) return { terminalSequence };
  const message =
    "terminalSequence may hold titles (OSC 0, 1, 2), notices (OSC 9, 99, 777) and BEL only; it was dropped";
  report("terminal-sequence-dropped", message);
  return {};
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type SpecificOutput = NonNullable<HookOutput["hookSpecificOutput"]>;

/** The event-specific answers of an exact object: those the row honors; the others draw a warning. */
function outputOf(output: HookOutput, verdict: Verdict, run: HookRun, report: ReportWarning): OutcomeOutput {
  const { answers } = run.event.row;
  const result: Mutable<OutcomeOutput> = {};
  if (answers.includes("decision")) Object.assign(result, permissionOutput(output, verdict, run, report));
  const specific: Partial<SpecificOutput> = output.hookSpecificOutput ?? {};
  for (const [name, value] of Object.entries(specific)) {
    const take = Object.hasOwn(takers, name) ? takers[name] : undefined;
    if (value === undefined || take === undefined) continue;
    const why = ignoredReason(name, run);
    if (why !== undefined) report("output-ignored", `${name} was dropped: ${why}`);
    else if (take === "same") Object.assign(result, { [name]: value });
    else if (take !== "elsewhere") take(result, specific, report);
  }
  if (verdict.kind === "deny" && answers.includes("action")) result.action = "decline";
  return result;
}

function ignoredReason(name: string, { event: { row, payload }, hook: { ref } }: HookRun): string | undefined {
  if (!row.answers.some((answer) => answer === name)) {
    // The verdict has its own warning for an unknown decision.
    return name === "permissionDecision" ? undefined : `${row.name} does not honor it`;
  }
  const when = row.special.honouredWhen?.[name as keyof NonNullable<typeof row.special.honouredWhen>];
  if (when !== undefined && !when(payload)) return `${row.name} does not honor it here`;
  if (name === "worktreePath" && ref.type === "command") return "a command hook's stdout is the path";
  return undefined;
}

type Taker = (result: Mutable<OutcomeOutput>, specific: Partial<SpecificOutput>, report: ReportWarning) => void;

/** How an answer gets into the outcome's `output`: the `same` value, or `elsewhere` by the verdict, the input and the texts. */
const takers: Readonly<Record<string, Taker | "same" | "elsewhere">> = {
  ...each("elsewhere", "additionalContext", "permissionDecision", "updatedInput", "decision"),
  ...each("same", "initialUserMessage", "sessionTitle", "reloadSkills", "suppressOriginalPrompt"),
  ...each("same", "displayContent", "retry", "updatedToolOutput", "worktreePath", "action", "content"),
  watchPaths: (result, { watchPaths = [] }, report) => {
    result.watchPaths = watchPaths.filter((path) => isAbsolute(path));
    for (const path of watchPaths.filter((path) => !isAbsolute(path)))
      report("output-ignored", `watchPaths must be absolute; "${path}" was dropped`);
  },
  updatedMCPToolOutput: (result, { updatedMCPToolOutput: value }) => {
    result.updatedToolOutput ??= value;
  },
  classifierContext: (result, { classifierContext: text = "" }) => {
    result.classifierContext = text.slice(0, classifierUnits);
  },
} satisfies Partial<Record<keyof SpecificOutput, Taker | "same" | "elsewhere">>;

const classifierUnits = 2_000;

/** `output.permission` of an event that answers for the user. */
function permissionOutput(
  { hookSpecificOutput: specific }: HookOutput,
  verdict: Verdict,
  run: HookRun,
  report: ReportWarning,
): Pick<OutcomeOutput, "permission"> {
  const answer = specific?.decision;
  if (verdict.kind === "deny") {
    const interrupt = answer?.behavior === "deny" && answer.interrupt === true ? { interrupt: true } : {};
    return { permission: { behavior: "deny", message: verdict.reason, ...interrupt } };
  }
  if (verdict.kind !== "allow") return {};
  const wanted = answer?.behavior === "allow" ? (answer.updatedPermissions ?? []) : [];
  // Each entry is checked alone; a bad one is dropped with a warning and the others stay.
  const updates = wanted.filter((entry, index): entry is PermissionUpdate => {
    const fault = faultOfUpdate(entry, run);
    if (fault === undefined) return true;
    report("permission-update-invalid", `updatedPermissions[${index}] was dropped: ${fault}`);
    return false;
  });
  return { permission: { behavior: "allow", ...(updates.length > 0 ? { updatedPermissions: updates } : {}) } };
}

function faultOfUpdate(entry: unknown, { event, hook }: HookRun): string | undefined {
  if (!isObject(entry)) return "it is not an object";
  const fields = updateFields.get(entry["type"]);
  if (fields === undefined) return `type ${JSON.stringify(entry["type"])} is not known`;
  const fault = fieldsFault(entry, fields);
  if (fault !== undefined) return `${fault.field} ${fault.why}`;
  const update = entry as PermissionUpdate;
  if (update.destination === "userSettings" && checkoutLayers.has(hook.layer.kind)) {
    return "a hook of the project may not write the user's settings";
  }
  switch (update.type) {
    case "setMode":
      if (update.mode !== "bypassPermissions") return undefined;
      if (update.destination !== "session") return "bypassPermissions is never stored";
      return event.services.options.bypassAvailable ? undefined : "the host does not offer bypassPermissions";
    case "addDirectories":
    case "removeDirectories":
      return update.directories.every((path) => isAbsolute(path)) ? undefined : "directories must be absolute paths";
    default:
      return update.rules.some(({ toolName }) => toolName === "") ? "a toolName must not be empty" : undefined;
  }
}

const checkoutLayers: ReadonlySet<string> = new Set(["project", "local", "skill", "agent"]);

const destination = { is: "text", of: ["session", "localSettings", "projectSettings", "userSettings"] } as const;
const ruleFields: Fields = { toolName: { is: "text" }, ruleContent: { is: "text", optional: true } };
const rulesUpdate: Fields = {
  destination,
  behavior: { is: "text", of: ["allow", "ask", "deny"] },
  rules: { is: "list", of: { is: "object", fields: ruleFields } },
};
const directoriesUpdate: Fields = { destination, directories: { is: "list", of: { is: "text" } } };

const updateFields: ReadonlyMap<unknown, Fields> = new Map<PermissionUpdate["type"], Fields>([
  ["addRules", rulesUpdate],
  ["replaceRules", rulesUpdate],
  ["removeRules", rulesUpdate],
  ["setMode", { destination, mode: { is: "text" } }],
  ["addDirectories", directoriesUpdate],
  ["removeDirectories", directoriesUpdate],
]);
