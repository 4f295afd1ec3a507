import { endOfLifeNotice, type Model } from "../../models/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import { namesProvider } from "../subagents/subagent-definitions.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import { oneQuestionAtATime } from "../turn/ask-user.ts";
import { noticeOnce } from "../turn/channels.ts";
import { fire } from "../turn/fire-event.ts";
import { readSettingsFiles } from "../world/agent-settings.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";

type SwitchSource = "command" | "sdk" | "auto" | "resume";

/** Switches the model on request, if hooks allow it. Returns the reason of a refusal. */
export async function switchModel(
  thread: AgentThread,
  requested: string,
  source: "command" | "sdk",
  signal: AbortSignal,
): Promise<{ readonly refused?: string }> {
  const next = await thread.session.openModel(requested);
  if (next.name === thread.model.name && next.port === thread.model.port) return {};
  const about = aboutSwitch(thread, next.name, requested, source);
  const outcome = await fire(thread, "PreModelSwitch", about, { signal });
  if (outcome.blocked || outcome.decision === "deny") return { refused: outcome.reason ?? "a hook refused the switch" };
  if (outcome.decision === "ask") {
    const { user } = thread.session.options;
    const text = `Switch the model? ${outcome.reason ?? ""}`;
    const confirmed =
      user?.confirm !== undefined &&
      (await oneQuestionAtATime(thread, signal, async () => user.confirm?.(text, signal)));
    if (confirmed !== true) return { refused: outcome.reason ?? "the switch was not confirmed" };
  }
  await applyModelSwitch(thread, requested, source);
  return {};
}

/** Switches the model. Context from PostModelSwitch hooks is part of the new model's next request. */
export async function applyModelSwitch(thread: AgentThread, requested: string, source: SwitchSource): Promise<void> {
  const next = await thread.session.openModel(requested);
  const about = aboutSwitch(thread, next.name, requested, source);
  thread.model = next;
  warnAboutModel(thread);
  await fire(thread, "PostModelSwitch", about, { signal: thread.session.signal });
  thread.session.notice(`The model is now ${next.name}.`, "info");
}

/** The payload of both switch events. This agent does not use the prompt cache, so a switch has no cache cost. */
function aboutSwitch(thread: AgentThread, toModel: string, requested: string, source: SwitchSource) {
  return {
    from_model: thread.model.name,
    to_model: toModel,
    requested_model: source === "auto" || source === "resume" ? null : requested,
    source,
    context_tokens: thread.contextTokens,
    prompt_cache_warm: false,
    cache_ttl: "5m",
    estimated_cache_write_usd: 0,
    pricing: "catalog",
  };
}

/** Fires the model switch when a session is resumed with another model than the one that answered last. */
export async function switchModelOnResume(main: AgentThread, lastModel: string | undefined): Promise<void> {
  const { name } = main.model;
  // An answer may name a dated version of the requested model.
  if (lastModel === undefined || lastModel === name || lastModel.startsWith(`${name}-`)) return;
  main.model = { ...main.model, name: lastModel };
  await applyModelSwitch(main, name, "resume");
}

/** Warns once per session about a model without a known price, which the budget cannot count. */
export function warnAboutPrice({ session }: AgentThread): void {
  const { maxBudgetUsd } = session.options;
  if (maxBudgetUsd === undefined) return;
  for (const model of session.spending.unpriced)
    noticeOnce(session, `No price is known for ${model}: the budget of ${maxBudgetUsd} USD does not count its tokens.`);
}

/** Warns once per session about a model near its end of life and about an effort that the model does not support. */
export function warnAboutModel({ session, model }: AgentThread): void {
  const { clock, effort } = session.options;
  const endOfLife = endOfLifeNotice(model.name, clock.now());
  if (endOfLife !== undefined) noticeOnce(session, endOfLife);
  if (effort !== undefined && model.port.defaultEffort?.(model.name) === undefined)
    noticeOnce(session, `The model ${model.name} has no effort levels; the effort ${effort} is not used.`);
}

/** Opens each model once. Without `openModel`, the given port answers under every name. */
export function modelOpener({ model, openModel }: AgentOptions): AgentSession["openModel"] {
  const ports = new Map<string, Promise<Model>>();
  return async (name) => {
    if (openModel === undefined || name === model.name) return { port: model, name };
    const opening = ports.get(name) ?? openModel(name);
    ports.set(name, opening);
    const port = await opening;
    return { port, name: port === model ? name : port.name };
  };
}

/** The model that a session starts with: the caller's choice, else the subagent's model, else that of settings. */
export async function modelAtStart(
  { options, openModel, notice }: AgentSession,
  definition: SubagentDefinition | undefined,
): Promise<AgentThread["model"]> {
  if (options.modelName !== undefined) return { port: options.model, name: options.modelName };
  if (definition?.model !== undefined && options.modelFromSettings !== false) return openModel(definition.model);
  const name = await settingsModel(options, (text) => notice(text, "warning"));
  return name === undefined ? { port: options.model, name: options.model.name } : openModel(name);
}

const useOption = "Pass --model, or set it in your user settings.";

/**
 * The model that settings name. A checkout may choose a model of the Anthropic API, but not another provider: only the user may
 * choose `openai:` and `scripted:`.
 */
async function settingsModel(options: AgentOptions, warn: (text: string) => void): Promise<string | undefined> {
  if (options.modelFromSettings !== true) return undefined;
  for (const { file, ofCheckout, value } of await readSettingsFiles(options)) {
    const { model } = value;
    if (model === undefined) continue;
    if (typeof model !== "string" || model.trim() === "")
      warn(`${file}: "model" must be a model's name; it is ignored.`);
    else if (!ofCheckout || !namesProvider(model)) return model;
    else warn(`${file}: "model" is ${model}, which a project may not choose. ${useOption}`);
  }
  return undefined;
}
