import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { endLeftovers, findLeftovers } from "../exec/index.ts";
import { Problem } from "../protocol/index.ts";
import type { AgentControl } from "./control.ts";
import type { Driver } from "./drive.ts";
import { notify } from "./fire.ts";
import { switchModel } from "./model-switch.ts";
import type { OpenedSession } from "./open-session.ts";
import type { Thread } from "./thread.ts";
import { runTag } from "./tools/background-shells.ts";

export function controlOf({ session, main }: OpenedSession, driver: Driver, close: () => void): AgentControl {
  const { engine, inbox, permissions, signal } = session;
  return {
    prompt: (content, source = "sdk") => inbox.put({ kind: "prompt", content, source }),
    end: close,
    interrupt: driver.interrupt,
    abandon: async () => void endLeftovers(await findLeftovers(runTag, session.options.env[runTag] ?? "")),
    setModel: (name) => switchModel(main, name, "sdk", signal),
    setPermissionMode: permissions.setMode,
    addDirectory: (path, source) => addDirectory(main, path, source),
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
    on: (event, matcher, callback) =>
      matcher === undefined
        ? engine.on(
            event,
            (payload, context) => callback(payload, context.toolUseId, context.signal) as Promise<undefined>,
          )
        : engine.on(
            event,
            matcher,
            (payload, context) => callback(payload, context.toolUseId, context.signal) as Promise<undefined>,
          ),
  };
}

/** A folder that counts as inside from now on. Gives its real path. */
export async function addDirectory(
  main: Thread,
  path: string,
  source: "slash_command" | "register_repo_root",
): Promise<string> {
  const wanted = resolve(main.cwd, path);
  const directory = await realpath(wanted).catch(() => wanted);
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new Problem("host/no-folder", `${wanted} is no folder. Name one that is there.`, { about: { path: wanted } });
  if (!main.session.directories.includes(directory)) main.session.directories.push(directory);
  notify(main, "DirectoryAdded", { directory, source });
  return directory;
}
