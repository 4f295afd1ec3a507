import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isEventName, messageOf, Problem, stripControl } from "../../protocol/internal.ts";
import type { AgentProgram, ResultForm, SessionCall, SessionResult } from "../../runner/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { readObject, readText } from "../command-line/input.ts";
import { oneOf, optionTexts, positiveNumber } from "../option-values.ts";

export const command: Command = {
  usage: '"PROMPT" [--agent claude|hookline|PROGRAM] [--file PROMPTS --jobs N] [--as text|json|tool-result|context]',
  about: `Runs an agent session in the background and returns its answer, tokens and cost as data.

The agent runs in its own headless mode, with an id of its own and without the identity of a session that calls it. PROMPT may be - for
standard input. What the folder's settings would run is skipped unless it is approved (hookline trust) or --project-settings says so.
--file has one prompt per line, or one JSON object per line with "prompt" and "cwd", "model", "resume", "fork"; answers come in the order
of the prompts. The exit status is the session's fate: 0 answered, 1 error or limit, 124 timeout, 130 interrupted; of several, the first
that is not 0.`,
  options: {
    agent: {
      type: "string",
      value: "NAME",
      about: "claude (the default), hookline, or a program that takes the same flags",
    },
    cwd: { type: "string", value: "DIR", about: "where the agent works" },
    "session-id": { type: "string", value: "UUID", about: "the id of the new session" },
    resume: { type: "string", value: "ID", about: "go on with this session" },
    fork: { type: "boolean", about: "with --resume: in a copy of it" },
    model: { type: "string", value: "NAME", about: "the model" },
    settings: { type: "string", value: "FILE|JSON", about: "settings beside those that apply" },
    "permission-mode": {
      type: "string",
      value: "MODE",
      about: "default, acceptEdits, plan, dontAsk, bypassPermissions",
    },
    "allowed-tools": { type: "string", value: "RULE", multiple: true, about: "a tool that needs no question" },
    "max-turns": { type: "string", value: "N", about: "a limit of the agent's" },
    "max-budget-usd": { type: "string", value: "X", about: "a limit of the agent's" },
    timeout: { type: "string", value: "SECONDS", about: "end it after this long" },
    "project-settings": { type: "boolean", about: "load the folder's settings although they are not approved" },
    file: { type: "string", value: "PROMPTS", about: "several prompts, one per line" },
    jobs: { type: "string", value: "N", about: "with --file: so many at a time (4, or the number of cores)" },
    "fail-fast": { type: "boolean", about: "with --file: the first failure ends the others" },
    as: { type: "string", value: "FORM", about: "text, json, tool-result, or context for a hook's answer" },
    event: { type: "string", value: "EVENT", about: "with --as context: the event whose hook answers" },
    "tool-use-id": { type: "string", value: "ID", about: "with --as tool-result: the call that the block answers" },
    json: { type: "boolean", about: "the same as --as json" },
  },
  examples: [
    'hookline ask "Which files are never imported?" --timeout 300 --json',
    "hookline ask --file prompts.txt --jobs 2 --as json",
    'hookline ask --resume 0f9c0a56-6f3e-4d55-9a53-0a3c2f9d3f11 --fork "And in one sentence?"',
  ],
  async run(call, io) {
    const { exitStatusOf, runSessions } = await import("../../runner/internal.ts");
    const form = formOf(call);
    const calls = await callsOf(call, io);
    const limit = positiveNumber(call, "jobs");
    const results = await runSessions(calls, {
      signal: io.signal,
      failFast: call.flag("fail-fast"),
      ...(limit === undefined ? {} : { limit }),
      onResult: (result, index) =>
        void (calls.length > 1 && io.terminal.err && io.err(progress(result, index, calls.length))),
    });
    for (const result of results) {
      await io.out(await shown(result, form, call, io));
      if (form !== "json") for (const warning of warningsOf(result)) await io.err(`hookline: ${warning}\n`);
    }
    return results.map(exitStatusOf).find((status) => status !== 0) ?? 0;
  },
};

function formOf(call: Call): ResultForm {
  const named = oneOf("as", call.text("as"), ["text", "json", "tool-result", "context"]);
  const form: ResultForm = named ?? (call.flag("json") ? "json" : "text");
  const fault = faultIn(call, form);
  if (fault !== undefined) throw new Problem("cli/usage", `${fault} See hookline ask --help.`);
  return form;
}

