import { type CommandHook, messageOf, type RunRecord, type Warning } from "../../../protocol/index.ts";
import type { HookRun } from "../../fire/fire.ts";
import { type RunTimes, recordRun } from "../../fire/record-run.ts";
import type { WakeCall } from "../../ports.ts";
import type { Services } from "../../services.ts";
import { tellHost } from "../../tell-host.ts";
import type { BackgroundAnswer } from "../background-hooks.ts";
import type { Ran } from "../runner-result.ts";

/**
 * What a background hook still has to say: context and messages, both as texts for the model. Its decisions came too late and are
 * dropped. On exit 2 a hook that may wake the agent does so instead.
 */
export async function backgroundAnswer(
  id: string,
  hook: CommandHook,
  run: HookRun,
  ran: Ran,
  times: RunTimes,
): Promise<BackgroundAnswer | undefined> {
  const { payload, label, services } = run.event;
  const { ref } = run.hook;
  // Its failure denies nothing any more, whatever its policy.
  const late: HookRun = { ...run, hook: { ...run.hook, onFailure: "continue" }, late: true };
  const { record, warnings } = await recordRun(late, ran, times);
  for (const warning of [...warnings, ...cameTooLate(record, hook, wakes(hook, ran))]) services.warn(warning);
  const ended = { ...record, background: true };
  services.backgroundEnded(id, ended);
  if (ran.ended.by === "timeout" || ran.ended.by === "cancelled") return undefined;
  if (wakes(hook, ran)) {
    const sessionId = String(payload["session_id"]);
    wake(services, { sessionId, hook: ref, text: ran.stderr.trim() || ran.stdout.trim() });
    return undefined;
  }
  const texts = [...(record.answer?.context ?? []), ...(record.answer?.messages ?? [])];
  return texts.length === 0 ? undefined : { id, hook: ref, occasion: label, texts, record: ended };
}

function wakes(hook: CommandHook, { ended }: Ran): boolean {
  return hook.asyncRewake === true && ended.by === "exit" && ended.code === 2;
}

/** What a hook said that only counts while somebody waits for it. Its author must know: such a guard guards nothing. */
function cameTooLate({ hook: ref, verdict, answer }: RunRecord, hook: CommandHook, woke: boolean): readonly Warning[] {
  const said = [
    ...(verdict.kind === "none" || woke || answer?.failure !== undefined ? [] : [`its ${verdict.kind}`]),
    ...(answer?.input === undefined ? [] : ["its rewritten input"]),
    ...(answer?.stop === undefined ? [] : ["its continue: false"]),
  ];
  if (said.length === 0) return [];
  const way = hook.async ? " Leave out async to have it waited for." : "";
  const message = `Hook ${ref.name} ran in the background, so ${said.join(" and ")} came too late for ${ref.event} and does not count.${way}`;
  return [{ code: "output-ignored", message, place: ref.id }];
}

/** The port is the host's code: what it throws is worth a word and harms nobody else. */
function wake({ options, warn }: Services, call: WakeCall): void {
  tellHost(
    () => options.ports.wake?.(call),
    (error) =>
      warn({ code: "observer-threw", message: `The wake port threw: ${messageOf(error)}`, place: call.hook.id }),
  );
}
