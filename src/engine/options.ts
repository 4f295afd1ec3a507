import type { EventRow, Settings } from "../protocol/index.ts";
import type { AnyPayload } from "./fire/payload.ts";
import type { Ports } from "./ports.ts";

/** How an engine is opened. Everything has a default; nothing here can be set by a file. */
export interface EngineOptions {
  /** The start folder: project and local settings are this folder's. Default: the process's. */
  readonly cwd?: string;
  readonly home?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further settings, in the order given: files, JSON texts (comments are allowed), or objects. */
  readonly settings?: readonly (string | Settings)[];
  /** Which of the user's, the project's and the local settings are read; all of them by default. Managed settings always count. */
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /**
   * `pinned`: hooks of the checkout run only if their content was approved. `workspace`: one acceptance of the folder gates every
   * hook. `implicit`: everything runs.
   */
  readonly trust?: "pinned" | "workspace" | "implicit";
  /** Whether a person is there to be asked. */
  readonly interactive?: boolean;
  readonly ports?: Ports;
  /** Events of the host's own, with rows like the catalog's. */
  readonly events?: readonly EventRow[];
  /** Folders of plugins. */
  readonly plugins?: readonly string[];
  /** Where managed policy lies, in place of the system's folder. */
  readonly managedFolder?: string;
  /** Older names of tools, as `{ Task: "Agent" }`. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** How many hook processes of one event run at a time. */
  readonly concurrency?: number;
  /** Variables hooks do not inherit; a final `*` means all that begin so. */
  readonly stripEnv?: readonly string[];
  /** Adds `working_directory` and `home_directory` to payloads. */
  readonly olderFields?: boolean;
  /** How often in a row hooks may make an agent go on; 0 is no cap. */
  readonly stopBlockCap?: number;
  readonly canDefer?: boolean;
  readonly rejudge?: "conditions" | "all";
  /** How long the `judge` port may take about one call; then the user is asked. Default: 10,000. */
  readonly judgeTimeoutMs?: number;
  /** Whether the host offers the mode that asks nothing. */
  readonly bypassAvailable?: boolean;
  /** Lets the observer see what hooks were told and said. */
  readonly observeContent?: boolean;
  /** The conversation so far, for hooks that judge the end of a turn. */
  readonly conversation?: (payload: AnyPayload) => readonly unknown[];
  /**
   * The kind of an agent whose payloads have another `agent_type`, such as a teammate's own name: the hooks in the file of that kind
   * run for it too.
   */
  readonly agentKind?: (payload: AnyPayload) => string | undefined;
  /** The agent that the session was started as: the hooks in its file run in the whole session. */
  readonly startedAs?: string;
  /** Where the client keeps its own files. Default: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly clientHome?: string;
  /** Below which `session-env` lies, where it is not the client's home. */
  readonly envFileRoot?: string;
  /** What the host knows of the session, for events that the engine fires by itself. */
  readonly common?: () => AnyPayload;
}
