import { closeSync, existsSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  commonFields,
  didYouMean,
  eventNames,
  eventRow,
  handlersThatNeverRun,
  isEventName,
  isObject,
  messageOf,
} from "../../protocol/internal.ts";
import {
  type AppWarning,
  appRuntime,
  defaultDeadline,
  endSharedProcess,
  loadApp,
  startWatchdog,
  type Watchdog,
  withStdoutRedirected,
} from "../../sdk/internal.ts";
import { fixtures, type TestResult, testClient } from "../../sdk/testing/index.ts";
import type { Io } from "../command-line/command.ts";

/** A test case as data: an event, and the expected values of the result. */
export interface HookCase {
  /** Default: the name of the file. */
  readonly name?: string;
  readonly event: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

type SentEvent = Omit<HookCase, "name" | "expect">;

/** The cases of a file, one object or a list, or why they cannot be read. `caseError` checks each of them. */
async function readCases(file: string): Promise<readonly unknown[] | string> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return Array.isArray(value) ? value : [value];
  } catch (error) {
    return `The cases in ${file} cannot be read: ${messageOf(error)}`;
  }
}

/** The error for an event that neither the catalog nor the app knows; undefined when one of them does. */
export function unknownEventError(event: string, app: unknown): string | undefined {
  const known = [...eventNames, ...handledEvents(app).map((one) => one.event)];
  if (known.includes(event)) return undefined;
  return `Unknown event "${event}", and no handler is registered for it.${didYouMean(event, known)}`;
}

/** The error for a case with an unknown field, without a required one, or with a value of the wrong type. */
function caseError(one: HookCase): string | undefined {
  const unknown = Object.keys(one).find((key) => !caseFields.includes(key));
  if (unknown !== undefined) return unknownField(unknown, "a case", caseFields);
  if (typeof one.event !== "string") return "a case requires event, the name of an event";
  if (!isObject(one.expect)) return "a case requires expect, an object with fields of the answer";
  if (one.tool !== undefined && typeof one.tool !== "string") return "tool must be a string";
  return one.input === undefined || isObject(one.input) ? undefined : "input must be an object";
}

const caseFields: readonly string[] = [
  "name",
  "event",
  "tool",
  "input",
  "expect",
] satisfies readonly (keyof HookCase)[];

/** One line per failure of a case; none when it passes. */
export function failuresOf({ expect }: HookCase, result: TestResult): readonly string[] {
  const wanted = Object.entries(expect);
  if (wanted.length === 0) return ["expect is empty; add at least a decision"];
  const facts = JSON.parse(JSON.stringify(result)) as Readonly<Record<string, unknown>>;
  const differences = wanted.flatMap(([field, value]) => {
    if (!fields.includes(field)) return [unknownField(field, "an answer", fields)];
    if (isDeepStrictEqual(facts[field], value)) return [];
    return [`${field} is ${JSON.stringify(facts[field])}, expected ${JSON.stringify(value)}`];
  });
  return differences.length > 0 ? differences : failedGuard(expect, result);
}

/** The same rule as in programs: a refusal by a failure is expected only by a case that has its reason. */
function failedGuard({ decision, blocked, reason }: HookCase["expect"], result: TestResult): readonly string[] {
  if (reason !== undefined || (decision !== "deny" && blocked !== true)) return [];
  try {
    if (decision === "deny") result.expectDenied();
    else result.expectBlocked();
    return [];
  } catch (error) {
    return [`${messageOf(error).split("\n", 1)[0]}. To expect a failure, add its reason.`];
  }
}

/** The fields that a case can expect. */
const fields: readonly string[] = [
  "event",
  "decision",
  "blocked",
  "reason",
  "continue",
  "stopReason",
  "updatedInput",
  "additionalContext",
  "systemMessages",
  "output",
  "warnings",
  "wire",
  "stdout",
  "stderr",
  "exitCode",
  "trace",
] satisfies readonly (keyof TestResult)[];

function unknownField(field: string, where: string, known: readonly string[]): string {
  return `Unknown field "${field}" in ${where}.${didYouMean(field, known)}`;
}

/** A sentence for each field of a payload that the event does not have. An event that the catalog does not know may have any field. */
export function unknownPayloadFields({ event, tool, input }: SentEvent): readonly string[] {
  // With a tool, the input is that of the tool, which can have any field.
  if (tool !== undefined || !isEventName(event)) return [];
  const { fields, special } = eventRow(event);
  const known = [...Object.keys(fields), ...Object.keys(commonFields)];
  const unknown = Object.keys(isObject(input) ? input : {}).filter((field) => !known.includes(field));
  const advice = special.onTool ? ` For the input of a tool, name the tool: ${event}:Bash.` : "";
  return unknown.map((field) => `${unknownField(field, `a payload of ${event}`, known)}${advice}`);
}

