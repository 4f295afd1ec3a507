import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, sep } from "node:path";
import { unless } from "../../files/index.ts";
import { tellModelAsHost } from "../channels.ts";
import type { Thread } from "../thread.ts";
import { worktreePort } from "../worktree-port.ts";
import { isWorktreeOf, listWorktrees, mainCopy } from "./git.ts";

/**
 * A session that ended in a worktree is resumed there: the model takes it for its folder. A worktree that is gone is reported to the model
 * and to the user. Other folders that a session was in are not returned to.
 */
export async function returnToWorktree(main: Thread, last: string, signal: AbortSignal): Promise<void> {
  const { options } = main.session;
  const place = { cwd: main.cwd, env: options.env, signal };
  const [here, there] = await Promise.all([main.cwd, last].map(async (path) => await unless(gone, realpath(path))));
  if (here === undefined || here === there) return;
  const root = await mainCopy(place);
  if (root === undefined) return;
  const within = (folder: string) => isAt(there ?? last, folder) && !isAt(here, folder);
  const found = (await listWorktrees(place)).find(({ path }) => path !== root && within(path));
  if (found !== undefined && existsSync(found.path) && (await isWorktreeOf(root, found.path, place))) {
    const { path, branch } = found;
    const about = { name: basename(path), path, originalCwd: main.cwd, hookBased: false, existing: true };
    await worktreePort(main, signal).enter({ ...about, ...(branch === undefined ? {} : { branch }) });
    main.cwd = path;
  } else if (there === undefined) {
    const text = `This session was last in ${last}, which is gone. It continues in ${main.cwd}.`;
    main.session.notice(text, "warning");
    await tellModelAsHost(main, text);
  }
}

const gone = ["ENOENT", "ENOTDIR"] as const;

function isAt(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}
