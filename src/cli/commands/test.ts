import { resolve } from "node:path";
import { escapeControls, escapeLines, Problem } from "../../protocol/internal.ts";
import type { AppWarning } from "../../sdk/internal.ts";
import { type TestResult, testClient } from "../../sdk/testing/index.ts";
import type { Command, Io } from "../command-line/command.ts";
import { readObject, usualHooksFile } from "../command-line/input.ts";
import {
  findTests,
  type HookTests,
  namedTests,
  sendCase,
  type Tried,
  tryCases,
  whyUnknown,
} from "../hook-tests/cases.ts";
import { appWarnings, fileWarnings, loadExport, printsAside } from "../hook-tests/load-app.ts";
import { reportPrograms, runPrograms } from "../hook-tests/programs.ts";
import { counted } from "../print/figures.ts";
import { jsonText } from "../print/json.ts";

export const command: Command = {
  usage: "[FILE…] [--hooks FILE] [--event EVENT[:TOOL] --input JSON|FILE|-] [--json]",
  about: `Runs the tests of a project's hooks, or shows what its app says to one event.

Without FILE: .claude/**/*.test.{ts,mts,js,mjs} with Node's own test runner, and the cases in .claude/hooks-tests/*.json
({ name, event, tool, input, expect }). Every warning of the app is shown: an answer that was dropped, a handler that
never runs. The exit status is 0 when all pass, 2 when there are none, 3 when some fail.`,
  options: {
    hooks: {
      type: "string",
      value: "FILE",
      about: "the hooks file for cases and --event (default: .claude/hooks.ts, .mts, .js or .mjs)",
    },
    event: { type: "string", value: "EVENT[:TOOL]", about: "send one event and show handlers, answer and wire" },
    input: { type: "string", value: "JSON|FILE|-", about: "with a tool: its input; else fields of the payload" },
    json: { type: "boolean", about: "print one JSON object: ok, cases, tests, warnings; with --event the answer" },
  },
  examples: [
    "hookline test",
    `hookline test --event PreToolUse:Bash --input '{"command":"rm -rf /"}'`,
    "hookline test --json",
  ],
  async run(call, io) {
    const hooks = call.text("hooks") ?? usualHooksFile(io.cwd);
    const [event, input] = [call.text("event"), call.text("input")];
    const json = call.flag("json");
    if (event === undefined && input !== undefined) {
      throw new Problem("cli/usage", "--input belongs to an event. Name it: --event PreToolUse:Bash");
    }
    if (event !== undefined) return showOne(hooks, event, input, json, io);
    const named = call.words.map((word) => resolve(io.cwd, word));
    const found = named.length > 0 ? await namedTests(named) : await findTests(io.cwd);
    const hasNone = found.programs.length + found.cases.length === 0;
    if (hasNone)
      await io.err("hookline: there are no tests below .claude. hookline test --help shows where they lie.\n");
    const { ran, passed } = json ? await report(found, hooks, io) : await show(found, hooks, io);
    if (ran > 0) return passed ? 0 : 3;
    if (!hasNone) await io.err("hookline: these files hold no cases. hookline test --help shows what a case is.\n");
    return 2;
  },
};

async function showOne(
  hooks: string,
  event: string,
  input: string | undefined,
  json: boolean,
  io: Io,
): Promise<number> {
  const [name = "", tool] = event.split(":", 2);
  const given = input === undefined ? {} : await readObject(input.replace(/^@/, ""), "--input", io);
  const send = async () => {
    const app = await loadExport(hooks, io);
    const unknown = whyUnknown(name, app);
    if (unknown !== undefined) throw new Problem("event/unknown", unknown, { about: { event: name } });
    const sent = { event: name, ...(tool === undefined ? {} : { tool }), input: given };
    const begun = performance.now();
    const sentResult = await sendCase(sent, testClient(app, { cwd: io.cwd }));
    const result = { ...sentResult, warnings: [...sentResult.warnings, ...appWarnings(app)] };
    return { result, ms: performance.now() - begun };
  };
  const { result, ms } = json ? await printsAside(send) : await send();
  await io.out(
    json
      ? jsonText({ ms, ...factsOf(result) })
      : `${name}  ${result.decision}, ${ms.toFixed(1)} ms\n${indented(storyOf(result))}`,
  );
  return 0;
}

