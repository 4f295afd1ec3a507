import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { Problem } from "../../protocol/index.ts";
import { buildFile } from "../../sdk/index.ts";
import { testClient } from "../../sdk/testing/index.ts";
import type { Command, Io } from "../command.ts";
import { readCases, sendCase, whyFails, whyUnknown } from "../hook-tests/case.ts";
import { findTests, isProgram } from "../hook-tests/find.ts";
import { loadExport } from "../hook-tests/load.ts";
import { usualHooksFile } from "../hooks-file.ts";
import { readObject } from "../read-input.ts";

export const command: Command = {
  usage: "[FILE…] [--hooks FILE] [--event EVENT[:TOOL] --input JSON|FILE|-]",
  about: `Runs the tests of a project's hooks, or shows what its app says to one event.

Without FILE: .claude/**/*.test.{ts,mts,js,mjs} with Node's own test runner, and the cases in .claude/hooks-tests/*.json
({ name, event, tool, input, expect }). The exit status is 0 when all pass, 2 when there are none, 3 when some fail.`,
  options: {
    hooks: {
      type: "string",
      value: "FILE",
      about: "the hooks file that cases and --event are sent to; .claude/hooks.ts (.mts, .js, .mjs) unless told",
    },
    event: { type: "string", value: "EVENT[:TOOL]", about: "send one event and show handlers, answer and wire" },
    input: { type: "string", value: "JSON|FILE|-", about: "with a tool: its input; else fields of the payload" },
  },
  examples: ["hookline test", `hookline test --event PreToolUse:Bash --input '{"command":"rm -rf /"}'`],
  async run(call, io) {
    const hooks = call.text("hooks") ?? usualHooksFile(io.cwd);
    const event = call.text("event");
    if (event !== undefined) return showOne(hooks, event, call.text("input"), io);
    const named = call.words.map((word) => resolve(io.cwd, word));
    const found = named.length > 0 ? split(named) : await findTests(io.cwd);
    if (found.programs.length + found.cases.length === 0) {
      await io.err("hookline: there are no tests below .claude. hookline test --help shows where they lie.\n");
      return 2;
    }
    const failed = (await runCases(found.cases, hooks, io)) + (await runPrograms(found.programs, io));
    return failed === 0 ? 0 : 3;
  },
};

function split(files: readonly string[]) {
  return { programs: files.filter(isProgram), cases: files.filter((file) => !isProgram(file)) };
}

async function showOne(hooks: string, event: string, input: string | undefined, io: Io): Promise<number> {
  const [name = "", tool] = event.split(":", 2);
  const given = input === undefined ? {} : await readObject(input.replace(/^@/, ""), "--input", io);
  const app = await loadExport(hooks, io);
  const unknown = whyUnknown(name, app);
  if (unknown !== undefined) throw new Problem("event/unknown", unknown, { about: { event: name } });
  const result = await sendCase(
    { event: name, ...(tool === undefined ? {} : { tool }), input: given },
    testClient(app),
  );
  const lines = result.trace.map(
    ({ name, outcome, ms, error }) => `  ${name}  ${outcome}${error ? ` (${error})` : ""}, ${ms.toFixed(1)} ms`,
  );
  const answer = result.stdout.trimEnd() || "(no output)";
  await io.out([`${name}  ${result.decision}`, ...lines, `  exit ${result.exitCode}  ${answer}`, ""].join("\n"));
  return 0;
}

async function runCases(files: readonly string[], hooks: string, io: Io): Promise<number> {
  if (files.length === 0) return 0;
  const app = await loadExport(hooks, io);
  let failed = 0;
  for (const one of (await Promise.all(files.map(readCases))).flat()) {
    const why = whyUnknown(one.event, app) ?? (await whyFails(one, testClient(app)));
    if (why !== undefined) failed++;
    await io.out(`${why === undefined ? "ok    " : "FAILED"}  ${one.name}${why === undefined ? "" : `: ${why}`}\n`);
  }
  return failed;
}

async function runPrograms(files: readonly string[], io: Io): Promise<number> {
  if (files.length === 0) return 0;
  const built = await Promise.all(files.map((file) => buildFile(file, io.env)));
  return new Promise((done, fail) => {
    // Inherited by none: a runner inside a runner would report to the outer one.
    const { NODE_TEST_CONTEXT: _outer, ...env } = io.env;
    const child = spawn(process.execPath, ["--test", "--test-reporter=spec", ...built], {
      cwd: io.cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", (chunk: Buffer) => void io.out(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => void io.err(chunk.toString()));
    child.on("error", (cause) =>
      fail(new Problem("cli/bad-input", `The tests could not be started: ${cause.message}`, { cause })),
    );
    child.on("close", (code) => done(code === 0 ? 0 : 1));
  });
}
