import { resolve } from "node:path";
import { Problem } from "../../protocol/index.ts";
import { testClient } from "../../sdk/testing/index.ts";
import type { Command, Io } from "../command.ts";
import { faultsOf, type HookCase, readCases, sendCase, whyUnknown } from "../hook-tests/case.ts";
import { findTests, namedTests } from "../hook-tests/find.ts";
import { loadExport } from "../hook-tests/load.ts";
import { runPrograms } from "../hook-tests/programs.ts";
import { storyOf } from "../hook-tests/story.ts";
import { usualHooksFile } from "../hooks-file.ts";
import { counted } from "../print/figures.ts";
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
      about: "the hooks file for cases and --event (default: .claude/hooks.ts, .mts, .js or .mjs)",
    },
    event: { type: "string", value: "EVENT[:TOOL]", about: "send one event and show handlers, answer and wire" },
    input: { type: "string", value: "JSON|FILE|-", about: "with a tool: its input; else fields of the payload" },
  },
  examples: ["hookline test", `hookline test --event PreToolUse:Bash --input '{"command":"rm -rf /"}'`],
  async run(call, io) {
    const hooks = call.text("hooks") ?? usualHooksFile(io.cwd);
    const [event, input] = [call.text("event"), call.text("input")];
    if (event === undefined && input !== undefined) {
      throw new Problem("cli/usage", "--input belongs to an event. Name it: --event PreToolUse:Bash");
    }
    if (event !== undefined) return showOne(hooks, event, input, io);
    const named = call.words.map((word) => resolve(io.cwd, word));
    const found = named.length > 0 ? await namedTests(named) : await findTests(io.cwd);
    if (found.programs.length + found.cases.length === 0) {
      await io.err("hookline: there are no tests below .claude. hookline test --help shows where they lie.\n");
      return 2;
    }
    const held = found.cases.length === 0 || (await runCases(found.cases, hooks, io));
    const passed = found.programs.length === 0 || (await runPrograms(found.programs, io));
    return held && passed ? 0 : 3;
  },
};

async function showOne(hooks: string, event: string, input: string | undefined, io: Io): Promise<number> {
  const [name = "", tool] = event.split(":", 2);
  const given = input === undefined ? {} : await readObject(input.replace(/^@/, ""), "--input", io);
  const app = await loadExport(hooks, io);
  const unknown = whyUnknown(name, app);
  if (unknown !== undefined) throw new Problem("event/unknown", unknown, { about: { event: name } });
  const sent = { event: name, ...(tool === undefined ? {} : { tool }), input: given };
  const begun = performance.now();
  const result = await sendCase(sent, testClient(app));
  const ms = (performance.now() - begun).toFixed(1);
  await io.out(`${name}  ${result.decision}, ${ms} ms\n${indented(storyOf(result))}`);
  return 0;
}

/** True when every case holds. */
async function runCases(files: readonly string[], hooks: string, io: Io): Promise<boolean> {
  const app = await loadExport(hooks, io);
  const cases = (await Promise.all(files.map(readCases))).flat();
  let failed = 0;
  for (const one of cases) {
    const told = await tryCase(one, app);
    if (told.length > 0) failed++;
    await io.out(`${told.length === 0 ? "ok    " : "FAILED"}  ${one.name}\n${indented(told)}`);
  }
  await io.out(`${counted(cases.length, "case")}, ${failed} failed\n`);
  return failed === 0;
}

/** What to tell of a case that does not hold: what is wrong, and what happened. */
async function tryCase(one: HookCase, app: unknown): Promise<readonly string[]> {
  const unknown = whyUnknown(one.event, app);
  if (unknown !== undefined) return [unknown];
  const result = await sendCase(one, testClient(app));
  const faults = faultsOf(one, result);
  return faults.length === 0 ? [] : [...faults, ...storyOf(result)];
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}
