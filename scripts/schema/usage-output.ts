import { z } from "zod";

const text = z.string();
const count = z.int().min(0);
const moment = z.iso.datetime();
const day = text.meta({ description: "A day such as 2026-10-07, or undated." });

const amounts = {
  calls: count.meta({ description: "Answers of models, each counted once." }),
  openCalls: count.meta({ description: "Of these, answers that were cut off." }),
  apiErrors: count,
  inputTokens: count,
  outputTokens: count,
  thinkingTokens: count.meta({ description: "A part of the output." }),
  cacheWrite5mTokens: count,
  cacheWrite1hTokens: count,
  cacheReadTokens: count,
  webSearches: count,
  costMicroUsd: count.meta({ description: "Whole micro-dollars." }),
  complete: z.boolean().meta({
    description:
      "False when calls are left out, for want of a price or because a transcript cannot be read: the cost is at least this.",
  }),
} as const;

const breakdown = {
  models: z.array(z.strictObject({ model: text, ...amounts })).optional(),
  agents: z.array(z.strictObject({ agentType: text, ...amounts })).optional(),
} as const;

const times = { firstAt: moment.optional(), lastAt: moment.optional() } as const;

const agent = z.strictObject({
  agentId: text,
  agentType: text.optional(),
  description: text.optional(),
  toolUseId: text.optional(),
  parentAgentId: text.optional(),
  depth: z.number().optional(),
  ...amounts,
});

const rows = {
  daily: { date: day, ...breakdown },
  weekly: { weekStart: day, weekEnd: day, ...breakdown },
  monthly: { month: text.meta({ description: "A month such as 2026-10, or undated." }), ...breakdown },
  session: {
    sessionId: text,
    project: text,
    cwd: text.optional(),
    title: text.optional(),
    ...times,
    turns: count,
    main: z.strictObject(amounts),
    agents: z.strictObject(amounts),
    byAgent: z.array(agent),
    models: breakdown.models,
    reconcile: z
      .strictObject({
        clientMicroUsd: z.int().nullable(),
        statuslineMicroUsd: z.int().nullable(),
        differenceMicroUsd: z.int().nullable(),
      })
      .optional()
      .meta({ description: "Claude Code's own figures; never mixed in." }),
  },
  blocks: {
    startAt: moment,
    endAt: moment,
    lastAt: moment.nullable(),
    active: z.boolean(),
    gap: z.boolean(),
    burn: z.strictObject({ tokensPerMinute: count, costMicroUsdPerHour: count }).nullable(),
    projection: z.strictObject({ tokens: count, costMicroUsd: count, minutesLeft: count }).nullable(),
    limit: z.strictObject({ tokens: count, share: z.number() }).nullable(),
    resetAt: moment.nullable(),
    ...breakdown,
  },
  models: {
    model: text,
    speed: z.enum(["standard", "fast"]),
    ...times,
    share: z.number().meta({ description: "Of the report's cost, from 0 to 1." }),
    basis: z.literal("list").optional().meta({ description: "A cloud sold it: priced as the vendor lists it." }),
    agents: breakdown.agents,
  },
  projects: { project: text, folders: z.array(text), sessions: count, ...times, ...breakdown },
} as const;

const price = z.strictObject({
  models: z.array(text),
  from: text.nullable(),
  to: text.nullable(),
  usdPerMillion: z.strictObject({
    input: z.number(),
    write5m: z.number(),
    write1h: z.number(),
    cacheRead: z.number(),
    output: z.number(),
  }),
  source: text,
  read: text,
});

const warning = z.strictObject({
  code: z.enum([
    "unpriced-model",
    "unwritten-cost",
    "usage-conflict",
    "odd-count",
    "assumed-5m",
    "fast-and-batch",
    "open-calls",
    "undated-calls",
    "unreadable-line",
    "unread-file",
    "index",
  ]),
  count,
  message: text,
  places: z.array(z.strictObject({ file: text, line: count, offset: count, why: text })).optional(),
});

/** What `hookline usage … --json` prints and `usageReport` gives, by report. */
export const usageSchemas: Readonly<Record<string, z.ZodType>> = {
  daily: report("daily"),
  weekly: report("weekly"),
  monthly: report("monthly"),
  session: report("session"),
  blocks: report("blocks"),
  models: report("models"),
  projects: report("projects"),
};

function report(name: keyof typeof rows): z.ZodType {
  return z
    .strictObject({
      schema: z.literal(`hookline.usage.${name}/1`),
      generatedAt: moment,
      timezone: text,
      range: z.strictObject({ since: text.nullable(), until: text.nullable() }),
      filters: z.strictObject({
        project: text.nullable(),
        session: text.nullable(),
        model: text.nullable(),
        agent: text.nullable(),
      }),
      mode: z.enum(["auto", "calculate", "display"]),
      prices: z.strictObject({ newest: text.nullable(), sources: z.array(text), rows: z.array(price).optional() }),
      sources: z.strictObject({
        roots: z.array(text),
        files: count,
        bytes: count,
        unreadableLines: count,
        fallbackLines: count,
        from: z.enum(["scan", "index"]),
      }),
      rows: z.array(z.strictObject({ ...rows[name], ...amounts })),
      totals: z.strictObject(amounts),
      unpriced: z.array(z.strictObject({ model: text, ...amounts })),
      warnings: z.array(warning),
    })
    .meta({ title: `usage ${name}`, description: `What hookline usage ${name} --json prints.` });
}
