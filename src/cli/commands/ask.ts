import { resolve } from "node:path";
import { defined, isEventName, messageOf, Problem, stripControl } from "../../protocol/internal.ts";
import type { AgentProgram, ResultForm, SessionCall, SessionResult } from "../../runner/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { readObject, readText } from "../command-line/input.ts";
import { choice, optionTexts, positiveNumber, workingFolder } from "../options/option-values.ts";

export const command: Command = {
  usage: '"PROMPT" [--agent claude|hookline|PROGRAM] [--file PROMPTS --jobs N] [--as text|json|tool-result|context]',
  about: `Runs one session of a coding agent and returns its answer, tokens and cost as data.

The agent runs headless in a session of its own, also when another agent calls this command. PROMPT can be - for standard input.
Hooks in the settings of the directory run only if they are approved (hookline trust) or with --project-settings. --file has one prompt
per line, or one JSON object per line with "prompt" and "cwd", "model", "resume", "fork"; answers are in the order of the prompts.
Exit status: 0 answered, 1 error or limit, 124 timeout, 130 interrupted; with several prompts, the first that is not 0.`,
  mostArguments: "any",
  options: {
    agent: { value: "NAME", about: "claude (default), hookline, or a program that takes the same flags" },
    cwd: { value: "DIR", about: "working directory of the agent" },
    "session-id": { excludes: ["file"], value: "UUID", about: "id of the new session" },
    resume: { value: "ID", about: "resume this session" },
    fork: { about: "with --resume: resume in a copy" },
    model: { value: "NAME", about: "model name" },
    settings: { value: "FILE|JSON", about: "additional settings" },
    "permission-mode": { value: "MODE", about: "default, acceptEdits, plan, dontAsk, bypassPermissions" },
    "allowed-tools": { value: "RULE", multiple: true, about: "rule of calls to allow; can be repeated" },
    "max-turns": { value: "N", about: "maximum number of turns" },
    "max-budget-usd": { value: "X", about: "maximum cost in dollars" },
    timeout: { value: "SECONDS", about: "stop the session after this time" },
    "project-settings": { about: "use the settings of the directory even if they are not approved" },
    file: { value: "PROMPTS", about: "file with one prompt per line, or - for standard input" },
    jobs: { requires: "file", value: "N", about: "sessions to run at a time (default: 4, or the number of cores)" },
    "fail-fast": { requires: "file", about: "stop all sessions after the first failure" },
    as: { value: "FORM", about: "text (default), json, tool-result, or context for the answer of a hook" },
    event: { requires: "as=context", value: "EVENT", about: "event whose hook returns the context" },
    "tool-use-id": { requires: "as=tool-result", value: "ID", about: "id of the tool call that the result answers" },
    json: { about: "same as --as json" },
  },
  examples: [
    'hookline ask "Which files are never imported?" --timeout 300 --json',
    "hookline ask --file prompts.txt --jobs 2 --as json",
    'hookline ask --resume 0f9c0a56-6f3e-4d55-9a53-0a3c2f9d3f11 --fork "And in one sentence?"',
  ],
  async run(call, io) {
    const { exitStatusOf, runSessions } = await import("../../runner/internal.ts");
    const form = formOf(call);
    await checkIds(call);
    const calls = await callsOf(call, io);
    const results = await runSessions(calls, {
      signal: io.signal,
      failFast: call.flag("fail-fast"),
      ...defined({ limit: positiveNumber(call, "jobs") }),
      onResult: (result, index) =>
        void (calls.length > 1 && io.terminal.err && io.err(progress(result, index, calls.length))),
    });
    for (const result of results) {
      await io.out(await shown(result, form, call, io));
      if (form === "json") continue;
      // Small differences between two counts are not printed.
      const shownWarnings = result.warnings.filter(({ code }) => code !== "tokens-differ" && code !== "cost-differs");
      for (const { message } of shownWarnings) await io.err(`hookline: ${message}\n`);
    }
    return results.map(exitStatusOf).find((status) => status !== 0) ?? 0;
  },
};

function formOf(call: ParsedCall): ResultForm {
  const named = choice(call, "as", ["text", "json", "tool-result", "context"]);
  const form: ResultForm = named ?? (call.flag("json") ? "json" : "text");
  const fault = faultIn(call, form);
  if (fault !== undefined) throw new Problem("cli/usage", `${fault} See hookline ask --help.`);
  return form;
}

