import { resolve } from "node:path";
import type { HeadlessOptions, SubagentInput } from "../../agent/internal.ts";
import { packageVersion } from "../../files/internal.ts";
import { type Mode, splitRules } from "../../permissions/internal.ts";
import { defined, isObject, Problem } from "../../protocol/internal.ts";
import type { Io, ParsedCall } from "../command-line/command.ts";
import { readAll } from "../command-line/input.ts";
import { choice, choices, optionTexts, positiveNumber, wholeNumber, workingFolder } from "../options/option-values.ts";
import { permissionMode } from "../options/permission-mode.ts";
import { pluginFolders, settingsArguments, trustMode } from "../options/settings-options.ts";

/** Refuses flags of `hookline agent` that would have no effect, or that contradict each other. */
export function checkAgentFlags(call: ParsedCall, headless: boolean): void {
  const fault = faultIn(call, headless);
  if (fault !== undefined) throw new Problem("cli/usage", `${fault} See hookline agent --help.`);
}

function faultIn(call: ParsedCall, headless: boolean): string | undefined {
  const readsStream = call.text("input-format") === "stream-json";
  const promptTool = call.text("permission-prompt-tool");
  const mode = call.text("permission-mode");
  if (call.flag("dangerously-skip-permissions") && mode !== undefined && mode !== "bypassPermissions")
    return `--dangerously-skip-permissions contradicts --permission-mode ${mode}. Use one of them.`;
  if (promptTool !== undefined && promptTool !== "stdio")
    return `--permission-prompt-tool must be stdio, not "${promptTool}".`;
  if (call.flag("fork-session") && call.text("resume") === undefined && !call.flag("continue"))
    return "--fork-session requires --resume ID or --continue.";
  if (!headless) {
    const useless = onlyHeadless.find((name) => call.flag(name) || call.text(name) !== undefined);
    return useless === undefined ? undefined : `--${useless} requires -p.`;
  }
  if (readsStream && call.text("output-format") !== "stream-json")
    return "--input-format stream-json requires --output-format stream-json.";
  if (readsStream && call.operands.length > 0)
    return "With --input-format stream-json prompts come from standard input. Omit the prompt.";
  return undefined;
}

const onlyHeadless = [
  ...(["output-format", "input-format", "permission-prompt-tool"] as const),
  ...(["include-hook-events", "include-partial-messages"] as const),
];

/** The model that the call or the environment names. Without one, settings can name it. */
export function namedModel(call: ParsedCall, io: Io): string | undefined {
  return call.text("model") ?? (io.env["ANTHROPIC_MODEL"] || undefined);
}

/** The options that headless and interactive sessions share. */
export function agentOptions(call: ParsedCall, io: Io): Omit<HeadlessOptions, keyof Formats | "model" | "openModel"> {
  const cwd = workingFolder(call, io);
  const store = call.text("store");
  return {
    cwd,
    home: io.home,
    env: io.env,
    version: packageVersion(),
    settings: settingsArguments(call, io),
    plugins: pluginFolders(call, io),
    mcpConfig: settingsArguments(call, io, "mcp-config"),
    allowedTools: call.texts("allowed-tools").flatMap(splitRules),
    disallowedTools: call.texts("disallowed-tools").flatMap(splitRules),
    addDirectories: call.texts("add-dir").map((folder) => resolve(cwd, folder)),
    persist: !call.flag("no-session-persistence"),
    webFetch: call.flag("web-fetch"),
    modelFromSettings: namedModel(call, io) === undefined,
    continueLatest: call.flag("continue"),
    fork: call.flag("fork-session"),
    ...optionTexts(call, {
      ...{ systemPrompt: "system-prompt", appendSystemPrompt: "append-system-prompt", sessionId: "session-id" },
      ...{ resume: "resume", name: "name", worktree: "worktree", subagent: "subagent", effort: "effort" },
      fallbackModel: "fallback-model",
    }),
    ...defined({
      trust: trustMode(call),
      setup: (["init-only", "maintenance", "init"] as const).find((name) => call.flag(name)),
      store: store === undefined ? undefined : resolve(io.cwd, store),
      tools: toolsOf(call),
      subagents: subagentsOf(call),
      settingSources: sourcesOf(call),
      permissionMode: modeOf(call),
      maxThinkingTokens: thinkingTokens(call, io),
      maxTurns: wholeNumber(call, "max-turns", 1),
      maxBudgetUsd: positiveNumber(call, "max-budget-usd"),
      compactAt: positiveNumber(call, "compact-at"),
    }),
  };
}

function toolsOf(call: ParsedCall): readonly string[] | undefined {
  const given = call.texts("tools");
  if (given.length === 0 || given.includes("default")) return undefined;
  return given.flatMap((list) => list.split(/[,\s]+/)).filter(Boolean);
}

function subagentsOf(call: ParsedCall): Readonly<Record<string, SubagentInput>> | undefined {
  const given = call.text("subagents");
  if (given === undefined) return undefined;
  try {
    const agents: unknown = JSON.parse(given);
    if (!isObject(agents)) throw new Error("expected an object");
    return agents as Readonly<Record<string, SubagentInput>>;
  } catch (cause) {
    throw new Problem("cli/usage", `--subagents is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function sourcesOf(call: ParsedCall): HeadlessOptions["settingSources"] {
  if (call.text("setting-sources") === undefined) return undefined;
  const known = ["user", "project", "local"] as const;
  const names = choices(call, "setting-sources", known);
  return known.filter((name) => names.includes(name));
}

function modeOf(call: ParsedCall): Mode | undefined {
  if (call.flag("dangerously-skip-permissions")) return "bypassPermissions";
  return permissionMode(call, "permission-mode");
}

/** `--thinking` and `--max-thinking-tokens`, as the Agent SDK passes them, or the variable of Claude Code. */
function thinkingTokens(call: ParsedCall, io: Io): number | undefined {
  const mode = choice(call, "thinking", ["adaptive", "enabled", "disabled"]);
  const given = call.text("max-thinking-tokens") ?? (mode === undefined ? io.env["MAX_THINKING_TOKENS"] : undefined);
  if (mode === "disabled") return 0;
  if (given === undefined || given === "") return mode === undefined ? undefined : mostThinkingTokens;
  const tokens = Number(given);
  if (Number.isInteger(tokens) && (tokens === 0 || tokens >= 1_024)) return tokens;
  throw new Problem("cli/usage", `The thinking budget must be 0 or at least 1024 tokens, not "${given}".`);
}

/** One less than the length of an answer: the API requires a smaller budget. */
const mostThinkingTokens = 31_999;

type Formats = Pick<HeadlessOptions, "output" | "input" | "hookEvents" | "partialMessages" | "askOverStdio" | "prompt">;

/** The formats and the prompt of a headless session. Reads standard input when no prompt is given. */
export async function headlessOptions(call: ParsedCall, io: Io): Promise<Formats> {
  const output = choice(call, "output-format", ["text", "json", "stream-json"]) ?? "text";
  const input = choice(call, "input-format", ["text", "stream-json"]) ?? "text";
  const given = call.operands.join(" ");
  const readsPrompt = given === "" && input === "text" && !call.flag("init-only") && io.stdin.isTTY !== true;
  const prompt = readsPrompt ? (await readAll(io)).trim() : given;
  return {
    output,
    input,
    hookEvents: call.flag("include-hook-events"),
    partialMessages: call.flag("include-partial-messages"),
    askOverStdio: call.text("permission-prompt-tool") === "stdio",
    ...(input === "stream-json" ? {} : { prompt }),
  };
}
