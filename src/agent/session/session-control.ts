import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { CallbackHandler } from "../../engine/internal.ts";
import { endLeftovers, findLeftovers, runTag } from "../../exec/internal.ts";
import { isInside } from "../../files/internal.ts";
import { type EventName, eventRow, Problem } from "../../protocol/internal.ts";
import { checkFolder } from "../agent-options.ts";
import type { AgentControl } from "../agent-ports.ts";
import { addSubagents } from "../subagents/subagent-definitions.ts";
import { commandList } from "../turn/custom-commands.ts";
import { notifyHooks } from "../turn/fire-event.ts";
import type { AgentThread } from "./agent-session.ts";
import { switchModel } from "./session-model.ts";

export function openControl(main: AgentThread, interrupt: () => void, close: () => void): AgentControl {
  const { session } = main;
  const { engine, inbox, permissions, signal } = session;
  return {
    prompt: (content, source = "sdk") => inbox.put({ kind: "prompt", content, source }),
    end: close,
    interrupt,
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