/** Sends an event. With a tool, the input is that of the tool; else its fields replace those of a recorded payload. */
export async function sendEvent({ event, tool, input }: SentEvent, app: unknown, cwd: string): Promise<TestResult> {
  const changes = tool === undefined ? input : { tool_name: tool, ...(input ? { tool_input: input } : {}) };
  // Not `send`, which refuses an unknown field: here it is a warning, and the case runs.
  const payload = isEventName(event) ? { ...fixtures[event](), cwd } : { session_id: "test", hook_event_name: event };
  const watchdog = endBlockedRun(event, app);
  try {
    return await testClient(app, { cwd }).raw({ ...payload, ...changes });
  } finally {
    watchdog.stop();
  }
}

/** A handler that blocks the event loop past its deadline ends the whole run, since no code of this thread could stop it. */
function endBlockedRun(event: string, app: unknown): Watchdog {
  const ms = handledEvents(app).find((one) => one.event === event)?.deadlineMs ?? defaultDeadline(event);
  const line = `hookline: A handler of ${event} blocked the event loop for longer than ${ms} ms. The run ends here.\n`;
  const onLate = () => {
    writeSync(2, line);
    closeSync(2); // Node would print a message about the debugger
    endSharedProcess(3);
  };
  const warn = (text: string) => process.stderr.write(`hookline: ${text}\n`);
  return startWatchdog({ ms, onLate, failure: () => ({ texts: [[2, line]], exitCode: 3 }), warn });
}

/** The result of a case. It passes when there are no faults. */
export interface CaseResult {
  readonly file: string;
  readonly name: string;
  readonly event: string;
  readonly faults: readonly string[];
  /** Undefined when the event could not be sent. */
  readonly result?: TestResult;
  /** The file cannot be read. */
  readonly isBroken?: true;
  /** A sentence for each field of its payload that the event does not have. */
  readonly unknownFields?: readonly string[];
}

/** Runs cases one after another, in the order of the files. A file that cannot be read is one failed case. */
export async function* runCases(files: readonly string[], app: unknown, cwd: string): AsyncGenerator<CaseResult> {
  for (const file of files) {
    const cases = await readCases(file);
    if (typeof cases === "string") {
      yield { file, name: basename(file), event: "", faults: [cases], isBroken: true };
      continue;
    }
    for (const [at, one] of cases.entries()) {
      const hookCase = (isObject(one) ? one : {}) as unknown as HookCase;
      const { name = basename(file), event } = hookCase;
      const error = caseError(hookCase);
      if (error !== undefined) {
        yield { file, name, event: String(event ?? ""), faults: [`Case ${at + 1} of ${basename(file)}: ${error}`] };
        continue;
      }
      const unknownFields = unknownPayloadFields(hookCase);
      yield { file, name, event, unknownFields, ...(await runCase(hookCase, app, cwd)) };
    }
  }
}

async function runCase(one: HookCase, app: unknown, cwd: string): Promise<Pick<CaseResult, "faults" | "result">> {
  const fault = unknownEventError(one.event, app);
  if (fault !== undefined) return { faults: [fault] };
  const result = await sendEvent(one, app, cwd);
  return { faults: failuresOf(one, result), result };
}

/** Loads the app of a hooks file for the test client. */
export async function loadExport(file: string, io: Io): Promise<unknown> {
  const inside = await loadApp(file, { env: io.env, cwd: io.cwd });
  return { [Symbol.for("hookline.app")]: inside };
}

/** Warnings about handlers that never run. */
export function appWarnings(app: unknown): readonly AppWarning[] {
  return handledEvents(app)
    .flatMap(({ event, ids }) => handlersThatNeverRun(event, ids))
    .map((message) => ({ code: "never-runs", message }));
}

function handledEvents(app: unknown) {
  return appRuntime(app)?.describe() ?? [];
}

/** The warnings about a hooks file that tests import themselves; none when it does not exist. */
export async function fileWarnings(file: string, io: Io): Promise<readonly AppWarning[]> {
  if (!existsSync(resolve(io.cwd, file))) return [];
  try {
    return appWarnings(await loadExport(file, io));
  } catch (error) {
    return [{ code: "app-failed", message: messageOf(error) }];
  }
}

/** Redirects stdout to stderr until `work` is done, so that what an app prints is not mixed with a JSON result. */
export function stdoutToStderr<Value>(work: () => Promise<Value>): Promise<Value> {
  return withStdoutRedirected(process.stdout, process.stderr, work);
}
