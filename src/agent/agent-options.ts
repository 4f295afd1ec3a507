import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock, claudeHome, type EngineOptions } from "../engine/internal.ts";
import { runTag } from "../exec/internal.ts";
import { homeFolder, packageVersion } from "../files/internal.ts";
import { efforts, type Model } from "../models/internal.ts";
import { type Mode, readMode } from "../permissions/internal.ts";
import {
  attempt,
  badOption,
  checkAll,
  checkNamed,
  checkOf,
  defined,
  isObject,
  mustBe,
  type OptionCheck,
  oneOfCheck,
  Problem,
} from "../protocol/internal.ts";
import type { AgentEvent } from "./agent-event.ts";
import { type AgentControl, isUserPort, type UserPort, userQuestions } from "./agent-ports.ts";
import type { ServerConnector } from "./mcp/mcp-servers.ts";
import type { SubagentInput } from "./subagents/subagent-file.ts";
import type { WebFetchOptions } from "./tools/web/fetch-page.ts";

/** The options of `runAgent`. Only `model` is required. */
export interface RunAgentOptions {
  /** The model that answers: see `hookline/models`. */
  readonly model: Model;
  /** Opens the port of another model. Default: `model` answers under every name. */
  readonly openModel?: (name: string) => Promise<Model>;
  /** The model name to request. Default: the port's own. */
  readonly modelName?: string;
  /** The model to use when the first one is overloaded. */
  readonly fallbackModel?: string;
  /** The effort level: `low`, `medium`, `high`, `xhigh` or `max`. Default: that of the model. */
  readonly effort?: string;
  /** Tokens the model may think before it answers. Default: 0, no thinking. */
  readonly maxThinkingTokens?: number;
  /** Whether `model` in settings replaces `model` here. */
  readonly modelFromSettings?: boolean;
  /** The only prompt: the run ends when it is answered. Without one, prompts come through the control that `onReady` gets. */
  readonly prompt?: string;
  /** Called with the control of the session before any event is fired. The session begins when it resolves. */
  readonly onReady?: (control: AgentControl) => void | Promise<void>;
  /** Gets every event of the run. */
  readonly observe?: (event: AgentEvent) => void;
  /** Answers questions. Without it, every question counts as refused. */
  readonly user?: UserPort;
  /** Aborting it ends the run; the reason's `message` may name the signal. */
  readonly signal?: AbortSignal;

  /** The project folder. Default: that of this process. */
  readonly cwd?: string;
  /** The home folder. Default: the user's. */
  readonly home?: string;
  /** The environment. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The version in transcripts and in the registry. Default: that of Hookline. */
  readonly version?: string;
  /** A user is at the terminal. Hooks get other payloads and may ask questions. */
  readonly interactive?: boolean;

  /** The id of a new session, or of a fork. Default: a new one. */
  readonly sessionId?: string;
  /** The id of a session to continue. */
  readonly resume?: string;
  /** The latest session of this folder. */
  readonly continueLatest?: boolean;
  /** Continues in a copy of the session. */
  readonly fork?: boolean;
  /** The title of the session. */
  readonly name?: string;
  /** False writes nothing of the session. */
  readonly persist?: boolean;
  /** The folder of transcripts. Default: the user's store. */
  readonly store?: string;

