import { resolve } from "node:path";
import type { HeadlessOptions, SubagentInput } from "../../agent/internal.ts";
import { packageVersion } from "../../files/internal.ts";
import type { Model, ScriptedModel } from "../../models/internal.ts";
import { type Mode, readMode } from "../../permissions/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import { checkAgentFlags } from "../agent-flags.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { readAll } from "../command-line/input.ts";
import { processSignals, statusOfInterruption } from "../command-line/signals.ts";
import { oneOf, optionTexts, positiveNumber } from "../option-values.ts";
import { engineOptions, pluginFolders, trustMode } from "../options/settings-options.ts";

export const command: Command = {
  usage: "[-p] [PROMPT] [options]",
  about: `The reference agent: a small coding agent that fires every event of the catalog for real.

Without a terminal, or with -p, it answers one prompt (the argument, or standard input) and ends. With a terminal it is a line prompt.
Models: an Anthropic name (ANTHROPIC_API_KEY), openai:NAME (OPENAI_API_KEY, OPENAI_BASE_URL), or scripted:FILE, which needs nobody.
Exit status: 0 answered, 1 API error, refused start, limit reached or wrong call, 130, 143 or 129 by signal.`,
  options: {
    ...engineOptions,
    print: { type: "boolean", short: "p", about: "answer one prompt and end; the default without a terminal" },
    model: { type: "string", value: "NAME", about: "a model's name, openai:NAME or scripted:FILE" },
    "fallback-model": { type: "string", value: "NAME", about: "who answers when the model is overloaded" },
    "session-id": { type: "string", value: "UUID", about: "the id of the new session" },
    resume: { type: "string", short: "r", value: "ID", about: "go on with that session" },
    continue: { type: "boolean", short: "c", about: "go on with the latest session of this folder" },
    "fork-session": { type: "boolean", about: "go on in a copy; the old session stays as it is" },
    name: { type: "string", short: "n", value: "NAME", about: "a title for the session" },
    "no-session-persistence": { type: "boolean", about: "write nothing of the session" },
    store: { type: "string", value: "DIR", about: "where sessions are kept (default: the state folder)" },
    "permission-mode": {
      type: "string",
      value: "MODE",
      about: "default, acceptEdits, plan, dontAsk, bypassPermissions or auto",
    },
    "dangerously-skip-permissions": { type: "boolean", about: "the same as --permission-mode bypassPermissions" },
    "allow-dangerously-skip-permissions": {
      type: "boolean",
      about: "accepted for programs that pass it; it changes no mode",
    },
    "permission-prompt-tool": {
      type: "string",
      value: "stdio",
      about: "ask the program at the other end of stdin and stdout",
    },
    "allowed-tools": {
      type: "string",
      value: "RULES",
      multiple: true,
      about: "permission rules that allow, split at commas",
    },
    allowedTools: {
      type: "string",
      multiple: true,
      about: "the client's other name",
      aliasOf: { option: "allowed-tools" },
    },
    "disallowed-tools": {
      type: "string",
      value: "RULES",
      multiple: true,
      about: "permission rules that deny, split at commas; a tool named alone is not offered",
    },
    disallowedTools: {
      type: "string",
      multiple: true,
      about: "the client's other name",
      aliasOf: { option: "disallowed-tools" },
    },
    tools: { type: "string", value: "NAMES", multiple: true, about: "offer only these tools; default for all" },
    "system-prompt": { type: "string", value: "TEXT", about: "in the place of the agent's own system prompt" },
    "append-system-prompt": { type: "string", value: "TEXT", about: "added to the system prompt" },
    subagents: {
      type: "string",
      value: "JSON",
      about: "further kinds of subagents: name, description, prompt, tools, model",
    },
    agents: { type: "string", about: "the client's name of --subagents", aliasOf: { option: "subagents" } },
    "setting-sources": {
      type: "string",
      value: "LIST",
      about: "which settings are read: user, project, local, split at commas",
    },
    "add-dir": {
      type: "string",
      value: "DIR",
      multiple: true,
      about: "a further folder to work in; may be given again",
    },
    worktree: { type: "string", short: "w", value: "NAME", about: "work in a new git worktree" },
    "mcp-config": {
      type: "string",
      value: "FILE",
      multiple: true,
      about: "servers, as a file or JSON; may be given again",
    },
    "web-fetch": { type: "boolean", about: "let the agent read web pages" },
    subagent: { type: "string", value: "NAME", about: "run the session as that subagent: its prompt, tools and model" },
    agent: { type: "string", about: "the client's name of --subagent", aliasOf: { option: "subagent" } },
    effort: { type: "string", value: "LEVEL", about: "low, medium, high, xhigh or max (default: the model's own)" },
    "max-thinking-tokens": { type: "string", value: "N", about: "let the model think, in at most N tokens" },
    thinking: { type: "string", value: "MODE", about: "adaptive (let the model think) or disabled (the default)" },
    "max-turns": { type: "string", value: "N", about: "model calls at most; those of its subagents do not count" },
    "max-budget-usd": { type: "string", value: "X", about: "dollars at most" },
    "compact-at": {
      type: "string",
      value: "SHARE",
      about: "compact at that share of the window, or at that many tokens (default 0.8)",
    },
    "output-format": { type: "string", value: "FORMAT", about: "text, json or stream-json" },
    "input-format": { type: "string", value: "FORMAT", about: "text or stream-json" },
    "include-hook-events": { type: "boolean", about: "hooks too, in stream-json" },
    "include-partial-messages": { type: "boolean", about: "deltas too, in stream-json" },
    init: { type: "boolean", excludes: ["init-only", "maintenance"], about: "run Setup hooks first" },
    "init-only": { type: "boolean", excludes: ["maintenance"], about: "run Setup and session hooks, then end" },
    maintenance: { type: "boolean", about: "run Setup hooks for maintenance first" },
    verbose: { type: "boolean", about: "accepted for programs that pass it" },
  },
  examples: [
    `hookline agent -p "What does this project do?"`,
    `echo "Fix the failing test" | hookline agent -p --output-format json --permission-mode acceptEdits`,
    `hookline agent -p "hello" --model scripted:script.json`,
  ],
  async run(call, io) {
    const headless = call.flag("print") || !(io.stdin.isTTY === true && io.terminal.out);
    checkAgentFlags(call, headless);
    const [{ runHeadless, runInteractive }, { openModel, withRetry }] = await Promise.all([
      import("../../agent/internal.ts"),
      import("../../models/internal.ts"),
    ]);
    const say = (sentence: string): void => void io.err(`hookline: ${sentence}\n`);
    const opened = await openModel(namedModel(call, io) ?? "default", io.env, say);
    const scripted = isScripted(opened) ? opened : undefined;
    const model = withRetry(opened, retriesOf(io));
    // A script answers for every model there is.
    const others = async (name: string): Promise<Model> =>
      scripted === undefined ? withRetry(await openModel(name, io.env, say), retriesOf(io)) : model;
    const common = { ...optionsOf(call, io), model, openModel: others };
    const front = { ...io, colour: io.terminal.colour, ...processSignals(process) };
    // A signal that came while the program was loading, or while it reads its prompt, counts too.
    const formats = headless ? await headlessOptions(call, io).catch(unlessInterrupted(io)) : undefined;
    if (io.signal.aborted) return statusOfInterruption(io.signal.reason);
    const status =
      formats === undefined
        ? await runInteractive({ ...common, prompt: call.words.join(" ") }, front)
        : await runHeadless({ ...common, ...formats }, front);
    // What the end of the session left behind does not keep the process.
    if (status > 128) setTimeout(() => front.leave(status), leaveAfterMs).unref();
    const complaints = status === 0 ? (scripted?.complaints() ?? []) : [];
    for (const complaint of complaints) await io.err(`hookline: the script did not go as written: ${complaint}\n`);
    return complaints.length > 0 ? 1 : status;
  },
};

