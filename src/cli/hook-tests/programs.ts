import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ignoringErrors } from "../../files/internal.ts";
import { escapeLines, messageOf, Problem } from "../../protocol/internal.ts";
import { buildFile } from "../../sdk/internal.ts";
import type { Io } from "../command-line/command.ts";

/**
 * Runs test files with Node's test runner and prints its report, unless `quiet`: then only what the tests print is shown, on stderr. A file
 * that cannot be built is one failed test and counted in `broken`; the others run. An error outside of every test counts as one failure.
 */
export async function runPrograms(files: readonly string[], quiet: boolean, io: Io) {
  const folder = await mkdtemp(join(tmpdir(), "hookline-test-"));
  try {
    const { built, unbuilt } = await buildPrograms(files, folder, io);
    const broken = unbuilt.length;
    for (const { file, error } of quiet ? [] : unbuilt)
      await io.out(`✖ ${escapeLines(file)}\n  ${escapeLines(error)}\n`);
    if (built.size === 0) return { tests: unbuilt, failed: broken, broken };
    const reporter = join(folder, "reporter.mjs");
    await writeFile(reporter, reporterSource(quiet));
    const { passed, failure } = await runNode([`--test-reporter=${reporter}`, ...built.keys()], io);
    // A runner that failed may have written nothing.
    const lines = (await ignoringErrors(["ENOENT"], readFile(join(folder, "results.jsonl"), "utf8"))) ?? "";
    const named = (text: string) => built.get(text) ?? text;
    const tests = lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ProgramTest)
      .map((one) => ({ ...one, file: named(one.file), name: named(one.name) }));
    const isReported = passed || tests.some(({ ok }) => !ok);
    const unreported = isReported ? [] : failedPrograms([...built.values()], tests, failure);
    for (const { file, error } of quiet ? [] : unreported)
      await io.out(`✖ ${escapeLines(file)}\n  ${escapeLines(error)}\n`);
    const all = [...unbuilt, ...tests, ...unreported];
    return { tests: all, failed: all.filter(({ ok }) => !ok).length, broken };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** When the runner itself failed: the programs that it did not finish. An error after the last test can be of any program. */
function failedPrograms(files: readonly string[], tests: readonly ProgramTest[], failure: string) {
  const rest = files.filter((file) => !tests.some((one) => one.file === file));
  const error = `The test runner failed: ${failure}`;
  return (rest.length > 0 ? rest : files).map((file) => ({ file, name: file, ok: false, ms: 0, error }));
}

/** Compiles the files into a folder. `built` has each compiled file with its source file. */
async function buildPrograms(files: readonly string[], folder: string, io: Io) {
  const built = new Map<string, string>();
  const unbuilt: (ProgramTest & { readonly error: string })[] = [];
  const copies = files.map((file, at) => withSourceMap(file, join(folder, String(at)), io));
  for (const [at, result] of (await Promise.allSettled(copies)).entries()) {
    const file = files[at] ?? "";
    if (result.status === "fulfilled") built.set(result.value, file);
    else unbuilt.push({ file, name: file, ok: false, ms: 0, error: messageOf(result.reason) });
  }
  return { built, unbuilt };
}

/** A compiled file with an inline source map, so that the runner reports positions in the source file. */
async function withSourceMap(file: string, prefix: string, io: Io): Promise<string> {
  const built = await buildFile(file, io.env);
  if (built === file) return file;
  const [code, map] = await Promise.all([readFile(built, "utf8"), readFile(`${built}.map`)]);
  const copy = `${prefix}-${basename(file).replace(/\.\w+$/, "")}.mjs`;
  await writeFile(copy, `${code}\n//# sourceMappingURL=data:application/json;base64,${map.toString("base64")}\n`);
  return copy;
}

/** `failure`: the error that the runner printed last, or how it ended. */
function runNode(args: readonly string[], io: Io): Promise<{ readonly passed: boolean; readonly failure: string }> {
  // Removed, since a runner inside another runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...env } = io.env;
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ["--enable-source-maps", "--test", ...args], {
      cwd: io.cwd,
      env: { ...env, HOOKLINE_TEST_WARNINGS: "1", ...(io.terminal.colour ? { FORCE_COLOR: "1" } : {}) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => void io.out(text));
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-10_000);
      void io.err(text);
    });
    child.on("error", (cause) =>
      fail(new Problem("cli/bad-input", `Cannot start the tests: ${cause.message}`, { cause })),
    );
    child.on("close", (code, signal) => {
      const error = printed.match(/^(?:Uncaught )?\w*Error\b.*$/gm)?.at(-1);
      done({ passed: code === 0, failure: error ?? (signal === null ? `exit status ${code}` : `killed by ${signal}`) });
    });
  });
}

/** The result of one test in a program. */
interface ProgramTest {
  readonly file: string;
  /** Includes the names of the suites and tests around it. */
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly skipped?: true;
  readonly error?: string;
}

/**
 * A reporter for `node --test`. It writes a `ProgramTest` per line to results.jsonl next to itself, and prints the report of Node's default
 * reporter without its eight lines of totals, which do not include the cases. It is a string, since the runner loads it from a file.
 */
function reporterSource(quiet: boolean): string {
  return `import { appendFileSync } from "node:fs";
import { Readable } from "node:stream";
import { spec } from "node:test/reporters";

const totals = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [0-9.]+$/;
const results = new URL("./results.jsonl", import.meta.url);
const quiet = ${quiet};

export default async function* report(source) {
  const around = [];
  async function* events() {
    for await (const event of source) {
      const { type, data } = event;
      if (type === "test:start") {
        around.length = data.nesting;
        around.push(data.name);
      }
      const isResult = (type === "test:pass" || type === "test:fail") && data.details.type !== "suite";
      if (isResult) appendFileSync(results, JSON.stringify(resultOf(event, around)) + "\\n");
      const isTotal = type === "test:diagnostic" && data.nesting === 0 && totals.test(data.message);
      if (!quiet && !isTotal) yield event;
      if (quiet && (type === "test:stdout" || type === "test:stderr")) process.stderr.write(data.message);
    }
  }
  yield* Readable.from(events()).pipe(new spec());
}

function resultOf({ type, data }, around) {
  const { error, duration_ms } = data.details;
  return {
    file: data.file ?? data.name,
    name: [...around.slice(0, data.nesting), data.name].join(" > "),
    ok: type === "test:pass" || data.todo !== undefined,
    ms: duration_ms,
    ...(data.skip === undefined ? {} : { skipped: true }),
    ...(error === undefined ? {} : { error: String(error.cause?.message ?? error.cause ?? error.message) }),
  };
}
`;
}
