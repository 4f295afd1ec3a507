import { resolve } from "node:path";
import { escapeControls, escapeLines, Problem } from "../../protocol/internal.ts";
import type { AppWarning } from "../../sdk/internal.ts";
import type { TestResult } from "../../sdk/testing/index.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { defaultHooksFile, readObject } from "../command-line/input.ts";
import {
  appWarnings,
  type CaseResult,
  fileWarnings,
  loadExport,
  runCases,
  sendEvent,
  stdoutToStderr,
  unknownEventError,
  unknownPayloadFields,
} from "../hook-tests/cases.ts";
import { findTests, type HookTests, namedTests } from "../hook-tests/find-tests.ts";
import { runPrograms } from "../hook-tests/programs.ts";
import { plural } from "../print/figures.ts";
import { jsonText } from "../print/terminal.ts";

export const command: Command = {
  usage: "[FILE…] [--hooks FILE] [--event EVENT[:TOOL] --input JSON|FILE|-] [--json]",
  about: `Runs the tests of a project's hooks, or shows how its app answers one event.

Without FILE: .claude/**/*.test.{ts,mts,js,mjs} with Node's test runner, and the cases in .claude/hooks-tests/*.json
({ name, event, tool, input, expect }). Prints every warning of the app, such as a dropped answer or a handler that never runs.
Exit status: 0 when all tests pass, 2 when there are none, 3 when some fail, 1 when the hooks file or a test file cannot be loaded.
A handler that blocks the event loop past its deadline ends the whole run with 3.`,
  mostArguments: "any",
  options: {
    hooks: { value: "FILE", about: "hooks file for cases and --event (default: .claude/hooks.ts, .mts, .js or .mjs)" },
    event: { value: "EVENT[:TOOL]", about: "send one event and show the handlers and the answer" },
    input: {
      requires: "event",
      value: "JSON|FILE|-",
      about: "input of the tool; without a tool, fields of the payload",
    },
    json: { about: "print one JSON object: ok, cases, tests, warnings; with --event the answer" },
  },
  examples: [
    "hookline test",
    `hookline test --event PreToolUse:Bash --input '{"command":"rm -rf /"}'`,
    "hookline test --json",
  ],
  async run(call, io) {
    const hooks = call.text("hooks") ?? defaultHooksFile(io.cwd);
    const event = call.text("event");
    if (event !== undefined) return showOne(hooks, event, call, io);
    const named = call.operands.map((file) => resolve(io.cwd, file));
    const tests = named.length > 0 ? await namedTests(named) : await findTests(io.cwd);
    const hasNone = tests.programs.length + tests.cases.length === 0;
    if (hasNone)
      await io.err(
        `hookline: no tests found in ${escapeLines(resolve(io.cwd, ".claude"))}. See hookline test --help for where to put them.\n`,
      );
    const { ran, failed, broken } = await runAll(tests, hooks, call.flag("json"), io);
    if (broken > 0) return 1;
    if (ran > 0) return failed === 0 ? 0 : 3;
    if (!hasNone) await io.err("hookline: these files contain no cases. See hookline test --help for the format.\n");
    return 2;
  },
};

async function showOne(hooks: string, event: string, call: ParsedCall, io: Io): Promise<number> {
  const [name = "", tool] = event.split(":", 2);
  const [input, json] = [call.text("input"), call.flag("json")];
  const given = input === undefined ? {} : await readObject(input.replace(/^@/, ""), "--input", io);
  const send = async () => {
    const app = await loadExport(hooks, io);
    const unknown = unknownEventError(name, app);
    if (unknown !== undefined) throw new Problem("event/unknown", unknown, { about: { event: name } });
    const sent = { event: name, ...(tool === undefined ? {} : { tool }), input: given };
    await warn(unknownPayloadFields(sent), io);
    const startMs = performance.now();
    const answer = await sendEvent(sent, app, io.cwd);
    const result = { ...answer, warnings: [...answer.warnings, ...appWarnings(app)] };
    return { result, ms: performance.now() - startMs };
  };
  const { result, ms } = json ? await stdoutToStderr(send) : await send();
  await io.out(
    json
      ? jsonText({ ms, ...factsOf(result) })
      : `${name}  ${result.decision}, ${ms.toFixed(1)} ms\n${indented(handlerReport(result))}`,
  );
  return 0;
}