  /** Additional settings: files or JSON texts. */
  readonly settings?: readonly string[];
  /** Folders of plugins. */
  readonly plugins?: readonly string[];
  /** How unapproved settings of a project are treated. */
  readonly trust?: EngineOptions["trust"];
  /** The folder of managed settings. Default: that of the system. */
  readonly managedFolder?: string;
  /** Default: the mode of settings, else `default`. */
  readonly permissionMode?: Mode;
  /** Permission rules that allow. */
  readonly allowedTools?: readonly string[];
  /** Permission rules that deny; a tool that is denied as a whole is not offered. */
  readonly disallowedTools?: readonly string[];
  /** The built-in tools to offer. Default: all. */
  readonly tools?: readonly string[];
  /** Replaces the agent's own system prompt. */
  readonly systemPrompt?: string;
  /** Follows the system prompt. */
  readonly appendSystemPrompt?: string;
  /** Further kinds of agents, by name. */
  readonly subagents?: Readonly<Record<string, SubagentInput>>;
  /** Which settings are read. Default: all. */
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /** Additional folders of the session. */
  readonly addDirectories?: readonly string[];
  /** The name of a worktree to work in; a name is generated when it is empty. */
  readonly worktree?: string;
  /** The subagent that the session runs as. */
  readonly subagent?: string;
  /** Connects MCP servers. Default: `mcpConnector()`. */
  readonly connect?: ServerConnector;
  /** MCP configurations: files or JSON texts. */
  readonly mcpConfig?: readonly string[];
  /** Offers WebFetch. Default: false. */
  readonly webFetch?: boolean | Omit<WebFetchOptions, "digest">;

  /** Model calls that one turn may make. */
  readonly maxTurns?: number;
  /** The cost after which the run ends. */
  readonly maxBudgetUsd?: number;
  /** When to compact: a share of the model's window up to 1, or a number of tokens above 1. Default: 0.8. */
  readonly compactAt?: number;
  /** Fires Setup first; `init-only` then ends the run. */
  readonly setup?: "init" | "init-only" | "maintenance";
  /** Time without a prompt before an idle notification. Default: 60,000. */
  readonly idleMs?: number;
  /** Time a question waits before a notification. Default: 6,000. */
  readonly promptNoticeMs?: number;
  /** The shortest time between two reports of a running hook's output. Default: 1,000. */
  readonly hookProgressMs?: number;

  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Makes ids. Default: random UUIDs. */
  readonly uuid?: () => string;
}

/** Options with every default filled in. The agent reads nothing else from the process. */
export interface AgentOptions extends Omit<RunAgentOptions, Defaulted>, Required<Pick<RunAgentOptions, Defaulted>> {
  /** Claude Code's folder of the user: `~/.claude`. */
  readonly configFolder: string;
  /** Whether agents, commands, skills and servers of a source are used. */
  readonly reads: SourceFilter;
}

/** What a folder or a user can add to the agent besides hooks and settings, with the name for messages. */
export const customizationNames = { skills: "commands and skills", agents: "agents", mcp: "MCP servers" } as const;

type CustomizationKind = keyof typeof customizationNames;

/** Whether additions of a kind from a source are used; `flag` is the command line. */
export type SourceFilter = (kind: CustomizationKind, source: "user" | "project" | "local" | "flag") => boolean;

/** The filter by `settingSources` only. */
export function readsOf(sources: AgentOptions["settingSources"]): SourceFilter {
  return (_, source) => source === "flag" || (sources?.includes(source) ?? true);
}

type Defaulted = keyof typeof defaults | "version" | "cwd" | "home" | "env" | "signal";

const defaults = {
  interactive: false,
  persist: true,
  compactAt: 0.8,
  idleMs: 60_000,
  promptNoticeMs: 6_000,
  hookProgressMs: 1_000,
  clock: { now: () => Date.now() },
  uuid: randomUUID as () => string,
} as const;

/** Checks the options and fills in the defaults. */
export function resolveAgentOptions(options: RunAgentOptions): AgentOptions {
  checkAgentOptions(options);
  const env = options.env ?? process.env;
  const home = options.home ?? homeFolder(env);
  return {
    ...defaults,
    version: packageVersion(),
    ...defined(options),
    cwd: resolve(options.cwd ?? process.cwd()),
    home,
    configFolder: claudeHome(env["CLAUDE_CONFIG_DIR"], home),
    // Every process of the session carries this tag, nested below the tag of an outer run.
    env: { ...env, [runTag]: [env[runTag], randomUUID()].filter(Boolean).join("/") },
    signal: options.signal ?? new AbortController().signal,
    reads: readsOf(options.settingSources),
  };
}

