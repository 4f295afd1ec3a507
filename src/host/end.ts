import { fire } from "./fire.ts";
import type { Thread } from "./thread.ts";

/**
 * The end of a session: hooks hear of it within their budget, then everything that runs is ended and everything written is on disk.
 * Contract: never rejects for what hooks do; what they wrote to stderr is told.
 */
export async function endSession({ session }: Thread, told: Promise<void>): Promise<void> {
  const { engine, agents, shells, surroundings, live, record, servers } = session;
  await Promise.all([told, agents.killAll(), shells.endAll()]);
  await shells.clearFolders();
  await Promise.all([surroundings.end(), ...servers.map((server) => server.close())]);
  // Hooks that nobody waits for may finish what they began, unless somebody wants the process gone.
  await engine.close({ waitMs: session.signal.aborted ? 0 : 1_000 });
  await live.remove();
  await record.close();
}

/** SessionEnd, within its budget. */
export async function tellHooks(main: Thread, reason: string): Promise<void> {
  const { session } = main;
  const outcome = await fire(main, "SessionEnd", { reason }, { notes: [] });
  for (const { hook, answer, stderr, ended } of outcome.runs) {
    const failed = answer?.failure !== undefined || (ended.by === "exit" && ended.code !== 0);
    const text = `SessionEnd hook [${hook.name}] failed: ${stderr.trim() || answer?.failure || "no stderr output"}`;
    if (failed) session.tell({ kind: "notice", text, level: "error" });
  }
}
