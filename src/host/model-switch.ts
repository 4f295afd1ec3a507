import { fire } from "./fire.ts";
import { noticeModel } from "./model-notices.ts";
import type { Thread } from "./thread.ts";

export type SwitchSource = "command" | "picker" | "sdk" | "auto" | "resume";

/** A switch that somebody asked for: hooks may keep the model. Gives the reason of a refusal. */
export async function switchModel(
  thread: Thread,
  wanted: string,
  source: "command" | "sdk",
  signal: AbortSignal,
): Promise<{ readonly refused?: string }> {
  const next = await thread.session.openModel(wanted);
  if (next.name === thread.model.name && next.port === thread.model.port) return {};
  const about = aboutSwitch(thread, next.name, wanted, source);
  const outcome = await fire(thread, "PreModelSwitch", about, { signal });
  if (outcome.blocked || outcome.decision === "deny") return { refused: outcome.reason ?? "a hook refused the switch" };
  if (outcome.decision === "ask" && !(await confirmed(thread, outcome.reason ?? "", signal)))
    return { refused: outcome.reason ?? "nobody agreed to the switch" };
  await switchedModel(thread, wanted, source);
  return {};
}

async function confirmed({ session }: Thread, reason: string, signal: AbortSignal): Promise<boolean> {
  const { person } = session.options;
  return (await person?.confirm?.(`Switch the model? ${reason}`, signal)) ?? false;
}

/** Makes the switch. What hooks say to it goes with the new model's next request. */
export async function switchedModel(thread: Thread, wanted: string, source: SwitchSource): Promise<void> {
  const next = await thread.session.openModel(wanted);
  const about = aboutSwitch(thread, next.name, wanted, source);
  thread.model = next;
  noticeModel(thread);
  await fire(thread, "PostModelSwitch", about, { signal: thread.session.signal });
  thread.session.notice(`The model is now ${next.name}.`, "info");
}

/** Nothing of ours stays in a cache, so a switch costs nothing there. */
function aboutSwitch(thread: Thread, toModel: string, wanted: string, source: SwitchSource) {
  return {
    from_model: thread.model.name,
    to_model: toModel,
    requested_model: source === "auto" || source === "resume" ? null : wanted,
    source,
    context_tokens: thread.contextTokens,
    prompt_cache_warm: false,
    cache_ttl: "5m",
    estimated_cache_write_usd: 0,
    pricing: "catalog",
  };
}
