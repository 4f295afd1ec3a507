import { refusalOf } from "../attachment.ts";
import { fire } from "../fire.ts";
import { runTurn, type TurnEnd } from "../loop.ts";
import { say, type Thread } from "../thread.ts";

/** A teammate is about to wait for messages; hooks may send it back to work. */
export async function mayIdle(thread: Thread, ended: TurnEnd, signal: AbortSignal): Promise<TurnEnd> {
  const { agent, session, journal } = thread;
  let end = ended;
  // As often as Stop hooks may do it: a hook that never agrees must not keep a teammate at work for ever.
  for (let sentBack = 0; sentBack < 8 && end.by === "completed"; sentBack += 1) {
    const about = { teammate_name: agent?.name, team_name: session.record.team };
    const outcome = await fire(thread, "TeammateIdle", about, { signal, notes: [] });
    if (!outcome.blocked || !outcome.continue) return end;
    const text = `TeammateIdle hook feedback:\n${refusalOf(outcome)}`;
    await journal.user(text, { isMeta: true });
    say(thread, text);
    end = await runTurn(thread, signal);
  }
  return end;
}
