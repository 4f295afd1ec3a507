import { randomBytes } from "node:crypto";
import { Problem } from "../../protocol/index.ts";
import type { Thread } from "../thread.ts";
import { worktreePort } from "../worktree-port.ts";
import { makeWorktree } from "./make.ts";
import { nameFault } from "./name.ts";

/** A session that begins in a worktree: made before any other hook hears of it. An empty name makes one up. */
export async function startInWorktree(main: Thread, given: string, signal: AbortSignal): Promise<void> {
  const name = given === "" ? `worktree-${randomBytes(4).toString("hex")}` : given;
  const fault = nameFault(name);
  if (fault !== undefined) throw new Problem("host/no-worktree", `${fault}.`, { about: { name } });
  const port = worktreePort(main, signal);
  const made = await makeWorktree({ name, cwd: main.cwd, env: main.session.options.env, signal, port });
  if ("error" in made) throw new Problem("host/no-worktree", made.error, { about: { name } });
  await port.enter(made.made);
  main.cwd = made.made.path;
}
