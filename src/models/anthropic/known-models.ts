/** How much a model works on an answer. */
export type Effort = (typeof efforts)[number];

export const efforts = ["low", "medium", "high", "xhigh", "max"] as const;

/** What is known of a model beyond its name. */
export interface KnownModel {
  readonly name: string;
  /** The day after which the API no longer answers for it, `YYYY-MM-DD`; absent when none is announced. */
  readonly endOfLife?: string;
  /** The effort that it is asked for by default; absent when the model has no effort levels. */
  readonly effort?: Effort;
  /** Whether it decides itself how much to think, or is given a budget of tokens. */
  readonly thinking: "adaptive" | "budget";
  /** Tokens that the model holds without being asked for its long window. */
  readonly contextWindow: number;
}

/**
 * Where the table comes from. End-of-life dates: the list in @anthropic-ai/sdk 1.8.0. Effort, thinking and windows: requests and
 * results of Claude Code 2.1.325. `npm run drift` compares the dates with a newer package.
 */
export const knownModelsRead = "2026-11-16";

export const knownModels: readonly KnownModel[] = [
  { name: "claude-fable-5-2", effort: "medium", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-fable-5-1", effort: "high", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-fable-5", effort: "high", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-opus-5-5", effort: "medium", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-sonnet-5-5", effort: "medium", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-haiku-5-5", effort: "medium", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-opus-5", effort: "high", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-sonnet-5", effort: "high", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-opus-4-8", effort: "high", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-opus-4-7", effort: "xhigh", thinking: "adaptive", contextWindow: 1_000_000 },
  { name: "claude-opus-4-6", effort: "high", thinking: "adaptive", contextWindow: 200_000 },
  { name: "claude-sonnet-4-6", effort: "high", thinking: "adaptive", contextWindow: 200_000 },
  { name: "claude-opus-4-5", effort: "high", thinking: "budget", contextWindow: 200_000 },
  { name: "claude-sonnet-4-5", thinking: "budget", contextWindow: 200_000, endOfLife: "2026-11-30" },
  { name: "claude-haiku-4-5", thinking: "budget", contextWindow: 200_000 },
];

/** The model that the agent asks when nothing else is set. */
export const defaultModel = "claude-sonnet-5-5";

/** A model of the table, under its name or a dated one such as `claude-haiku-4-5-20251001`; undefined for any other name. */
export function knownModel(name: string): KnownModel | undefined {
  const plain = name.replace(/\[1m\]$/, "").replace(/-\d{8}$/, "");
  return knownModels.find((model) => model.name === plain);
}

/** A sentence about a model whose end is near or past; undefined while it is more than 60 days away. */
export function endOfLifeNotice(name: string, nowMs: number): string | undefined {
  const end = knownModel(name)?.endOfLife;
  if (end === undefined) return undefined;
  const days = Math.ceil((Date.parse(`${end}T23:59:59Z`) - nowMs) / dayMs);
  if (days > noticeDays) return undefined;
  const other = `Choose another with --model or the "model" setting; the default is ${defaultModel}.`;
  if (days <= 0) return `The model ${name} reached its end of life on ${end}; the API may refuse it. ${other}`;
  return `The model ${name} reaches its end of life on ${end}, in ${days} ${days === 1 ? "day" : "days"}. ${other}`;
}

const noticeDays = 60;
const dayMs = 24 * 60 * 60 * 1_000;

/** The short names people and settings use. The environment may point them elsewhere, as it may for Claude Code. */
export function resolveModelName(name: string, env: Readonly<Record<string, string | undefined>>): string {
  return resolveAlias(name, env).replace(longMark, "");
}

/** Whether a name asks for the long window of its model: `[1m]` behind it, or behind what the environment makes of it. */
export function asksForLongWindow(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return longMark.test(name) || longMark.test(resolveAlias(name, env));
}

/** Tokens that a model holds: those of the table, a million with the mark, and 200,000 for a model that is not in the table. */
export function contextWindowOf(name: string, env: Readonly<Record<string, string | undefined>>): number {
  return asksForLongWindow(name, env) ? 1_000_000 : (knownModel(resolveModelName(name, env))?.contextWindow ?? 200_000);
}

/** What asks the API for the long window of a model that has a shorter one. */
export const longWindow = { "anthropic-beta": "context-1m-2025-08-07" };

function resolveAlias(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const short = name.replace(longMark, "");
  const alias = Object.hasOwn(aliases, short) ? aliases[short] : undefined;
  return alias === undefined ? name : (env[alias.variable] ?? alias.model);
}

const longMark = /\[1m\]$/;

const aliases: Readonly<Record<string, { readonly variable: string; readonly model: string }>> = {
  haiku: { variable: "ANTHROPIC_DEFAULT_HAIKU_MODEL", model: "claude-haiku-5-5" },
  sonnet: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: "claude-sonnet-5-5" },
  default: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: defaultModel },
  opus: { variable: "ANTHROPIC_DEFAULT_OPUS_MODEL", model: "claude-opus-5-5" },
};
