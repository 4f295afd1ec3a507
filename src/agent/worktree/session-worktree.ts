import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { ignoringErrors, isInside } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import type { WorktreePort } from "../tools/tool.ts";
import { tellModelAsHost } from "../turn/channels.ts";
import { fire } from "../turn/fire-event.ts";
import { createWorktree, findWorktree, mainWorktree, worktreeNameFault } from "./git-worktree.ts";

/** Fires the events of worktrees and keeps the current worktree of a thread. */
export function worktreePort(thread: AgentThread, signal: AbortSignal): WorktreePort {
  return {
    async create(name) {
      if (!thread.session.engine.hasHookFor("WorktreeCreate")) return { by: "none" };
      const outcome = await fire(thread, "WorktreeCreate", { name }, { signal });
      if (outcome.blocked) return { by: "failed", error: `WorktreeCreate hook failed: ${outcome.reason ?? ""}` };
      const { worktreePath } = outcome.output;
      return worktreePath === undefined ? { by: "none" } : { by: "hook", path: worktreePath };
    },
    async remove(path) {
      const outcome = await fire(thread, "WorktreeRemove", { worktree_path: path }, { signal });
      return outcome.runs.length > 0;
    },
    current: () => thread.worktree,
    async enter(worktree) {
      if (worktree === undefined) delete thread.worktree;
      else thread.worktree = worktree;
      const sessionId = thread.session.record.id;
      const worktreeSession = worktree === undefined ? null : { ...worktree, sessionId };
      await thread.journal.note({ type: "worktree-state", worktreeSession });
    },
  };
}

/**
 * Resumes a session in the worktree in which it ended: the model takes it for its folder. A removed worktree is reported to the model
 * and to the user. A session does not return to other folders.
 */
export async function returnToWorktree(main: AgentThread, last: string, signal: AbortSignal): Promise<void> {
  const { session, cwd } = main;
  const place = { cwd, env: session.options.env, signal };
  const [here, there] = await Promise.all([cwd, last].map((path) => ignoringErrors(gone, realpath(path))));
  if (here === undefined || here === there) return;
  if ((await mainWorktree(place)) === undefined) return;
  const found = await findWorktree((folder) => isInside(there ?? last, folder) && !isInside(here, folder), place);
  if (found !== undefined) {
    await worktreePort(main, signal).enter(found);
    main.cwd = found.path;
  } else if (there === undefined) {
    const text = `This session was last in ${last}, which no longer exists. It continues in ${cwd}.`;
    session.notice(text, "warning");
    await tellModelAsHost(main, text);
  }
}

const gone = ["ENOENT", "ENOTDIR"] as const;

/** Starts the session in a worktree, before any other hook runs. An empty name gets a random one. */
export async function startInWorktree(main: AgentThread, given: string, signal: AbortSignal): Promise<void> {
  const name = given === "" ? `worktree-${randomBytes(4).toString("hex")}` : given;
  const fault = worktreeNameFault(name);
  if (fault !== undefined) throw new Problem("host/no-worktree", `${fault}.`, { about: { name } });
  const port = worktreePort(main, signal);
  const made = await createWorktree(name, port, { cwd: main.cwd, env: main.session.options.env, signal });
  if ("error" in made) throw new Problem("host/no-worktree", made.error, { about: { name } });
  await port.enter(made);
  main.cwd = made.path;
}
