import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { closestName, eventNames, isEventName, isObject, Problem } from "../../protocol/internal.ts";
import { appRuntime } from "../../sdk/internal.ts";
import { type TestClient, type TestResult, testClient } from "../../sdk/testing/index.ts";

/** One case as data: an event, and what the outcome must have. */
export interface HookCase {
  readonly name: string;
  readonly event: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

/** The cases of a file: one object or a list. */
export async function readCases(file: string): Promise<readonly HookCase[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const list = (Array.isArray(value) ? value : [value]) as HookCase[];
    const bad = list.find(
      (one) => typeof one?.event !== "string" || typeof one.expect !== "object" || one.expect === null,
    );
    if (bad !== undefined) throw new Error("a case needs event and expect");
    return list.map((one) => ({ ...one, name: one.name ?? basename(file) }));
  } catch (cause) {
    throw new Problem("cli/bad-input", `${file} holds no cases: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

/** Why nobody can send such an event: neither the catalog nor the app knows it. Undefined when one of them does. */
export function whyUnknown(event: string, app: unknown): string | undefined {
  const known = [...eventNames, ...(appRuntime(app)?.describe() ?? []).map((one) => one.event)];
  if (known.includes(event)) return undefined;
  const near = closestName(event, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `"${event}" is no event, and no handler is for it.${hint}`;
}

/** Why a case would test something else than it says: a word that means nothing in it, or a value of another kind. */
export function whyMistaken(one: HookCase): string | undefined {
  const word = Object.keys(one).find((key) => !words.includes(key));
  if (word !== undefined) {
    const near = closestName(word, words);
    return `"${word}" is no field of a case.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  }
  if (one.tool !== undefined && typeof one.tool !== "string") return "tool must be the name of a tool";
  return one.input === undefined || isObject(one.input) ? undefined : "input must be an object";
}

const words: readonly string[] = ["name", "event", "tool", "input", "expect"] satisfies readonly (keyof HookCase)[];

/** What is wrong with the case or its answer, a line each; none when it holds. */
export function faultsOf({ expect }: HookCase, result: TestResult): readonly string[] {
  const wanted = Object.entries(expect);
  if (wanted.length === 0) return ["it expects nothing; name at least a decision"];
  const facts = asData(result) as Readonly<Record<string, unknown>>;
  return wanted.flatMap(([field, value]) => {
    if (!fields.includes(field)) return [unknownField(field)];
    if (isDeepStrictEqual(facts[field], value)) return [];
    return [`${field} is ${JSON.stringify(facts[field])}, expected ${JSON.stringify(value)}`];
  });
}

/** What a case may speak of. */
const known = [
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
] as const satisfies readonly (keyof TestResult)[];
const fields: readonly string[] = known;

function unknownField(field: string): string {
  const near = closestName(field, fields);
  return `"${field}" is no field of an answer.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}

/** As the file of a case would write it. */
function asData(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** With a tool the input is the tool's, else it is laid over a recorded payload. */
export function sendCase(
  { event, tool, input }: Omit<HookCase, "name" | "expect">,
  client: TestClient,
): Promise<TestResult> {
  const changes = tool === undefined ? input : { tool_name: tool, ...(input ? { tool_input: input } : {}) };
  if (isEventName(event)) return client.send(event, changes as never);
  return client.raw({ session_id: "test", hook_event_name: event, ...changes });
}

/** A case after it was tried. It holds when nothing is wrong with it. */
export interface Tried {
  readonly file: string;
  readonly name: string;
  readonly event: string;
  readonly faults: readonly string[];
  /** Missing when the event could not be sent. */
  readonly result?: TestResult;
}

/** One case after another, in the order of the files. Contract: all files are read before the first is tried. */
export async function* tryCases(files: readonly string[], app: unknown, cwd: string): AsyncGenerator<Tried> {
  const read = await Promise.all(
    files.map(async (file) => (await readCases(file)).map((hookCase) => ({ file, hookCase }))),
  );
  for (const { file, hookCase } of read.flat()) {
    const { name, event } = hookCase;
    yield { file, name, event, ...(await tryOne(hookCase, app, cwd)) };
  }
}

async function tryOne(one: HookCase, app: unknown, cwd: string): Promise<Pick<Tried, "faults" | "result">> {
  const wrong = whyMistaken(one) ?? whyUnknown(one.event, app);
  if (wrong !== undefined) return { faults: [wrong] };
  const result = await sendCase(one, testClient(app, { cwd }));
  return { faults: faultsOf(one, result), result };
}

/** What there is to run below a project's `.claude`: programs for Node's own runner, and cases as data. */
export interface HookTests {
  readonly programs: readonly string[];
  readonly cases: readonly string[];
}

export async function findTests(project: string): Promise<HookTests> {
  const folder = join(project, ".claude");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      // A project without the folder has no tests; the caller says so.
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  const files = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return {
    programs: files.filter(isProgram),
    cases: files.filter((file) => /^hooks-tests[\\/][^\\/]+\.json$/.test(relative(folder, file))),
  };
}

/** The same for files that were named. Contract: a name that is neither is a problem that says what to do. */
export async function namedTests(files: readonly string[]): Promise<HookTests> {
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && (isProgram(file) || file.endsWith(".json"))) continue;
    const why = found === undefined ? "is not there" : found.isFile() ? "is no test" : "is no file";
    const hint = "Tests are called *.test.ts (.mts, .js, .mjs), cases *.json; --hooks names the hooks file.";
    throw new Problem("cli/bad-input", `${file} ${why}. ${hint}`, { about: { file } });
  }
  return { programs: files.filter(isProgram), cases: files.filter((file) => !isProgram(file)) };
}

function isProgram(file: string): boolean {
  return /\.test\.m?[jt]s$/.test(file);
}