/** For the last words to leave. */
const leaveAfterMs = 100;

/** The model of the call or of the environment; without either, settings may name one. */
function namedModel(call: Call, io: Io): string | undefined {
  return call.text("model") ?? (io.env["ANTHROPIC_MODEL"] || undefined);
}

function isScripted(model: Model): model is ScriptedModel {
  return "complaints" in model;
}

/** As the client's own variable says it: how often to try again. */
function retriesOf({ env }: Io): { tries?: number } {
  const retries = Number.parseInt(env["CLAUDE_CODE_MAX_RETRIES"] ?? "", 10);
  return Number.isNaN(retries) ? {} : { tries: retries + 1 };
}

function optionsOf(call: Call, io: Io) {
  const cwd = resolve(io.cwd, call.text("cwd") ?? ".");
  const path = (text: string): string => (text.trimStart().startsWith("{") ? text : resolve(io.cwd, text));
  const trust = trustMode(call.text("trust"));
  const setup = (["init-only", "maintenance", "init"] as const).find((name) => call.flag(name));
  const store = call.text("store");
  return {
    cwd,
    home: io.home,
    env: io.env,
    version: packageVersion(),
    settings: call.texts("settings").map(path),
    plugins: pluginFolders(call, io),
    mcpConfig: call.texts("mcp-config").map(path),
    allowedTools: call.texts("allowed-tools").flatMap(rulesIn),
    disallowedTools: call.texts("disallowed-tools").flatMap(rulesIn),
    addDirectories: call.texts("add-dir").map((folder) => resolve(cwd, folder)),
    persist: !call.flag("no-session-persistence"),
    webFetch: call.flag("web-fetch"),
    modelFromSettings: namedModel(call, io) === undefined,
    continueLatest: call.flag("continue"),
    fork: call.flag("fork-session"),
    ...(trust === undefined ? {} : { trust }),
    ...(setup === undefined ? {} : { setup }),
    ...(store === undefined ? {} : { store: resolve(io.cwd, store) }),
    ...optionTexts(call, {
      ...{ systemPrompt: "system-prompt", appendSystemPrompt: "append-system-prompt", sessionId: "session-id" },
      ...{ resume: "resume", name: "name", worktree: "worktree", subagent: "subagent", effort: "effort" },
      fallbackModel: "fallback-model",
    }),
    ...toolsOf(call),
    ...agentsOf(call),
    ...sourcesOf(call),
    ...defined({
      maxTurns: positiveNumber(call, "max-turns", "whole"),
      maxBudgetUsd: positiveNumber(call, "max-budget-usd"),
      compactAt: positiveNumber(call, "compact-at"),
    }),
    ...modeOf(call),
    ...thinkingOf(call, io),
  };
}

