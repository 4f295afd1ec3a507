import { refusalOf } from "../attachment.ts";
import { tellModelAsHost } from "../channels.ts";
import { fireAndHold } from "../fire.ts";
import { runTurn, type TurnEnd } from "../loop.ts";
import type { Thread } from "../thread.ts";

/** A teammate is about to wait for messages; hooks may send it back to work. */
export async function mayIdle(thread: Thread, ended: TurnEnd, signal: AbortSignal): Promise<TurnEnd> {
  const { agent, session } = thread;
  let end = ended;
  // As often as Stop hooks may do it: a hook that never agrees must not keep a teammate at work for ever.
  for (let sentBack = 0; sentBack < 8 && end.by === "completed"; sentBack += 1) {
    const about = { teammate_name: agent?.name, team_name: session.record.team };
    const { outcome } = await fireAndHold(thread, "TeammateIdle", about, { signal });
    if (!outcome.blocked || !outcome.continue) return end;
    await tellModelAsHost(thread, `TeammateIdle hook feedback:\n${refusalOf(outcome)}`);
    end = await runTurn(thread, signal);
  }
  return end;
}
