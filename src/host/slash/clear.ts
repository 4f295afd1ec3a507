import { tellHooks } from "../end.ts";
import { fire } from "../fire.ts";
import { openJournal } from "../journal.ts";
import { nextRecord } from "../record.ts";
import { recordStartSubagent } from "../session.ts";
import type { Thread } from "../thread.ts";

/** Ends the session and begins another in the same process: SessionEnd has the old id, SessionStart the new one. */
export async function clearSession(main: Thread, signal: AbortSignal): Promise<void> {
  const { session } = main;
  const { engine, agents, live, options } = session;
  await agents.killAll();
  await tellHooks(main, "clear");
  engine.session(session.record.id).clear();
  for (const { id } of engine.stopHooks.list()) engine.stopHooks.remove(id);
  const before = session.record;
  session.record = await nextRecord(options);
  await before.close();
  await recordStartSubagent(session);
  main.journal = openJournal(session.record.main, { promptId: () => session.promptId, cwd: () => main.cwd });
  main.messages.splice(0);
  Object.assign(main, { tailAt: 0, contextTokens: 0, stopActive: false });
  main.readState.clear();
  await live.move(session.record.id);
  session.report({ kind: "session", id: session.record.id });
  const started = await fire(main, "SessionStart", { source: "clear" }, { signal });
  await session.surroundings.begin(main, started);
}
