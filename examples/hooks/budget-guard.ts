// Keeps a session, a day, a month or a project within its dollars or tokens: it informs the user, then asks, then stops.
// app.include(budgetGuard({ usd: 5 }));
import { existsSync } from "node:fs";
import { ask, type Blueprint, block, blueprint, type Context, halt, systemMessage } from "hookline/sdk";

export interface BudgetGuardOptions {
  /** Of this session: input, output and cache writes together, subagents included. */
  readonly tokens?: number;
  readonly usd?: number;
  /** What the dollars are for (default: this session). Days and months are those of this machine's time zone. */
  readonly per?: "session" | "day" | "month" | "project";
  /** Shares of the budget at which it tells, asks and stops. */
  readonly warnAt?: number;
  readonly askAt?: number;
  readonly haltAt?: number;
  /** Models without a price, or a transcript that is missing or cannot be read: the user gets one message, or every tool call needs a confirmation. */
  readonly unpriced?: "warn" | "ask";
  /** When spending cannot be read. */
  readonly onFailure?: "continue" | "block";
}

export function budgetGuard(options: BudgetGuardOptions = {}): Blueprint {
  const numbers = { usd: "positive", tokens: "positive", warnAt: "number", askAt: "number", haltAt: "number" } as const;
  const texts = { per: ["session", "day", "month", "project"], unpriced: ["warn", "ask"] };
  const part = blueprint("budget-guard", options, { ...numbers, ...texts, onFailure: ["continue", "block"] });
  const { usd, tokens = 2_000_000, per = "session", warnAt = 0.8, askAt = 1, haltAt = 1.5 } = options;
  const { unpriced = "warn", onFailure = "continue" } = options;
  if (usd ? options.tokens : per !== "session") throw new Error("budget-guard takes usd, or tokens per session");
  // An answer that is still being written is not in these figures.
  async function used(session: string, { transcript, projectDir, env }: Context) {
    if (usd === undefined) {
      const session = await transcript;
      const { main, agents } = (await session.stats()).tokens;
      const sum = (of: typeof main) => of.input + of.output + of.cacheWrite5m + of.cacheWrite1h;
      const count = sum(main) + sum(agents);
      return { share: count / tokens, words: `${count} of ${tokens} tokens`, complete: existsSync(session.place.file) };
    }
    const { spent } = await import("hookline/usage");
    const month = new Date().toLocaleDateString("sv").slice(0, 7);
    const on = { session: { session }, day: { day: "today" }, month: { month }, project: { project: projectDir } }[per];
    const { costMicroUsd, complete } = await spent(on, { env });
    const dollars = costMicroUsd / 1e6;
    return { share: dollars / usd, words: `$${dollars.toFixed(2)} of $${usd.toFixed(2)} for this ${per}`, complete };
  }
  const missing = "a model has no price, or a transcript is missing or cannot be read";
  const gone = (words: string) => `The budget is used up: ${words}. Raise it where budgetGuard is included.`;
  part.preTool({ name: "budget-guard", onFailure }, async (event, ctx) => {
    const { share, words, complete } = await used(event.sessionId, ctx);
    if (share >= haltAt) return halt(gone(words));
    if (share >= askAt) return ask(`The budget is used up: ${words}. Continue?`);
    if (!complete && unpriced === "ask") return ask(`At least ${words}: ${missing}. Continue?`);
    const kind = `reported:${share >= warnAt}:${complete}`; // one message of each kind
    if ((share < warnAt && complete) || (await ctx.state.update(kind, (n = 0) => n + 1)) > 1) return undefined;
    return systemMessage(complete ? `Used ${words}.` : `Used at least ${words}: ${missing}.`);
  });
  return part.onPrompt({ name: "budget-guard", onFailure }, async (event, ctx) => {
    const { share, words } = await used(event.sessionId, ctx);
    return share >= haltAt ? block(gone(words)) : undefined;
  });
}
