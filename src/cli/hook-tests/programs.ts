import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ignoringErrors } from "../../files/internal.ts";
import { escapeLines, messageOf, Problem } from "../../protocol/internal.ts";
import { buildFile } from "../../sdk/internal.ts";
import type { Io } from "../command-line/command.ts";

/** Runs test files with Node's test runner and prints its output. A file that cannot be built is printed as failed; the others run. */
export function runPrograms(files: readonly string[], io: Io): Promise<ProgramTotal & Broken> {
  return whileBuilt(files, io, async ({ built, broken }, folder) => {
    for (const { file, error } of broken) await io.out(`✖ ${escapeLines(file)}\n  ${escapeLines(error)}\n`);
    const failed = broken.length;
    if (built.size === 0) return { tests: failed, failed, broken: failed };
    const reporter = join(folder, "spec.mjs");
    await writeFile(reporter, specSource);
    const passed = await runNode([`--test-reporter=${reporter}`, ...built.keys()], io, (text) => void io.out(text));
    const written = await ignoringErrors(["ENOENT"], readFile(join(folder, "total.json"), "utf8"));
    // A runner that was killed has written no total.
    const total: ProgramTotal = written === undefined ? { tests: 0, failed: 1 } : JSON.parse(written);
    // An error outside of every test is a failure, too.
    const own = passed || total.failed > 0 ? total.failed : 1;
    return { tests: total.tests + failed, failed: own + failed, broken: failed };
  });
}

/** Runs test files and returns the results as data. A file that cannot be built is one failed test. */
export function reportPrograms(
  files: readonly string[],
  io: Io,
): Promise<Broken & { readonly passed: boolean; readonly tests: readonly ProgramTest[] }> {
  return whileBuilt(files, io, async ({ built, broken }, folder) => {
    const unbuilt = broken.map(({ file, error }) => ({ file, name: file, ok: false, ms: 0, error }));
    if (built.size === 0) return { passed: false, tests: unbuilt, broken: unbuilt.length };
    const reporter = join(folder, "reporter.mjs");
    await writeFile(reporter, reporterSource);
    let lines = "";
    const passed = await runNode([`--test-reporter=${reporter}`, ...built.keys()], io, (text) => {
      lines += text;
    });
    const named = (text: string) => built.get(text) ?? text;
    const tests = lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ProgramTest)
      .map((one) => ({ ...one, file: named(one.file), name: named(one.name) }));
    return { passed: passed && unbuilt.length === 0, tests: [...unbuilt, ...tests], broken: unbuilt.length };
  });
}

/** How many test files could not be built. They count as failed tests. */
interface Broken {
  readonly broken: number;
}

interface BuiltFiles {
  /** Each compiled file with its source file. */
  readonly built: ReadonlyMap<string, string>;
  readonly broken: readonly { readonly file: string; readonly error: string }[];
}

/** Calls `work` with the compiled files and a temporary directory, which is deleted afterwards. */
async function whileBuilt<Value>(
  files: readonly string[],
  io: Io,
  work: (files: BuiltFiles, folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-test-"));
  try {
    const built = new Map<string, string>();
    const broken: { file: string; error: string }[] = [];
    const copies = files.map((file, at) => withSourceMap(file, join(folder, String(at)), io));
    for (const [at, result] of (await Promise.allSettled(copies)).entries()) {
      const file = files[at] ?? "";
      if (result.status === "fulfilled") built.set(result.value, file);
      else broken.push({ file, error: messageOf(result.reason) });
    }
    return await work({ built, broken }, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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

function runNode(args: readonly string[], io: Io, onOutput: (text: string) => void): Promise<boolean> {
  // Removed, since a runner inside another runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...env } = io.env;
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ["--enable-source-maps", "--test", ...args], {
      cwd: io.cwd,
      env: { ...env, HOOKLINE_TEST_WARNINGS: "1", ...(io.terminal.colour ? { FORCE_COLOR: "1" } : {}) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.setEncoding("utf8").on("data", onOutput);
    child.stderr.on("data", (chunk: Buffer) => void io.err(chunk.toString()));
    child.on("error", (cause) =>
      fail(new Problem("cli/bad-input", `Cannot start the tests: ${cause.message}`, { cause })),
    );
    child.on("close", (code) => done(code === 0));
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
 * A reporter for `node --test` that prints one JSON line per test, a `ProgramTest`. What the programs print goes to stderr. It is a string,
 * since the runner loads it from a file.
 */
const reporterSource = `export default async function* report(source) {
  const around = [];
  for await (const { type, data } of source) {
    if (type === "test:stdout" || type === "test:stderr") process.stderr.write(data.message);
    if (type === "test:start") {
      around.length = data.nesting;
      around.push(data.name);
    }
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const { error, duration_ms } = data.details;
    const ok = type === "test:pass" || data.todo !== undefined;
    const names = [...around.slice(0, data.nesting), data.name];
    yield JSON.stringify({
      file: data.file ?? data.name,
      name: names.join(" > "),
      ok,
      ms: duration_ms,
      ...(data.skip === undefined ? {} : { skipped: true }),
      ...(error === undefined ? {} : { error: String(error.cause?.message ?? error.cause ?? error.message) }),
    }) + "\\n";
  }
}
`;

/** The number of tests in programs, and how many of them failed. */
interface ProgramTotal {
  readonly tests: number;
  readonly failed: number;
}

/**
 * Node's default reporter without its eight lines of totals, which do not include the cases. It writes a `ProgramTotal` next to itself, for the
 * line that counts both.
 */
const specSource = `import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { spec } from "node:test/reporters";

const figures = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [0-9.]+$/;

export default async function* show(source) {
  let [tests, failed] = [0, 0];
  async function* events() {
    for await (const event of source) {
      const { type, data } = event;
      if ((type === "test:pass" || type === "test:fail") && data.details.type !== "suite") {
        tests++;
        if (type === "test:fail" && data.todo === undefined) failed++;
      }
      if (type !== "test:diagnostic" || data.nesting !== 0 || !figures.test(data.message)) yield event;
    }
  }
  yield* Readable.from(events()).pipe(new spec());
  writeFileSync(new URL("./total.json", import.meta.url), JSON.stringify({ tests, failed }));
}
`;
