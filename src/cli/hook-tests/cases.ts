import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ignoringErrors } from "../../files/internal.ts";
import {
  closestName,
  eventNames,
  handlersThatNeverRun,
  isEventName,
  isObject,
  messageOf,
  Problem,
} from "../../protocol/internal.ts";
import { type AppWarning, appRuntime, loadApp } from "../../sdk/internal.ts";
import { type TestClient, type TestResult, testClient } from "../../sdk/testing/index.ts";
import type { Io } from "../command-line/command.ts";

/** A test case as data: an event, and the expected values of the result. */
export interface HookCase {
  readonly name: string;
  readonly event: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

/** Reads the cases of a file: one object or a list. */
export async function readCases(file: string): Promise<readonly HookCase[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const list = (Array.isArray(value) ? value : [value]) as HookCase[];
    const bad = list.find(
      (one) => typeof one?.event !== "string" || typeof one.expect !== "object" || one.expect === null,
    );
    if (bad !== undefined) throw new Error("a case requires event and expect");
    return list.map((one) => ({ ...one, name: one.name ?? basename(file) }));
  } catch (cause) {
    throw new Problem("cli/bad-input", `${file} contains no valid cases: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The error for an event that neither the catalog nor the app knows; undefined when one of them does. */
export function unknownEventError(event: string, app: unknown): string | undefined {
  const known = [...eventNames, ...(appRuntime(app)?.describe() ?? []).map((one) => one.event)];
  if (known.includes(event)) return undefined;
  const near = closestName(event, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `Unknown event "${event}", and no handler is registered for it.${hint}`;
}

/** The error for a case with an unknown field or a value of the wrong type. */
export function caseError(one: HookCase): string | undefined {
  const unknown = Object.keys(one).find((key) => !caseFields.includes(key));
  if (unknown !== undefined) return unknownField(unknown, "a case", caseFields);
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
  const facts = asData(result) as Readonly<Record<string, unknown>>;
  return wanted.flatMap(([field, value]) => {
    if (!fields.includes(field)) return [unknownField(field, "an answer", fields)];
    if (isDeepStrictEqual(facts[field], value)) return [];
    return [`${field} is ${JSON.stringify(facts[field])}, expected ${JSON.stringify(value)}`];
  });
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
  const near = closestName(field, known);
  return `Unknown field "${field}" in ${where}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}

/** The value as JSON would contain it. */
function asData(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Sends an event. With a tool, the input is that of the tool; else its fields replace those of a recorded payload. */
export function sendEvent(
  { event, tool, input }: Omit<HookCase, "name" | "expect">,
  client: TestClient,
): Promise<TestResult> {
  const changes = tool === undefined ? input : { tool_name: tool, ...(input ? { tool_input: input } : {}) };
  if (isEventName(event)) return client.send(event, changes as never);
  return client.raw({ session_id: "test", hook_event_name: event, ...changes });
}

/** The result of a case. It passes when there are no faults. */
export interface CaseResult {
  readonly file: string;
  readonly name: string;
  readonly event: string;
  readonly faults: readonly string[];
  /** Undefined when the event could not be sent. */
  readonly result?: TestResult;
}

/** Runs cases one after another, in the order of the files. All files are read before the first case runs. */
export async function* runCases(files: readonly string[], app: unknown, cwd: string): AsyncGenerator<CaseResult> {
  const read = await Promise.all(
    files.map(async (file) => (await readCases(file)).map((hookCase) => ({ file, hookCase }))),
  );
  for (const { file, hookCase } of read.flat()) {
    const { name, event } = hookCase;
    yield { file, name, event, ...(await runCase(hookCase, app, cwd)) };
  }
}

async function runCase(one: HookCase, app: unknown, cwd: string): Promise<Pick<CaseResult, "faults" | "result">> {
  const fault = caseError(one) ?? unknownEventError(one.event, app);
  if (fault !== undefined) return { faults: [fault] };
  const result = await sendEvent(one, testClient(app, { cwd }));
  return { faults: failuresOf(one, result), result };
}

/** The tests of a project: programs for Node's test runner, and cases as data. */
export interface HookTests {
  readonly programs: readonly string[];
  readonly cases: readonly string[];
}

export async function findTests(project: string): Promise<HookTests> {
  const folder = join(project, ".claude");
  // A project without .claude has no tests.
  const entries = await ignoringErrors(["ENOENT"], readdir(folder, { recursive: true, withFileTypes: true }));
  const files = (entries ?? [])
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return {
    programs: files.filter(isProgram),
    cases: files.filter((file) => /^hooks-tests[\\/][^\\/]+\.json$/.test(relative(folder, file))),
  };
}

/** The tests in named files. Throws a `Problem` for a file that is neither a program nor cases. */
export async function namedTests(files: readonly string[]): Promise<HookTests> {
  for (const file of files) {
    const status = await stat(file).catch(() => undefined);
    if (status?.isFile() && (isProgram(file) || file.endsWith(".json"))) continue;
    const why = status === undefined ? "does not exist" : status.isFile() ? "is not a test" : "is not a file";
    const hint = "Tests are named *.test.ts (.mts, .js, .mjs), cases *.json. Use --hooks for the hooks file.";
    throw new Problem("cli/bad-input", `${file} ${why}. ${hint}`);
  }
  return { programs: files.filter(isProgram), cases: files.filter((file) => !isProgram(file)) };
}

function isProgram(file: string): boolean {
  return /\.test\.m?[jt]s$/.test(file);
}

/** Loads the app of a hooks file for the test client. */
export async function loadExport(file: string, io: Io): Promise<unknown> {
  const inside = await loadApp(file, { env: io.env, cwd: io.cwd });
  return { [Symbol.for("hookline.app")]: inside };
}

/** Warnings about handlers that never run. */
export function appWarnings(app: unknown): readonly AppWarning[] {
  const described = appRuntime(app)?.describe() ?? [];
  return described
    .flatMap(({ event, ids }) => handlersThatNeverRun(event, ids))
    .map((message) => ({ code: "never-runs", message }));
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
export async function stdoutToStderr<Value>(work: () => Promise<Value>): Promise<Value> {
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = write;
  }
}