/** How many were run, and whether all passed. */
interface Ran {
  readonly ran: number;
  readonly passed: boolean;
}

/** Tells of each test as soon as it is done. */
async function show({ cases, programs }: HookTests, hooks: string, io: Io): Promise<Ran> {
  await io.err(
    warningLines(await fileWarnings(hooks, io))
      .map((line) => `hookline: ${escapeLines(line)}\n`)
      .join(""),
  );
  const inCases = cases.length === 0 ? undefined : await showCases(cases, hooks, io);
  const inPrograms = programs.length === 0 ? undefined : await runPrograms(programs, io);
  const failed = (inCases?.failed ?? 0) + (inPrograms?.failed ?? 0);
  const ran = [inCases && counted(inCases.tried, "case"), inPrograms && counted(inPrograms.tests, "test")];
  const total = ran.filter((one) => one !== undefined).join(" and ");
  if (total !== "") await io.out(`${total}, ${failed} failed\n`);
  return { ran: (inCases?.tried ?? 0) + (inPrograms?.tests ?? 0), passed: failed === 0 };
}

async function showCases(files: readonly string[], hooks: string, io: Io): Promise<{ tried: number; failed: number }> {
  let [tried, failed] = [0, 0];
  for await (const { name, faults, result } of tryCases(files, await loadExport(hooks, io), io.cwd)) {
    tried++;
    if (faults.length > 0) failed++;
    const story = result === undefined ? [] : faults.length === 0 ? warningLines(result.warnings) : storyOf(result);
    const told = [...faults, ...story];
    await io.out(`${faults.length === 0 ? "ok    " : "FAILED"}  ${escapeControls(name)}\n${indented(told)}`);
  }
  return { tried, failed };
}

/** The same in one JSON object, once all are done. */
async function report({ cases, programs }: HookTests, hooks: string, io: Io): Promise<Ran> {
  const tried: Tried[] = [];
  await printsAside(async () => {
    if (cases.length === 0) return;
    for await (const one of tryCases(cases, await loadExport(hooks, io), io.cwd)) tried.push(one);
  });
  const warnings = await printsAside(() => fileWarnings(hooks, io));
  const { passed, tests } = programs.length === 0 ? { passed: true, tests: [] } : await reportPrograms(programs, io);
  const ran = tried.length + tests.length;
  const ok = ran > 0 && passed && tried.every(({ faults }) => faults.length === 0);
  await io.out(jsonText({ ok, cases: tried.map(caseJson), tests, warnings }));
  return { ran, passed: ok };
}

function caseJson({ file, name, event, faults, result }: Tried): object {
  const answer = result === undefined ? null : factsOf(result);
  return { file, name, event, ok: faults.length === 0, faults, answer };
}

/** The result without its expectations: what is no data stays out of JSON by itself. */
function factsOf({ wire, ...facts }: TestResult): object {
  return { ...facts, wire: wire ?? null };
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${escapeLines(line)}\n`).join("");
}

/** What happened to one event, as lines: every handler, then the answer as a host would get it. */
function storyOf({ trace, stdout, stderr, exitCode, warnings }: TestResult): readonly string[] {
  const handlers = trace.flatMap(({ name, outcome, answers, error, stack, ms }) => {
    const said = answers?.length ? ` ${answers.join(", ")}` : "";
    const line = `${name}  ${outcome}${said}${error ? ` (${error})` : ""}, ${ms.toFixed(1)} ms`;
    return [line, ...(stack?.split("\n") ?? []).map((frame) => `    ${frame}`)];
  });
  const told = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  return [
    ...(handlers.length > 0 ? handlers : ["no handler is meant for it"]),
    ...warningLines(warnings),
    `exit ${exitCode}  ${told.join("  ") || "(no output)"}`,
  ];
}

/** A line per warning. A handler that failed has a line of its own already. */
function warningLines(warnings: readonly AppWarning[]): readonly string[] {
  return warnings
    .filter(({ code }) => code !== "handler-failed")
    .map(({ code, message }) => `warning ${code}: ${message}`);
}
