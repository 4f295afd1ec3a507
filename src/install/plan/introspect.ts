import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { endLeftovers, type FinishedProcess, findLeftovers, runProcess } from "../../exec/internal.ts";
import { defined, Problem, parseObject } from "../../protocol/internal.ts";
import { type HandledEvent, hashInputs } from "../../sdk/internal.ts";
import { permissionFlags, sandboxEnv } from "./sandboxed-load.ts";

export interface IntrospectOptions {
  /** Node and the program that loads the file, to which file and mark are added. */
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  /** The file cannot write, start programs or use the network: for code that is not approved. It must be built before. */
  readonly quiet?: boolean;
  readonly signal?: AbortSignal;
}

/** What an app says about itself. */
export interface AppReport {
  readonly events: readonly HandledEvent[];
  /** The hooks file and everything it imports from its own tree. */
  readonly inputs: readonly string[];
  /** SHA-256 over the inputs, independent of where the folder is. */
  readonly contentHash: string;
  /** What the file printed while it was loaded. */
  readonly prints: string;
}

const tagName = "HOOKLINE_RUN";

/** The program of the installing package that loads a hooks file and reports on it. */
export function introspector({ node, packageRoot }: { readonly node: string; readonly packageRoot: string }): string[] {
  return [node, join(packageRoot, "dist", "install", "plan", "introspect-child.cjs")];
}

/**
 * Loads a hooks file in a process of its own and asks the app what it needs.
 *
 * Contract: ends within the limit, and nothing that the file started outlives it. What is wrong with the file is a `Problem`:
 * `install/syntax`, `install/import`, `install/no-app` or `install/timeout`. An app without handlers has no events.
 */
export async function introspect(file: string, options: IntrospectOptions): Promise<AppReport> {
  const { program, cwd, timeoutMs = 10_000, quiet = false, signal } = options;
  const env = quiet ? sandboxEnv(options.env) : options.env;
  const mark = randomBytes(16).toString("hex");
  const tag = { name: tagName, value: `install-${mark}` };
  const [node = "", ...args] = program;
  const finished = await runProcess(
    {
      form: "exec",
      file: node,
      args: [...(quiet ? permissionFlags() : []), ...args, file, mark, ...(quiet ? ["quiet"] : [])],
    },
    { cwd, env, tag, timeoutMs, input: "", capBytes: 16 * 2 ** 20, ...defined({ signal }) },
  );
  endLeftovers(await findLeftovers(tag.name, tag.value));
  return readReport(file, finished, mark, timeoutMs);
}

function readReport(file: string, finished: FinishedProcess, mark: string, timeoutMs: number): AppReport {
  const { ended, stdout, stderr } = finished;
  const lines = stdout.text.split("\n");
  const line = lines.find((one) => one.startsWith(mark));
  const prints = [...lines.filter((one) => one !== line), ...stderr.text.split("\n")]
    .filter((one) => one !== "")
    .join("\n");
  const problem = (code: LoadProblem, message: string) =>
    new Problem(code, `${message} Nothing was written.`, { about: { file, prints } });
  if (ended.by === "timeout") {
    const message = `${file} did not load within ${timeoutMs / 1_000} s. Move slow work into a handler.`;
    throw problem("install/timeout", message);
  }
  if (line === undefined) throw problem("install/import", `${file} cannot be loaded: ${exitText(finished)}.`);
  const report = reportIn(line.slice(mark.length));
  if (report === undefined) throw problem("install/import", `${file} cannot be loaded: it changes Node's own output.`);
  if ("problem" in report) throw problem(codeOf(report.problem), failureText(report.problem));
  const { events, inputs } = report;
  return { events, inputs, contentHash: contentHashOf(file, inputs), prints };
}

/** Undefined when the file, which runs in the same process, has damaged the report. */
function reportIn(text: string): ChildReport | undefined {
  const report = parseObject(text) as ChildReport | undefined;
  if (report === undefined || "problem" in report) return report;
  return Array.isArray(report.events) && Array.isArray(report.inputs) ? report : undefined;
}

type ChildReport =
  | { readonly events: readonly HandledEvent[]; readonly inputs: readonly string[] }
  | { readonly problem: { readonly code: string; readonly message: string; readonly cause: string } };

type LoadFailure = Extract<ChildReport, { problem: unknown }>["problem"];

type LoadProblem = "install/no-app" | "install/import" | "install/syntax" | "install/timeout";

function codeOf({ code, message, cause }: LoadFailure): Exclude<LoadProblem, "install/timeout"> {
  if (code === "sdk/no-app") return "install/no-app";
  const missing =
    /ERR_(?:MODULE_NOT_FOUND|UNSUPPORTED_DIR_IMPORT|PACKAGE_PATH|UNKNOWN_FILE)|Could not resolve|does not provide an export/;
  if (missing.test(cause) || missing.test(message) || code !== "sdk/no-load") return "install/import";
  // Of the builder's complaints all but those about imports are about syntax; Node shows it by the error's name.
  return /(?:^| )SyntaxError /.test(cause) || /Build failed/.test(cause) ? "install/syntax" : "install/import";
}

function failureText(failure: LoadFailure): string {
  const what = {
    "install/no-app": "does not load",
    "install/syntax": "has a syntax error",
    "install/import": "cannot be imported",
  }[codeOf(failure)];
  const message = failure.message.replace(" does not load: ", ` ${what}: `);
  return /[.?!]$/.test(message) ? message : `${message}.`;
}

function exitText({ ended, stdout }: FinishedProcess): string {
  if (stdout.droppedBytes > 0) return "it prints without end while it is loaded";
  if (ended.by === "exit") return `it ended the process with status ${ended.code} while it was loaded`;
  if (ended.by === "signal") return `the process was ended by ${ended.signal} while it was loaded`;
  return ended.by === "not-started" ? ended.why : `the process ended by ${ended.by}`;
}

/** The daemon's `sourceHash` of the same files is the same. */
export function contentHashOf(file: string, inputs: readonly string[]): string {
  return hashInputs(file, [...inputs].sort());
}
