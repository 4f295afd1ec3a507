/** The result of one test in a program. */
export interface ProgramTest {
  readonly file: string;
  /** Includes the names of the suites and tests around it. */
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly skipped?: true;
  readonly error?: string;
}

/** A problem that ended a program, as its process writes it. */
export interface Thrown {
  /** The compiled file. */
  readonly thrown: string | undefined;
  readonly message: string;
  readonly stack: string;
  readonly callsOut: unknown;
}

interface RunnerOptions {
  /** A file with one line of JSON for each `ProgramTest` and `Thrown`. */
  readonly results: string;
  readonly quiet: boolean;
  /** The author's file, from the current directory, for each compiled one. */
  readonly names: Readonly<Record<string, string>>;
}

/** Two modules for `node --test`. They run in its processes and load nothing of this package, so they are text. */
export function runnerModules(options: RunnerOptions): { readonly preload: string; readonly reporter: string } {
  const call = (work: object, ...names: readonly string[]) => {
    const imports = names.map((name, at) => `import * as m${at} from "node:${name}";\n`).join("");
    return `${imports}export default (${work})(${JSON.stringify(options)}, ${names.map((_, at) => `m${at}`).join()});\n`;
  };
  return { preload: call(writeProblems, "fs"), reporter: call(makeReporter, "fs", "stream", "test/reporters") };
}

/**
 * Loaded before each program. It keeps Node from printing a line of our own code for a problem that no test reports: the runner listens
 * once a test was defined. Contract of this function and the next one: they use their parameters and globals only.
 */
function writeProblems({ results }: RunnerOptions, { appendFileSync }: typeof import("node:fs")): void {
  process.on("uncaughtExceptionMonitor", (error: Error & { about: Record<string, unknown> }) => {
    if (error?.name !== "Problem" || process.listenerCount("uncaughtException") > 0) return;
    const { message, stack = "", about } = error;
    const record: Thrown = { thrown: process.argv[1], message, stack, callsOut: about["callsOut"] };
    appendFileSync(results, `${JSON.stringify(record)}\n`);
    process.exit(1);
  });
}

/**
 * A reporter that writes results, and prints the report of Node's default reporter without its eight lines of totals, which do not include
 * the cases, and with the author's file in place of the compiled one. A program that wrote itself why it ended is left out.
 */
function makeReporter(
  { results, quiet, names }: RunnerOptions,
  { appendFileSync, readFileSync }: typeof import("node:fs"),
  { Readable }: typeof import("node:stream"),
  { spec: Spec }: typeof import("node:test/reporters"),
): (source: AsyncIterable<RunnerEvent>) => AsyncIterable<unknown> {
  const totals = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [0-9.]+$/;
  const around: string[] = [];

  const resultOf = ({ type, data }: RunnerEvent): ProgramTest => {
    const { error, duration_ms = 0 } = data.details;
    return {
      file: data.file ?? data.name,
      name: [...around.slice(0, data.nesting), data.name].join(" > "),
      ok: type === "test:pass" || data.todo !== undefined,
      ms: duration_ms,
      ...(data.skip === undefined ? {} : { skipped: true }),
      ...(error === undefined ? {} : { error: String(error.cause?.message ?? error.cause ?? error.message) }),
    };
  };

  async function* shownEvents(source: AsyncIterable<RunnerEvent>) {
    for await (const event of source) {
      const { type, data } = event;
      const name = names[data.name];
      if (name && readFileSync(results, "utf8").includes(`"thrown":${JSON.stringify(data.name)}`)) continue;
      if (type === "test:start") {
        around.length = data.nesting;
        around.push(data.name);
      }
      const isResult = (type === "test:pass" || type === "test:fail") && data.details.type !== "suite";
      if (isResult) appendFileSync(results, `${JSON.stringify(resultOf(event))}\n`);
      const isTotal = type === "test:diagnostic" && data.nesting === 0 && totals.test(data.message);
      if (!quiet && !isTotal) yield name ? { type, data: { ...data, name, file: `${process.cwd()}/${name}` } } : event;
      if (quiet && (type === "test:stdout" || type === "test:stderr")) process.stderr.write(data.message);
    }
  }
  // An arrow function is not accepted.
  return async function* (source) {
    yield* Readable.from(shownEvents(source)).pipe(new Spec());
  };
}

/** What the reporter reads of the runner's events. */
interface RunnerEvent {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly file?: string;
    readonly nesting: number;
    readonly message: string;
    readonly skip?: unknown;
    readonly todo?: unknown;
    readonly details: {
      readonly type?: string;
      readonly duration_ms?: number;
      readonly error?: { readonly message: string; readonly cause?: { readonly message?: string } };
    };
  };
}
