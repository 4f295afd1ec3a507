import { costOf } from "./prices.mjs";

/** Exact figures of everything the corpus holds, in total and per day, session, agent and model; more can be added later. */
export function openTruth(known) {
  const truth = structuredClone(known) ?? {
    totals: nothing(),
    days: {},
    sessions: {},
    agents: {},
    models: {},
    unpriced: {},
  };
  const into = (table, key) => {
    table[key] ??= nothing();
    return table[key];
  };
  return {
    truth,
    /**
     * One call, wherever and however often it was written. `open`: it never got a stop reason. `written`: what Claude Code
     * noted as its cost, in tenths of a micro-dollar.
     */
    call({ at, session, agent, model, open, written, parts }) {
      const groups = (name) => [
        truth.totals,
        into(truth.days, day(at)),
        into(truth.sessions, session),
        ...(agent ? [into(truth.agents, agent)] : []),
        into(truth.models, name),
      ];
      for (const group of groups(model)) {
        group.calls++;
        if (open) group.openCalls++;
      }
      parts.forEach((part, index) => {
        const cost = index === 0 && written !== undefined ? halfUp(written) : costOf({ ...part, at });
        for (const group of groups(part.model)) add(group, part.tokens, cost);
        if (cost !== undefined) return;
        truth.unpriced[part.model] ??= { calls: 0 };
        truth.unpriced[part.model].calls++;
      });
    },
    apiError({ at, session }) {
      for (const group of [truth.totals, into(truth.days, day(at)), into(truth.sessions, session)]) group.apiErrors++;
    },
  };
}

function nothing() {
  return {
    calls: 0,
    openCalls: 0,
    apiErrors: 0,
    inputTokens: 0,
    outputTokens: 0,
    thinkingTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    cacheReadTokens: 0,
    webSearches: 0,
    costMicroUsd: 0,
    complete: true,
  };
}

function add(group, tokens, cost) {
  group.inputTokens += tokens.input;
  group.outputTokens += tokens.output;
  group.thinkingTokens += tokens.thinking;
  group.cacheWrite5mTokens += tokens.write5m;
  group.cacheWrite1hTokens += tokens.write1h;
  group.cacheReadTokens += tokens.read;
  group.webSearches += tokens.searches;
  if (cost === undefined) group.complete = false;
  else group.costMicroUsd += cost;
}

const halfUp = (tenths) => Math.floor((tenths + 5) / 10);

const day = (at) => new Date(at).toISOString().slice(0, 10);