/** `--thinking` and `--max-thinking-tokens`, as the Agent SDK passes them, or the client's variable. */
function thinkingOf(call: Call, io: Io): { maxThinkingTokens?: number } {
  const mode = call.text("thinking");
  const said = call.text("max-thinking-tokens") ?? (mode === undefined ? io.env["MAX_THINKING_TOKENS"] : undefined);
  if (mode !== undefined && !["adaptive", "enabled", "disabled"].includes(mode))
    throw new Problem("cli/usage", `--thinking must be adaptive, enabled or disabled, not "${mode}".`);
  if (mode === "disabled") return { maxThinkingTokens: 0 };
  if (said === undefined || said === "") return mode === undefined ? {} : { maxThinkingTokens: mostThinking };
  const tokens = Number(said);
  if (Number.isInteger(tokens) && (tokens === 0 || tokens >= 1_024)) return { maxThinkingTokens: tokens };
  throw new Problem("cli/usage", `The thinking budget must be 0 or at least 1024 tokens, not "${said}".`);
}

/** As much as an answer may have; one less is what the API takes. */
const mostThinking = 31_999;

function modeOf(call: Call): { permissionMode?: Mode } {
  if (call.flag("dangerously-skip-permissions")) return { permissionMode: "bypassPermissions" };
  const word = call.text("permission-mode");
  if (word === undefined) return {};
  const mode = readMode(word);
  if (mode !== undefined) return { permissionMode: mode };
  const all = "default, acceptEdits, plan, dontAsk, bypassPermissions and auto";
  throw new Problem("cli/usage", `"${word}" is no permission mode. There are ${all}.`);
}

function toolsOf(call: Call): { tools?: readonly string[] } {
  const given = call.texts("tools");
  if (given.length === 0 || given.includes("default")) return {};
  return { tools: given.flatMap((list) => list.split(/[,\s]+/)).filter(Boolean) };
}

function agentsOf(call: Call): { subagents?: Readonly<Record<string, SubagentInput>> } {
  const given = call.text("subagents");
  if (given === undefined) return {};
  try {
    const agents: unknown = JSON.parse(given);
    if (typeof agents !== "object" || agents === null || Array.isArray(agents)) throw new Error("it is not an object");
    return { subagents: agents as Readonly<Record<string, SubagentInput>> };
  } catch (cause) {
    throw new Problem("cli/usage", `--subagents is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function sourcesOf(call: Call): Pick<HeadlessOptions, "settingSources"> {
  const given = call.text("setting-sources");
  if (given === undefined) return {};
  const names = given
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const known = ["user", "project", "local"] as const;
  const odd = names.find((name) => !known.some((one) => one === name));
  if (odd !== undefined)
    throw new Problem("cli/usage", `--setting-sources takes user, project and local, not "${odd}".`);
  return { settingSources: known.filter((one) => names.includes(one)) };
}

/** Rules are split at commas and blanks outside their brackets, which may hold both, and further brackets. */
function rulesIn(list: string): readonly string[] {
  const rules: string[] = [];
  let rule = "";
  let depth = 0;
  for (const letter of list) {
    depth = Math.max(0, depth + (letter === "(" ? 1 : letter === ")" ? -1 : 0));
    if (depth === 0 && /[\s,]/.test(letter)) {
      rules.push(rule);
      rule = "";
    } else rule += letter;
  }
  return [...rules, rule].filter(Boolean);
}

type Formats = Pick<HeadlessOptions, "output" | "input" | "hookEvents" | "partialMessages" | "askOverStdio" | "prompt">;

async function headlessOptions(call: Call, io: Io): Promise<Formats> {
  const output = oneOf("output-format", call.text("output-format"), ["text", "json", "stream-json"]) ?? "text";
  const input = oneOf("input-format", call.text("input-format"), ["text", "stream-json"]) ?? "text";
  const given = call.words.join(" ");
  const needed = input === "text" && !call.flag("init-only");
  const prompt = given === "" && needed ? await promptIn(io) : given;
  return {
    output,
    input,
    hookEvents: call.flag("include-hook-events"),
    partialMessages: call.flag("include-partial-messages"),
    askOverStdio: call.text("permission-prompt-tool") === "stdio",
    ...(input === "stream-json" ? {} : { prompt }),
  };
}

async function promptIn(io: Io): Promise<string> {
  return io.stdin.isTTY === true ? "" : (await readAll(io)).trim();
}

function unlessInterrupted({ signal }: Io): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
    return undefined;
  };
}
