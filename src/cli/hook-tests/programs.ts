import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { escapeLines, messageOf, Problem } from "../../protocol/internal.ts";
import { buildFile, messageAtCallSite } from "../../sdk/internal.ts";
import type { Io } from "../command-line/command.ts";
import { type ProgramTest, runnerModules, type Thrown } from "./in-runner.ts";

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
    const results = join(folder, "results.jsonl");
    const names = Object.fromEntries([...built].map(([compiled, file]) => [compiled, relative(io.cwd, file)]));
    const modules = runnerModules({ results, quiet, names });
    const [reporter, preload] = ["reporter", "preload"].map((name) => pathToFileURL(join(folder, `${name}.mjs`)).href);
    await writeFile(join(folder, "reporter.mjs"), modules.reporter);
    await writeFile(join(folder, "preload.mjs"), modules.preload);
    await writeFile(results, "");
    const setUp = [`--test-reporter=${reporter}`, `--import=${preload}`];
    const { passed, failure } = await runNode([...setUp, ...built.keys()], io);
    const lines = await readFile(results, "utf8");
    const named = (text: string) => built.get(text) ?? text;
    const records = lines
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ProgramTest | Thrown]));
    const finished = records.flatMap((one) =>
      "thrown" in one ? [] : [{ ...one, file: named(one.file), name: named(one.name) }],
    );
    const unloaded = records.flatMap((one) => ("thrown" in one ? [unloadedProgram(named(one.thrown ?? ""), one)] : []));
    const tests = [...finished, ...unloaded];
    const isReported = passed || tests.some(({ ok }) => !ok);
    const unreported = [...unloaded, ...(isReported ? [] : failedPrograms([...built.values()], tests, failure))];
    for (const { file, error } of quiet ? [] : unreported)
      await io.out(`✖ ${escapeLines(file)}\n  ${escapeLines(error)}\n`);
    const all = [...unbuilt, ...finished, ...unreported];
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

/** A program that ended with a problem before its first test. */
function unloadedProgram(file: string, thrown: Thrown) {
  return { file, name: file, ok: false, ms: 0, error: messageAtCallSite(thrown, thrown.callsOut, file) };
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
