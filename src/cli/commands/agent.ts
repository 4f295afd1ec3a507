import type { Model, ScriptedModel } from "../../models/internal.ts";
import type { Command, Io } from "../command-line/command.ts";
import { processSignals, signalExitStatus, unlessInterrupted } from "../command-line/signals.ts";
import { engineOptions } from "../options/settings-options.ts";
import { agentOptions, checkAgentFlags, headlessOptions, namedModel } from "./agent-options.ts";

export const command: Command = {
  usage: "[-p] [PROMPT] [options]",
  about: `Runs the reference agent: a small coding agent that fires every event of the catalog.

Without a terminal, or with -p, it answers one prompt (the argument, or standard input) and exits. On a terminal it is interactive.
Models: an Anthropic name (ANTHROPIC_API_KEY), openai:NAME (OPENAI_API_KEY, OPENAI_BASE_URL), or scripted:FILE, which needs no network.
Exit status: 0 answered; 1 API error, refused start, limit reached or invalid arguments; 130, 143 or 129 after a signal.`,
  mostArguments: "any",
  options: {
    ...engineOptions,
    print: { short: "p", about: "answer one prompt and exit; the default without a terminal" },
    model: { value: "NAME", about: "model name, openai:NAME or scripted:FILE" },
    "fallback-model": { value: "NAME", about: "model to use when the first one is overloaded" },
    "session-id": { value: "UUID", about: "id of the new session" },
    resume: { short: "r", value: "ID", about: "resume this session" },
    continue: { short: "c", about: "resume the latest session in this directory" },
    "fork-session": { about: "resume in a copy; the original session is unchanged" },
    name: { short: "n", value: "NAME", about: "title of the session" },
    "no-session-persistence": { about: "do not save the session" },
    store: { value: "DIR", about: "where to save sessions (default: the state directory)" },
    "permission-mode": { value: "MODE", about: "default, acceptEdits, plan, dontAsk, bypassPermissions or auto" },
    "dangerously-skip-permissions": { about: "the same as --permission-mode bypassPermissions" },
    "allow-dangerously-skip-permissions": { about: "accepted for compatibility; has no effect" },
    "permission-prompt-tool": {
      value: "stdio",
      requires: "input-format=stream-json",
      about: "send permission requests to the program on stdin and stdout",
    },
    "allowed-tools": { value: "RULES", multiple: true, about: "rules of calls to allow, separated by commas" },
    "disallowed-tools": {
      value: "RULES",
      multiple: true,
      about: "rules of calls to deny, separated by commas; a bare tool name removes the tool",
    },
    tools: { value: "NAMES", multiple: true, about: 'offer only these tools; "default" means all' },
    "system-prompt": { value: "TEXT", about: "replace the system prompt" },
    "append-system-prompt": { value: "TEXT", about: "append to the system prompt" },
    subagents: { value: "JSON", about: "additional subagents: name, description, prompt, tools, model" },
    "setting-sources": { value: "LIST", about: "settings to read: user, project, local, separated by commas" },
    "add-dir": { value: "DIR", multiple: true, about: "additional working directory; can be repeated" },
    worktree: { short: "w", value: "NAME", about: "work in a new git worktree" },
    "mcp-config": { value: "FILE", multiple: true, about: "MCP servers, as a file or JSON; can be repeated" },
    "web-fetch": { about: "allow the agent to read web pages" },
    subagent: { value: "NAME", about: "run the session as this subagent: its prompt, tools and model" },
    effort: { value: "LEVEL", about: "low, medium, high, xhigh or max (default: that of the model)" },
    "max-thinking-tokens": { value: "N", about: "let the model think, with at most N tokens" },
    thinking: { value: "MODE", about: "adaptive (let the model think) or disabled (default)" },
    "max-turns": { value: "N", about: "maximum number of model calls, not counting those of subagents" },
    "max-budget-usd": { value: "X", about: "maximum cost in dollars" },
    "compact-at": {
      value: "SHARE",
      about: "compact at this share of the context window, or at this many tokens (default: 0.8)",
    },
    "output-format": { value: "FORMAT", about: "text, json or stream-json" },
    "input-format": { value: "FORMAT", about: "text or stream-json" },
    "include-hook-events": { requires: "output-format=stream-json", about: "include hook events in stream-json" },
    "include-partial-messages": {
      requires: "output-format=stream-json",
      about: "include partial messages in stream-json",
    },
    init: { excludes: ["init-only", "maintenance"], about: "run Setup hooks first" },
    "init-only": { excludes: ["maintenance"], about: "run Setup and session hooks, then exit" },
    maintenance: { about: "run Setup hooks for maintenance first" },
    verbose: { about: "accepted for compatibility; has no effect" },
  },
  // The spelling of Claude Code.
  aliases: {
    allowedTools: "allowed-tools",
    disallowedTools: "disallowed-tools",
    agents: "subagents",
    agent: "subagent",
  },
  examples: [
    `hookline agent -p "What does this project do?"`,
    `echo "Fix the failing test" | hookline agent -p --output-format json --permission-mode acceptEdits`,
    `hookline agent -p "How is the weather?" --model scripted:script.json`,
  ],
  async run(call, io) {
    const headless = call.flag("print") || !(io.stdin.isTTY === true && io.terminal.out);
    checkAgentFlags(call, headless);
    const [{ runHeadless, runInteractive }, { openModel, withRetry }] = await Promise.all([
      import("../../agent/internal.ts"),
      import("../../models/internal.ts"),
    ]);
    const warn = (line: string): void => void io.err(`hookline: ${line}\n`);
    const opened = await openModel(namedModel(call, io) ?? "default", io.env, warn);
    const scripted = isScripted(opened) ? opened : undefined;
    const model = withRetry(opened, retriesOf(io));
    // A script answers for every model.
    const openOther = async (name: string): Promise<Model> =>
      scripted === undefined ? withRetry(await openModel(name, io.env, warn), retriesOf(io)) : model;
    const common = { ...agentOptions(call, io), model, openModel: openOther };
    const front = { ...io, ...processSignals(process) };
    // A signal can arrive while the program is loading or reading its prompt.
    const formats = headless ? await headlessOptions(call, io).catch(unlessInterrupted(io)) : undefined;
    if (io.signal.aborted) return signalExitStatus(io.signal.reason);
    const status =
      formats === undefined
        ? await runInteractive({ ...common, prompt: call.operands.join(" ") }, front)
        : await runHeadless({ ...common, ...formats }, front);
    // Open handles of the session must not keep the process alive.
    if (status > 128) setTimeout(() => front.leave(status), leaveAfterMs).unref();
    const complaints = status === 0 ? (scripted?.complaints() ?? []) : [];
    for (const complaint of complaints) await io.err(`hookline: the script was not followed: ${complaint}\n`);
    return complaints.length > 0 ? 1 : status;
  },
};

/** Time for the last output to be written. */
const leaveAfterMs = 100;

function isScripted(model: Model): model is ScriptedModel {
  return "complaints" in model;
}

/** The number of attempts that CLAUDE_CODE_MAX_RETRIES asks for. */
function retriesOf({ env }: Io): { tries?: number } {
  const retries = Number.parseInt(env["CLAUDE_CODE_MAX_RETRIES"] ?? "", 10);
  return Number.isNaN(retries) ? {} : { tries: retries + 1 };
}
