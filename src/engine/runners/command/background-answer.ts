import { messageOf } from "../../../protocol/index.ts";
import type { BackgroundAnswer } from "../../background.ts";
import type { World } from "../../firing.ts";
import type { WakeCall } from "../../ports.ts";
import type { Ran } from "../../ran.ts";
import { recordRun, type Times } from "../../run-one.ts";
import type { CommandJob } from "../command.ts";

/**
 * What a background hook still has to say: context and messages, both as texts for the model. Its decisions came too late and are
 * dropped. On exit 2 a hook that may wake the agent does so instead.
 */
export async function backgroundAnswer(
  id: string,
  { configured, hook, firing, world }: CommandJob,
  ran: Ran,
  times: Times,
): Promise<BackgroundAnswer | undefined> {
  const { record, warnings } = await recordRun(configured, firing, world, ran, times, "late");
  for (const warning of warnings) world.warn(warning);
  const ended = { ...record, background: true };
  const sessionId = String(firing.payload["session_id"]);
  world.backgroundEnded(id, ended);
  if (ran.ended.by === "timeout" || ran.ended.by === "cancelled") return undefined;
  if (hook.asyncRewake && ran.ended.by === "exit" && ran.ended.code === 2) {
    wake(world, { sessionId, hook: configured.ref, text: ran.stderr.trim() || ran.stdout.trim() });
    return undefined;
  }
  const texts = [...(record.answer?.context ?? []), ...(record.answer?.messages ?? [])];
  return texts.length === 0 ? undefined : { id, hook: configured.ref, occasion: firing.occasion, texts, record: ended };
}

/** The port is the host's code: what it throws is worth a word and harms nobody else. */
function wake({ ports, warn }: World, call: WakeCall): void {
  try {
    ports.wake?.(call);
  } catch (error) {
    warn({ code: "observer-threw", message: `The wake port threw: ${messageOf(error)}`, place: call.hook.id });
  }
}
