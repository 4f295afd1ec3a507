import { endOfLifeNotice, type Model } from "../../models/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import { namesProvider } from "../subagents/subagent-definitions.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import { noticeOnce } from "../turn/channels.ts";
import { fire } from "../turn/fire-event.ts";
import { readSettingsFiles } from "../world/agent-settings.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";

export type SwitchSource = "command" | "picker" | "sdk" | "auto" | "resume";

/** A switch that somebody asked for: hooks may keep the model. Gives the reason of a refusal. */
export async function switchModel(
  thread: AgentThread,
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
  await applyModelSwitch(thread, wanted, source);
  return {};
}

async function confirmed({ session }: AgentThread, reason: string, signal: AbortSignal): Promise<boolean> {
  const { user } = session.options;
  return (await user?.confirm?.(`Switch the model? ${reason}`, signal)) ?? false;
}

/** Makes the switch. What hooks say to it goes with the new model's next request. */
export async function applyModelSwitch(thread: AgentThread, wanted: string, source: SwitchSource): Promise<void> {
  const next = await thread.session.openModel(wanted);
  const about = aboutSwitch(thread, next.name, wanted, source);
  thread.model = next;
  warnAboutModel(thread);
  await fire(thread, "PostModelSwitch", about, { signal: thread.session.signal });
  thread.session.notice(`The model is now ${next.name}.`, "info");
}

/** Nothing of ours stays in a cache, so a switch costs nothing there. */
function aboutSwitch(thread: AgentThread, toModel: string, wanted: string, source: SwitchSource) {
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

/** Fires the model switch when a session is resumed with another model than the one that answered last. */
export async function switchModelOnResume(main: AgentThread, before: string | undefined): Promise<void> {
  const { name } = main.model;
  if (before === undefined || isSame(before, name)) return;
  main.model = { ...main.model, name: before };
  await applyModelSwitch(main, name, "resume");
}

/** An answer may name a dated version of the model that was asked. */
function isSame(answered: string, asked: string): boolean {
  return answered === asked || answered.startsWith(`${asked}-`);
}

/** Reports, once per session, a model whose answers the budget cannot count, because its price is not known. */
export function warnAboutPrice({ session }: AgentThread): void {
  const { maxBudgetUsd } = session.options;
  if (maxBudgetUsd === undefined) return;
  for (const model of session.spending.unpriced)
    noticeOnce(session, `No price is known for ${model}: the budget of ${maxBudgetUsd} USD does not count its tokens.`);
}

/** Reports, once per session, a model near its end of life and an effort that the model does not have. */
export function warnAboutModel({ session, model }: AgentThread): void {
  const { clock, effort } = session.options;
  const notices = [
    endOfLifeNotice(model.name, clock.now()),
    effort !== undefined && model.port.defaultEffort?.(model.name) === undefined
      ? `The model ${model.name} has no effort levels; the effort ${effort} is not used.`
      : undefined,
  ];
  for (const text of notices) if (text !== undefined) noticeOnce(session, text);
}

/** Every name is asked of the one model that was given, unless the host can find others. */
export function modelOpener({ model, openModel }: AgentOptions): AgentSession["openModel"] {
  const known = new Map<string, Promise<Model>>();
  return async (name) => {
    if (openModel === undefined || name === model.name) return { port: model, name };
    const port = await (known.get(name) ?? known.set(name, openModel(name)).get(name) ?? model);
    return { port, name: port === model ? name : port.name };
  };
}

/** The model that a session starts with: what the caller chose, else the subagent's, else that of settings. */
export async function modelAtStart(
  { options, openModel, notice }: AgentSession,
  definition: SubagentDefinition | undefined,
): Promise<AgentThread["model"]> {
  if (options.modelName !== undefined) return { port: options.model, name: options.modelName };
  if (definition?.model !== undefined && options.modelFromSettings !== false) return openModel(definition.model);
  const set = await settingsModel(options, (text) => notice(text, "warning"));
  return set === undefined ? { port: options.model, name: options.model.name } : openModel(set);
}

/**
 * The model that settings name. A checkout may choose a model of the Anthropic API but not who answers: `openai:` and `scripted:` are
 * the user's choice.
 */
async function settingsModel(options: AgentOptions, warn: (text: string) => void): Promise<string | undefined> {
  if (options.modelFromSettings !== true) return undefined;
  for (const { file, ofCheckout, value } of await readSettingsFiles(options)) {
    const { model } = value;
    if (model === undefined) continue;
    if (typeof model !== "string" || model.trim() === "")
      warn(`${file}: "model" must be a model's name; it is ignored.`);
    else if (ofCheckout && namesProvider(model))
      warn(
        `${file}: "model" is ${model}, which a project may not choose. Pass --model, or set it in your user settings.`,
      );
    else return model;
  }
  return undefined;
}