function faultIn(call: ParsedCall, form: ResultForm): string | undefined {
  const event = call.text("event");
  if (call.flag("json") && form !== "json") return `--json contradicts --as ${form}. Use one of them.`;
  if (event !== undefined && !isEventName(event)) return `Unknown event "${event}".`;
  if (call.text("file") !== undefined && call.text("resume") !== undefined && !call.flag("fork"))
    return "--resume with --file would run several prompts in one session at once. Add --fork.";
  // A line of the file can name a session.
  if (call.flag("fork") && call.text("resume") === undefined && call.text("file") === undefined)
    return "--fork requires --resume ID.";
  return undefined;
}

async function checkIds(call: ParsedCall): Promise<void> {
  const { uuidPattern } = await import("../../sessions/internal.ts");
  for (const name of ["session-id", "resume"]) {
    const id = call.text(name);
    if (id === undefined || uuidPattern.test(id)) continue;
    throw new Problem("cli/usage", `"${id}" is not a UUID. Pass a full UUID or omit --${name}.`);
  }
}

function progress({ ended, durationMs }: SessionResult, index: number, count: number): string {
  return `${index + 1}/${count} ${ended} after ${(durationMs / 1_000).toFixed(1)} s\n`;
}

async function shown(result: SessionResult, form: ResultForm, call: ParsedCall, io: Io): Promise<string> {
  const { asContext, asResultObject, asText, asToolResult } = await import("../../runner/internal.ts");
  // The text can go to a terminal.
  if (form === "text") return stripControl(asText(result));
  if (form === "json") return `${JSON.stringify(asResultObject(result))}\n`;
  if (form === "tool-result") return `${JSON.stringify(asToolResult(result, call.text("tool-use-id")))}\n`;
  const event = call.text("event") ?? io.env["HOOK_EVENT"] ?? "UserPromptSubmit";
  return `${JSON.stringify(await asContext(result, event, { env: io.env, home: io.home }))}\n`;
}

/** The sessions to run: one, or one per line of --file. */
async function callsOf(call: ParsedCall, io: Io): Promise<readonly SessionCall[]> {
  const file = call.text("file");
  const common = await commonOf(call, io);
  const [prompt, extra] = call.operands;
  if (extra !== undefined) throw new Problem("cli/usage", `Unexpected argument "${extra}". Put the prompt in quotes.`);
  if (file === undefined) {
    if (prompt !== undefined)
      return [{ ...common, prompt: prompt === "-" ? await readText("-", "the prompt", io) : prompt }];
    const message = "ask takes one prompt in quotes, or --file PROMPTS. See hookline ask --help.";
    throw new Problem("cli/usage", message);
  }
  if (prompt !== undefined) throw new Problem("cli/usage", "A prompt and --file cannot be used together.");
  const text = await readText(file, "--file", io);
  const calls = text
    .split(/\r?\n/)
    .flatMap((line, index) => (line.trim() === "" ? [] : [{ ...common, ...lineCall(line, file, index) }]));
  if (calls.length === 0) throw new Problem("cli/bad-input", `${file} contains no prompts.`);
  return calls;
}

async function commonOf(call: ParsedCall, io: Io): Promise<Omit<SessionCall, "prompt">> {
  const settings = call.text("settings");
  const timeout = positiveNumber(call, "timeout");
  const allowed = call.texts("allowed-tools");
  return {
    agent: agentOf(call.text("agent") ?? "claude", io),
    cwd: workingFolder(call, io),
    env: io.env,
    ...optionTexts(call, {
      sessionId: "session-id",
      resume: "resume",
      model: "model",
      permissionMode: "permission-mode",
    }),
    ...defined({
      fork: call.flag("fork") || undefined,
      settings: settings === undefined ? undefined : await readObject(settings, "--settings", io),
      allowedTools: allowed.length === 0 ? undefined : allowed,
      timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
      maxTurns: positiveNumber(call, "max-turns"),
      maxBudgetUsd: positiveNumber(call, "max-budget-usd"),
      projectSettings: call.flag("project-settings") || undefined,
    }),
  };
}

function agentOf(name: string, io: Io): AgentProgram {
  if (name === "claude" || name === "hookline") return name;
  return { file: name.includes("/") ? resolve(io.cwd, name) : name };
}

const lineFields = ["prompt", "cwd", "model", "resume", "fork"] as const;

function lineCall(line: string, file: string, index: number): Pick<SessionCall, "prompt"> {
  if (!line.trimStart().startsWith("{")) return { prompt: line };
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    if (typeof value["prompt"] !== "string") throw new Error('"prompt" is missing');
    const odd = Object.keys(value).find((name) => !lineFields.some((known) => known === name));
    if (odd !== undefined) throw new Error(`unknown key "${odd}"; valid keys: ${lineFields.join(", ")}`);
    return value as { prompt: string };
  } catch (cause) {
    throw new Problem("cli/bad-input", `${file}, line ${index + 1}: ${messageOf(cause)}.`, { cause });
  }
}