/** Refuses options that cannot be honored: a misspelled limit or rule must not be ignored silently. */
function checkAgentOptions(options: RunAgentOptions): void {
  checkNamed("runAgent", options, checks);
  if (!isObject(options.model)) throw badOption("runAgent needs a model: see hookline/models.", "model");
  const { sessionId, resume, continueLatest = false, fork = false, cwd = ".", addDirectories = [], effort } = options;
  if (resume !== undefined && continueLatest)
    throw badOption("resume (--resume) and continueLatest (--continue) name two sessions. Use one.", "continueLatest");
  const continues = resume !== undefined || continueLatest;
  if (fork && !continues)
    throw badOption("fork requires resume, the id of the session to copy, or continueLatest.", "fork");
  if (sessionId !== undefined && continues && !fork)
    throw badOption("A resumed session keeps its id. Leave sessionId (--session-id) out, or fork.", "sessionId");
  for (const folder of addDirectories) checkFolder(resolve(cwd, folder));
  if (effort === undefined || (efforts as readonly string[]).includes(effort)) return;
  const message = `"${effort}" is not an effort level. Use ${efforts.join(", ")}.`;
  throw new Problem("host/bad-effort", message, { about: { effort } });
}

const milliseconds = checkOf("a number of milliseconds", (value) => typeof value === "number" && value >= 0);
const mode = checkOf(
  "a permission mode: default, acceptEdits, plan, dontAsk, bypassPermissions or auto",
  (value) => readMode(value) === value,
);

const checks: Readonly<Record<keyof RunAgentOptions, OptionCheck | undefined>> = {
  ...checkAll(mustBe.text, "modelName", "fallbackModel", "prompt", "cwd", "home", "version", "sessionId", "resume"),
  ...checkAll(mustBe.text, "name", "store", "managedFolder", "systemPrompt", "appendSystemPrompt"),
  ...checkAll(mustBe.text, "subagent", "worktree"),
  ...checkAll(mustBe.textList, "settings", "plugins", "allowedTools", "disallowedTools", "tools"),
  ...checkAll(mustBe.textList, "addDirectories", "mcpConfig"),
  ...checkAll(mustBe.boolean, "modelFromSettings", "interactive", "continueLatest", "fork", "persist"),
  ...checkAll(mustBe.function, "openModel", "onReady", "observe", "connect", "uuid"),
  ...checkAll(mustBe.object, "env", "subagents"),
  ...checkAll(mustBe.positiveNumber, "maxBudgetUsd", "compactAt"),
  ...checkAll(milliseconds, "idleMs", "promptNoticeMs", "hookProgressMs"),
  // These are checked where they are used, with their own message.
  ...checkAll(undefined, "effort", "trust", "settingSources"),
  user: checkOf(`an object with functions for some of ${userQuestions.join(", ")}`, isUserPort),
  model: checkOf("a model", (value) => isObject(value) && typeof value["stream"] === "function"),
  maxThinkingTokens: checkOf("a whole number, 0 or more", (value) => Number.isInteger(value) && Number(value) >= 0),
  signal: mustBe.abortSignal,
  permissionMode: mode,
  webFetch: checkOf("true, false or an object", (value) => typeof value === "boolean" || isObject(value)),
  maxTurns: mustBe.wholeNumber,
  setup: oneOfCheck(["init", "init-only", "maintenance"]),
  clock: checkOf("an object with now()", (value) => isObject(value) && typeof value["now"] === "function"),
};

/** Throws a `Problem` for a path that is missing, not accessible or not a folder. */
export function checkFolder(path: string): void {
  if (attempt(() => statSync(path).isDirectory())) return;
  throw new Problem("host/no-folder", `${path} is not a directory. Name an existing one.`, { about: { path } });
}