/** Options that would have no effect together are refused by name. */
function faultIn(call: Call, form: ResultForm): string | undefined {
  const event = call.text("event");
  const several = call.text("file") !== undefined;
  if (call.flag("json") && form !== "json") return `--json contradicts --as ${form}. Use one of them.`;
  if (event !== undefined && form !== "context") return "--event needs --as context.";
  if (event !== undefined && !isEventName(event)) return `--event takes an event of the catalog, not "${event}".`;
  if (call.text("tool-use-id") !== undefined && form !== "tool-result") return "--tool-use-id needs --as tool-result.";
  if (!several && call.text("jobs") !== undefined) return "--jobs needs --file.";
  if (!several && call.flag("fail-fast")) return "--fail-fast needs --file.";
  if (several && call.text("session-id") !== undefined)
    return "--session-id names one session, and --file begins several. Leave it out.";
  if (several && call.text("resume") !== undefined && !call.flag("fork"))
    return "--resume with --file would let several prompts go on with one session at once. Add --fork.";
  return undefined;
}

/** JSON carries all warnings. Elsewhere two counts that differ a little are not worth a line each time. */
function warningsOf({ warnings }: SessionResult): readonly string[] {
  return warnings.flatMap(({ code, message }) =>
    code === "tokens-differ" || code === "cost-differs" ? [] : [message],
  );
}

function progress({ ended, durationMs }: SessionResult, index: number, count: number): string {
  return `${index + 1}/${count} ${ended} after ${(durationMs / 1_000).toFixed(1)} s\n`;
}

async function shown(result: SessionResult, form: ResultForm, call: Call, io: Io): Promise<string> {
  const { asContext, asResultObject, asText, asToolResult } = await import("../../runner/internal.ts");
  // JSON is for programs; these words may go to a terminal.
  if (form === "text") return stripControl(asText(result));
  if (form === "json") return `${JSON.stringify(asResultObject(result))}\n`;
  if (form === "tool-result") return `${JSON.stringify(asToolResult(result, call.text("tool-use-id")))}\n`;
  const event = call.text("event") ?? io.env["HOOK_EVENT"] ?? "UserPromptSubmit";
  return `${JSON.stringify(await asContext(result, event, { env: io.env, home: io.home }))}\n`;
}

/** The sessions that a call of `hookline ask` wants: one, or one per line of its file. */
async function callsOf(call: Call, io: Io): Promise<readonly SessionCall[]> {
  const file = call.text("file");
  const common = await commonOf(call, io);
  if (file === undefined) {
    const [prompt, ...extra] = call.words;
    if (prompt === undefined || extra.length > 0) {
      throw new Problem(
        "cli/usage",
        "hookline ask takes one prompt in quotes, or --file PROMPTS. See hookline ask --help.",
      );
    }
    return [{ ...common, prompt: prompt === "-" ? await readText("-", "the prompt", io) : prompt }];
  }
  if (call.words.length > 0) throw new Problem("cli/usage", "Give a prompt or --file, not both.");
  const lines = (
    await readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => unreadable(file, cause))
  ).split(/\r?\n/);
  const calls = lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ ...common, ...lineCall(line, file, index) }],
  );
  if (calls.length === 0) throw new Problem("cli/bad-input", `${file} holds no prompt.`);
  return calls;
}

function unreadable(file: string, cause: unknown): never {
  throw new Problem("cli/bad-input", `--file cannot be read from ${file}: ${String(cause)}`, { cause });
}

async function commonOf(call: Call, io: Io): Promise<Omit<SessionCall, "prompt">> {
  const settings = call.text("settings");
  const timeout = positiveNumber(call, "timeout");
  const maxTurns = positiveNumber(call, "max-turns");
  const maxBudgetUsd = positiveNumber(call, "max-budget-usd");
  return {
    agent: agentOf(call.text("agent") ?? "claude", io),
    cwd: resolve(io.cwd, call.text("cwd") ?? "."),
    env: io.env,
    ...optionTexts(call, {
      sessionId: "session-id",
      resume: "resume",
      model: "model",
      permissionMode: "permission-mode",
    }),
    ...(call.flag("fork") ? { fork: true } : {}),
    ...(settings === undefined ? {} : { settings: await readObject(settings, "--settings", io) }),
    ...(call.texts("allowed-tools").length === 0 ? {} : { allowedTools: call.texts("allowed-tools") }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(call.flag("project-settings") ? { projectSettings: true } : {}),
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
    if (typeof value["prompt"] !== "string") throw new Error('it has no "prompt"');
    const odd = Object.keys(value).find((name) => !lineFields.some((known) => known === name));
    if (odd !== undefined) throw new Error(`it has a key "${odd}"; a line takes ${lineFields.join(", ")}`);
    return value as { prompt: string };
  } catch (cause) {
    const why = messageOf(cause);
    throw new Problem("cli/bad-input", `${file}, line ${index + 1}: ${why}.`, { cause });
  }
}
