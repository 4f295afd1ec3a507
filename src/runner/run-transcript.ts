import { stat } from "node:fs/promises";
import { ignoringErrors } from "../files/internal.ts";
import {
  addTokens,
  type Entry,
  findSession,
  findTranscriptsOf,
  type ModelCall,
  modelCallsOf,
  noTokens,
  type RootOptions,
  readEntries,
  type Tokens,
  totalTokens,
} from "../sessions/internal.ts";
import { priceOf } from "../usage/internal.ts";
import type { StreamMessage } from "./child-agent.ts";
import type { SessionCall } from "./session-call.ts";
import type { SessionResult, SessionWarning } from "./session-result.ts";

/** How far a session had been written when a run began: what follows was added by the run. */
export interface TranscriptPosition {
  readonly sizes: ReadonlyMap<string, number>;
  /** Answers of the session a fork is a copy of; they are in the copy too. */
  readonly copied: ReadonlySet<string>;
}

export async function transcriptPosition(call: SessionCall, where: RootOptions): Promise<TranscriptPosition> {
  const { resume, fork } = call;
  if (resume === undefined) return { sizes: new Map(), copied: new Set() };
  const { file } = await findSession(resume, { ...where, idsOnly: true });
  const files = findTranscriptsOf(file);
  if (!fork) return { sizes: new Map(files.map(({ path, size }) => [path, size])), copied: new Set() };
  const entries = await Promise.all(files.map(({ path }) => entriesFrom(path, 0)));
  return { sizes: new Map(), copied: new Set(modelCallsOf(entries.flat()).map(({ key }) => key)) };
}

export interface RunCalls {
  /** Of the main conversation. */
  readonly main: readonly ModelCall[];
  /** Of it and of all subagents. */
  readonly all: readonly ModelCall[];
  /** Those from before the run as well. */
  readonly whole: () => Promise<readonly ModelCall[]>;
}

/** The answers a run has added to a session. */
export async function callsAfter(file: string, mark: TranscriptPosition): Promise<RunCalls> {
  const added = async (path: string): Promise<readonly ModelCall[]> =>
    modelCallsOf(await entriesFrom(path, mark.sizes.get(path) ?? 0)).filter(({ key }) => !mark.copied.has(key));
  const main = await added(file);
  const agents = findTranscriptsOf(file).filter(({ agent }) => agent !== undefined);
  return {
    main,
    all: [...main, ...(await Promise.all(agents.map(({ path }) => added(path)))).flat()],
    async whole() {
      const entries = await Promise.all([file, ...agents.map(({ path }) => path)].map((path) => entriesFrom(path, 0)));
      return entries.flatMap((some) => modelCallsOf(some));
    },
  };
}

async function entriesFrom(path: string, offset: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const batch of readEntries(path, { at: { offset, line: 1 } })) {
    for (const item of batch) if (item.kind !== "unreadable") entries.push(item);
  }
  return entries;
}

/** The transcript of a session: the path that its hooks named, else the one in the agent's store. */
export async function findTranscript(id: string, named: unknown, where: RootOptions): Promise<string | undefined> {
  // A path from the agent that cannot be read is not a transcript.
  if (typeof named === "string" && (await stat(named).catch(() => undefined))?.isFile()) return named;
  return (await ignoringErrors(["sessions/not-found"], findSession(id, { ...where, idsOnly: true })))?.file;
}

export type RunCost = Pick<SessionResult, "usage" | "usageByModel" | "costUsd" | "costByModel" | "unpriced">;

/** Without a transcript the cost is unknown, which is not zero. */
export const unknownSpending: RunCost = { usage: null, usageByModel: {}, costUsd: null, costByModel: {}, unpriced: [] };

/** Tokens and money of answers, counted by ourselves. */
export function costOfCalls(calls: readonly ModelCall[]): RunCost {
  const price = priceOf();
  const byModel = new Map<string, Tokens>();
  const microByModel = new Map<string, number | null>();
  let micro = 0;
  const count = (model: string, tokens: Tokens): void =>
    void byModel.set(model, addTokens(byModel.get(model) ?? noTokens, tokens));
  for (const call of calls) {
    const model = call.model ?? "unknown";
    const { tokens, parts } = call.usage();
    count(model, tokens);
    for (const part of parts) count(part.model ?? model, part.tokens);
    const cost = price(call);
    const before = microByModel.get(model);
    micro += cost ?? 0;
    microByModel.set(model, cost === undefined || before === null ? null : (before ?? 0) + cost);
  }
  const micros = [...microByModel];
  return {
    usage: [...byModel.values()].reduce(addTokens, noTokens),
    usageByModel: Object.fromEntries(byModel),
    costUsd: micro / 1_000_000,
    costByModel: Object.fromEntries(micros.map(([model, own]) => [model, own === null ? null : own / 1_000_000])),
    unpriced: micros.flatMap(([model, own]) => (own === null ? [model] : [])),
  };
}

/** Warnings about figures in which the agent's own count differs from ours. */
export function countDifferences(spent: RunCost, result: StreamMessage | undefined): SessionWarning[] {
  const { usage, costUsd, unpriced } = spent;
  if (usage === null || costUsd === null) return [];
  const warnings: SessionWarning[] = [];
  const theirs = tokensOf(result?.["modelUsage"]);
  const ours = totalTokens(usage);
  if (theirs !== undefined && theirs !== ours) {
    const message = `The agent counts ${theirs} tokens, its transcript holds ${ours}. Side requests are in no transcript.`;
    warnings.push({ code: "tokens-differ", message });
  }
  const cost = result?.["total_cost_usd"];
  if (typeof cost === "number" && unpriced.length === 0 && Math.abs(cost - costUsd) > 0.000_001) {
    const message = `The agent reports a cost of $${cost.toFixed(6)}; by our prices it is $${costUsd.toFixed(6)}.`;
    warnings.push({ code: "cost-differs", message });
  }
  return warnings;
}

const countedFields = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];

function tokensOf(modelUsage: unknown): number | undefined {
  if (typeof modelUsage !== "object" || modelUsage === null) return undefined;
  return Object.values(modelUsage as Record<string, Record<string, unknown>>)
    .flatMap((one) => countedFields.map((name) => one[name]))
    .reduce((sum: number, value) => sum + (typeof value === "number" ? value : 0), 0);
}
