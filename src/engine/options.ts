import { availableParallelism } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { homeFolder } from "../files/internal.ts";
import { catalog, defined, type EventRow, messageOf, Problem, type Settings, showValue } from "../protocol/internal.ts";
import type { AnyPayload } from "./fire/payload.ts";
import type { Ports } from "./ports.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How an engine is opened. Everything has a default; nothing here can be set by a file. */
export interface EngineOptions {
  /** The start directory: project and local settings are read here. Default: the working directory of the process. */
  readonly cwd?: string;
  /** The home directory, an absolute path. Default: `HOME` of `env`; if that is empty, the one that the system has for the user. */
  readonly home?: string;
  /** The environment that hooks inherit. Default: that of the process. */
  readonly env?: Environment;
  /** Further settings, in the order given: files, JSON texts (comments are allowed), or objects. */
  readonly settings?: readonly (string | Settings)[];
  /** Which of the user's, the project's and the local settings are read; all of them by default. Managed settings always count. */
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /**
   * `pinned`: hooks of the checkout run only if their content was approved. `workspace`: hooks of all layers run once the directory
   * or a parent of it was accepted as a whole. `implicit`: everything runs. Default: `pinned`.
   */
  readonly trust?: "pinned" | "workspace" | "implicit";
  /** Whether a user can answer questions. Default: false, and then a question of the rules (`rules()`) is a denial. */
  readonly interactive?: boolean;
  /** What the host provides: a model, an agent, MCP servers, questions to the user, an observer. */
  readonly ports?: Ports;
  /** Events of the host's own, with rows like the catalog's. */
  readonly events?: readonly EventRow[];
  /** Directories of plugins. */
  readonly plugins?: readonly string[];
  /** The directory of managed policy. Default: that of the system. */
  readonly managedFolder?: string;
  /** Other names of tools for matchers and rules, such as `{ Shell: "Bash" }`, in addition to `{ Task: "Agent" }`. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** How many hook processes of one event run at a time. Default: the number of cores, at least 4. */
  readonly concurrency?: number;
  /** Variables that hooks do not inherit; a trailing `*` matches any ending. */
  readonly stripEnv?: readonly string[];
  /** Adds `working_directory` and `home_directory` to payloads. */
  readonly olderFields?: boolean;
  /** How often in a row hooks may make an agent continue; 0 means no limit. Default: `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` of `env`, else 8. */
  readonly stopBlockCap?: number;
  /** Whether the host can defer a tool call; if not, the user is asked. Default: true. */
  readonly canDefer?: boolean;
  /** Which hooks see an input that another hook rewrote: those whose `if` now holds, or all. Default: `conditions`. */
  readonly rejudge?: "conditions" | "all";
  /** How long the `judge` port may take about one call; then the user is asked. Default: 10,000. */
  readonly judgeTimeoutMs?: number;
  /** Whether the host offers the mode `bypassPermissions`. Default: false. */
  readonly bypassAvailable?: boolean;
  /** Lets the observer see the input and output of hooks. */
  readonly observeContent?: boolean;
  /** The conversation so far, for hooks that judge the end of a turn. */
  readonly conversation?: (payload: AnyPayload) => readonly unknown[];
  /**
   * The kind of an agent whose payloads have another `agent_type`, such as a teammate's own name: the hooks in the file of that kind
   * run for it too.
   */
  readonly agentKind?: (payload: AnyPayload) => string | undefined;
  /** The agent that the session was started as: hooks in its file run in the whole session. */
  readonly startedAs?: string;
  /** Where Claude Code keeps its own files. Default: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly claudeHome?: string;
  /** The directory that contains `session-env`. Default: `claudeHome`. */
  readonly envFileRoot?: string;
  /** Payload fields for events that the engine fires itself. */
  readonly common?: () => AnyPayload;
}

/** Options with every default filled in; nothing else is read from the process. */
export interface ResolvedOptions
  extends Required<Omit<EngineOptions, WithoutDefault | "events" | "settings">>,
    Pick<EngineOptions, WithoutDefault> {
  /** Files or JSON texts. */
  readonly settings: readonly string[];
  readonly rows: Readonly<Record<string, EventRow>>;
}

type WithoutDefault = "conversation" | "agentKind" | "startedAs" | "common";

const defaults = {
  settingSources: ["user", "project", "local"],
  trust: "pinned",
  interactive: false,
  ports: {},
  plugins: [],
  toolAliases: {},
  // Tracing set up for the agent must not make every hook report as the agent.
  stripEnv: ["OTEL_*"],
  olderFields: false,
  canDefer: true,
  rejudge: "conditions",
  judgeTimeoutMs: 10_000,
  bypassAvailable: false,
  observeContent: false,
} as const;

export function resolveOptions({ settings = [], events = [], ...given }: EngineOptions): ResolvedOptions {
  const env = given.env ?? process.env;
  const home = given.home ?? checkHome("HOME", homeFolder(env));
  const ownFolder = given.claudeHome ?? checkHome("CLAUDE_CONFIG_DIR", claudeHome(env["CLAUDE_CONFIG_DIR"], home));
  return {
    managedFolder: managedFolder(process.platform),
    concurrency: Math.max(4, availableParallelism()),
    stopBlockCap: capFrom(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]),
    claudeHome: ownFolder,
    envFileRoot: ownFolder,
    ...defaults,
    ...defined(given),
    cwd: resolve(given.cwd ?? process.cwd()),
    home,
    env,
    settings: settings.map(settingsText),
    rows: rowsWith(events),
  };
}

/** The home directory must be absolute, so that user settings do not depend on the current directory. */
function checkHome(name: string, path: string): string {
  if (isAbsolute(path)) return path;
  const message = `${name} in the environment must be an absolute path, not ${showValue(path)}: the settings of any directory would count as your own.`;
  throw new Problem("engine/bad-option", message, { about: { option: name } });
}

/** Settings of a program are read like those of a file. */
function settingsText(given: string | Settings, at: number): string {
  if (typeof given === "string") return given;
  try {
    return JSON.stringify(given);
  } catch (cause) {
    const message = `The engine option settings[${at}] cannot be written as JSON: ${messageOf(cause)}.`;
    throw new Problem("engine/bad-option", message, { about: { option: "settings" }, cause });
  }
}

function rowsWith(own: readonly EventRow[]): Readonly<Record<string, EventRow>> {
  if (own.length === 0) return catalog;
  const rows: Record<string, EventRow> = { ...catalog };
  for (const row of own) {
    if (Object.hasOwn(rows, row.name)) {
      throw new Problem("event/taken", `The event "${row.name}" is already known; give yours another name.`);
    }
    rows[row.name] = row;
  }
  return rows;
}

/** The folder of managed policy; only the host can name another one. */
export function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  return platform === "win32" ? "C:\\Program Files\\ClaudeCode" : "/etc/claude-code";
}

const defaultStopCap = 8;

function capFrom(text: string | undefined): number {
  const cap = text?.trim() ? Number(text) : Number.NaN;
  return Number.isInteger(cap) && cap >= 0 ? cap : defaultStopCap;
}

/** The first entry of a comma-separated list counts. */
export function claudeHome(named: string | undefined, home: string): string {
  const first = named?.split(",")[0]?.trim();
  return first ? first : join(home, ".claude");
}