async function warn(lines: readonly string[], io: Io): Promise<void> {
  for (const line of lines) await io.err(`hookline: warning: ${escapeLines(line)}\n`);
}

/**
 * Prints each test as soon as it is done, or one JSON object when all are. Returns how many tests ran, how many of them failed, and how
 * many files could not be built or read.
 */
async function runAll({ cases, programs }: HookTests, hooks: string, json: boolean, io: Io) {
  const quietly = json ? stdoutToStderr : <Value>(work: () => Promise<Value>) => work();
  const warnings = await quietly(() => fileWarnings(hooks, io));
  if (!json) for (const line of warningLines(warnings)) await io.err(`hookline: ${escapeLines(line)}\n`);
  const results: CaseResult[] = [];
  await quietly(async () => {
    if (cases.length === 0) return;
    for await (const one of runCases(cases, await loadExport(hooks, io), io.cwd)) {
      results.push(one);
      const unknown = (one.unknownFields ?? []).map((line) => `${one.name}: ${line}`);
      await warn(unknown, io);
      if (!json) await io.out(caseText(one));
    }
  });
  const nothing = { tests: [], failed: 0, broken: 0 };
  const { tests, ...counts } = programs.length === 0 ? nothing : await runPrograms(programs, json, io);
  const failed = counts.failed + results.filter(({ faults }) => faults.length > 0).length;
  const hooksFailed = failed > 0 && warnings.some(({ code }) => code === "app-failed");
  const run = {
    ran: results.length + tests.length,
    failed,
    broken: counts.broken + results.filter(({ isBroken }) => isBroken).length + Number(hooksFailed),
  };
  const ok = run.ran > 0 && run.failed === 0;
  const totals = [
    ...(cases.length === 0 ? [] : [plural(results.length, "case")]),
    ...(programs.length === 0 ? [] : [plural(tests.length, "test")]),
  ];
  if (json) await io.out(jsonText({ ok, cases: results.map(caseJson), tests, warnings }));
  else if (totals.length > 0) await io.out(`${totals.join(" and ")}, ${run.failed} failed\n`);
  return run;
}

function caseText({ name, faults, result }: CaseResult): string {
  const isOk = faults.length === 0;
  const details = result === undefined ? [] : isOk ? warningLines(result.warnings) : handlerReport(result);
  return `${isOk ? "ok    " : "FAILED"}  ${escapeControls(name)}\n${indented([...faults, ...details])}`;
}

function caseJson({ file, name, event, faults, result }: CaseResult): object {
  const answer = result === undefined ? null : factsOf(result);
  return { file, name, event, ok: faults.length === 0, faults, answer };
}

/** The data of a result. JSON omits its methods. */
function factsOf({ wire, ...facts }: TestResult): object {
  return { ...facts, wire: wire ?? null };
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${escapeLines(line)}\n`).join("");
}

/** Lines about one event: every handler, then the answer as an agent would get it. */
function handlerReport({ trace, stdout, stderr, exitCode, warnings }: TestResult): readonly string[] {
  const handlers = trace.flatMap(({ name, outcome, answers, error, stack, ms }) => {
    const answerText = answers?.length ? ` ${answers.join(", ")}` : "";
    const line = `${name}  ${outcome}${answerText}${error ? ` (${error})` : ""}, ${ms.toFixed(1)} ms`;
    return [line, ...(stack?.split("\n") ?? []).map((frame) => `    ${frame}`)];
  });
  const output = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  return [
    ...(handlers.length > 0 ? handlers : ["no handler matches"]),
    ...warningLines(warnings),
    `exit ${exitCode}  ${output.join("  ") || "(no output)"}`,
  ];
}

/** A line per warning. Failed handlers have a line already. */
function warningLines(warnings: readonly AppWarning[]): readonly string[] {
  return warnings
    .filter(({ code }) => code !== "handler-failed")
    .map(({ code, message }) => `warning ${code}: ${message}`);
}
