import type { ModelCall, SpentReport } from "../../engine/index.ts";
import {
  answerOf,
  type Model,
  type ModelEnd,
  type ModelRequest,
  type ModelUsage,
  type Purpose,
} from "../../models/index.ts";
import type { HookRef } from "../../protocol/index.ts";
import { priceUsage } from "../../usage/index.ts";
import { usageOf } from "../journal.ts";

/** Where hooks' questions go. */
export interface HookModel {
  /** The model of now; a function where it may change. */
  readonly model: Model | (() => Model);
  /** Finds the model that a hook names; without it every name is asked of `model`. */
  readonly openModel?: (name: string) => Promise<{ readonly port: Model; readonly name: string }>;
  /** Told of every call, so that the session's count includes those of its hooks. */
  readonly onSpent?: (call: HookSpending) => void;
  readonly now?: () => number;
}

export interface HookSpending {
  readonly hook: HookRef;
  readonly purpose: Purpose;
  readonly model: string;
  readonly usage: ModelUsage;
  readonly apiMs: number;
}

/** One model for all calls of one hook. */
export interface AskedModel {
  /** Contract: rejects with words when there is no answer, or one that was cut short or refused. */
  ask(request: Pick<ModelRequest, "system" | "messages" | "tools" | "toolChoice" | "maxTokens">): Promise<ModelEnd>;
}

export async function openAsked(
  from: HookModel,
  purpose: Purpose,
  { model: wanted, hook }: Pick<ModelCall, "model" | "hook">,
  signal: AbortSignal,
  spent?: SpentReport,
): Promise<AskedModel> {
  const { now = Date.now, onSpent } = from;
  const { port, name } = await chosen(from, wanted);
  return {
    async ask(request) {
      const startedAt = now();
      const answer = await answerOf(port, { ...request, purpose, model: name }, signal);
      if (answer.type === "error") throw new Error(`${name} gave no answer: ${answer.message}`);
      const { model, usage } = answer;
      onSpent?.({ hook, purpose, model, usage, apiMs: now() - startedAt });
      spent?.({ model, ...usage, ...costOf(model, usage, now()) });
      if (answer.stopReason === "refusal") throw new Error(`${name} refused to answer`);
      if (answer.stopReason === "max_tokens") throw new Error(`${name} did not come to an end of its answer`);
      return answer;
    },
  };
}

/** A table of prices that cannot be read is no reason for a guard to fail. */
function costOf(model: string, usage: ModelUsage, at: number): { readonly costUsd?: number } {
  try {
    const micro = priceUsage({ model, at, usage: usageOf(usage) });
    return micro === undefined ? {} : { costUsd: micro / 1_000_000 };
  } catch {
    return {}; // the host's own count says what is wrong with the table
  }
}

/** Without a name: the small, fast one. */
async function chosen(
  { model, openModel }: HookModel,
  wanted: string | undefined,
): Promise<{ readonly port: Model; readonly name: string }> {
  const port = typeof model === "function" ? model() : model;
  if (wanted === undefined) return { port, name: port.smallModel ?? port.name };
  return openModel === undefined ? { port, name: wanted } : openModel(wanted);
}
