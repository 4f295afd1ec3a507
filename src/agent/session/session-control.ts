import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { CallbackHandler, StopHooks } from "../../engine/internal.ts";
import { endLeftovers, findLeftovers, runTag } from "../../exec/internal.ts";
import { isInside } from "../../files/internal.ts";
import type { ContentBlock } from "../../models/internal.ts";
import type { Mode } from "../../permissions/internal.ts";
import { type EventName, eventRow, Problem } from "../../protocol/internal.ts";
import { checkFolder } from "../agent-options.ts";
import { addSubagents } from "../subagents/subagent-definitions.ts";
import { commandList } from "../turn/custom-commands.ts";
import { notifyHooks } from "../turn/fire-event.ts";
import type { AgentThread } from "./agent-session.ts";
import type { OpenSession } from "./open-session.ts";
import type { Driver } from "./session-driver.ts";
import { switchModel } from "./session-model.ts";

export function openControl({ session, main }: OpenSession, driver: Driver, close: () => void): AgentControl {
  const { engine, inbox, permissions, signal } = session;
  return {
    prompt: (content, source = "sdk") => inbox.put({ kind: "prompt", content, source }),
    end: close,
    interrupt: driver.interrupt,
    abandon: async () => void endLeftovers(await findLeftovers(runTag, session.options.env[runTag] ?? "")),
    setModel: (name) => switchModel(main, name, "sdk", signal),
    setPermissionMode: permissions.setMode,
    addDirectory: (path, source) => addDirectory(main, path, source),
    configure: ({ systemPrompt, appendSystemPrompt, subagents }) => {
      const { system, append } = session.prompts;
      session.prompts = { system: systemPrompt || system, append: appendSystemPrompt || append };
      if (subagents !== undefined && session.options.reads("agents", "flag"))
        session.definitions = addSubagents(session.definitions, subagents);
    },
    catalog: async () => ({
      commands: await commandList(session.options),
      subagents: session.definitions.map(({ type, description }) => ({ name: type, description })),
      model: main.model.name,
    }),
    stopHooks: engine.stopHooks,
    session: {
      get id() {
        return session.record.id;
      },
      get transcriptPath() {
        return session.record.file;
      },
      get permissionMode() {
        return permissions.mode();
      },
    },
    on: (event, matcher, callback, limits) => {
      const name = eventRow(event).name as EventName;
      const handler: CallbackHandler = (payload, { toolUseId, signal: hookSignal }) =>
        callback({ ...payload }, toolUseId, hookSignal) as Promise<undefined>;
      return matcher === undefined ? engine.on(name, handler, limits) : engine.on(name, matcher, handler, limits);
    },
  };
}

/** Adds a folder to the session. Returns its real path. */
export async function addDirectory(
  main: AgentThread,
  path: string,
  source: "slash_command" | "register_repo_root",
): Promise<string> {
  const requested = resolve(main.cwd, path);
  const directory = await realpath(requested).catch(() => requested);
  if (source === "register_repo_root") await checkInside(main, directory);
  checkFolder(requested);
  if (!main.session.directories.includes(directory)) main.session.directories.push(directory);
  notifyHooks(main, "DirectoryAdded", { directory, source });
  return directory;
}

/** A program may add folders below the session's folder or below an `--add-dir` folder. Only the user may add others. */
async function checkInside({ session }: AgentThread, directory: string): Promise<void> {
  const { cwd, addDirectories = [] } = session.options;
  const folders = [cwd, ...addDirectories];
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  if (roots.some((root) => isInside(directory, root))) return;
  const message = `register_repo_root: ${directory} is not a subdirectory of the session's working directory or of a launch-time --add-dir root`;
  throw new Problem("host/no-folder", message, { about: { path: directory } });
}

/** Controls a running session, for the user or the embedding program. The model cannot reach it. */
export interface AgentControl {
  /** Queues a prompt. */
  prompt(content: string | readonly ContentBlock[], source?: "sdk" | "typed"): void;
  /** No more prompts will come: the session ends when all are answered. */
  end(): void;
  /** Ends the current turn, or the prompt that waits to begin, and all background subagents. */
  interrupt(): void;
  /** Kills every process of the session at once. */
  abandon(): Promise<void>;
  /** Switches the model. `refused` is the reason if a hook or the user refuses the switch. */
  setModel(name: string): Promise<{ readonly refused?: string }>;
  setPermissionMode(mode: Mode): void;
  addDirectory(path: string, source: "slash_command" | "register_repo_root"): Promise<string>;
  /** Sets the system prompt and adds subagents, before the session begins. Throws a `Problem` for an invalid subagent. */
  configure(setup: SessionSetup): void;
  /** Lists the slash commands and the kinds of subagents. */
  catalog(): Promise<SessionCatalog>;
  readonly stopHooks: StopHooks;
  readonly session: { readonly id: string; readonly transcriptPath: string; readonly permissionMode: Mode };
  /** Registers a hook of the embedding program; `timeout` is in seconds. Throws a `Problem` for an unknown event or option. */
  on(
    event: string,
    matcher: string | undefined,
    callback: HookCallback,
    options?: { readonly timeout?: number },
  ): () => void;
}

/** A hook of the embedding program; returns the JSON of a hook's answer. */
export type HookCallback = (
  payload: Readonly<Record<string, unknown>>,
  toolUseId: string | undefined,
  signal: AbortSignal,
) => Promise<unknown>;

/** What a program sets before the session starts. */
export interface SessionSetup {
  /** Replaces the agent's system prompt. */
  readonly systemPrompt?: string;
  /** Follows the system prompt. */
  readonly appendSystemPrompt?: string;
  /** Additional subagents, by name. */
  readonly subagents?: Readonly<Record<string, unknown>>;
}

/** What a session offers: commands, subagents and its model. */
export interface SessionCatalog {
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly subagents: readonly { readonly name: string; readonly description: string }[];
  readonly model: string;
}
