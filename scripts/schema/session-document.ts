import { z } from "zod";

const text = z.string();
const count = z.int().min(0);
const moment = text.meta({ description: "An ISO time, as Claude Code wrote it." });

const images = z.array(z.strictObject({ mediaType: text, data: text }));
const stands = { turn: count.optional(), timestamp: moment.optional() };

const item: z.ZodType = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("prompt"), role: text, text, images, ...stands }),
    z.strictObject({ kind: z.literal("answer"), model: text.optional(), text, ...stands }),
    z.strictObject({ kind: z.enum(["thinking", "feedback", "command", "api-error", "interrupt"]), text, ...stands }),
    z.strictObject({
      kind: z.literal("tool"),
      id: text,
      name: text,
      input: z.unknown(),
      status: text,
      output: text.optional(),
      images: images.optional(),
      durationMs: z.number().optional(),
      agent: z
        .strictObject({ id: text, type: text.optional(), description: text.optional(), items: z.array(item) })
        .optional(),
      ...stands,
    }),
    z.strictObject({
      kind: z.literal("hook"),
      type: text,
      event: text.optional(),
      name: text.optional(),
      text,
      ...stands,
    }),
    z.strictObject({
      kind: z.literal("compaction"),
      trigger: text.optional(),
      preTokens: z.number().optional(),
      postTokens: z.number().optional(),
      summary: text.optional(),
      ...stands,
    }),
  ]),
);

/** A session to give away. */
export const document: z.ZodObject = z.strictObject({
  schema: z.literal("hookline.session/1"),
  id: text,
  title: text.optional(),
  cwd: text.optional(),
  version: text.optional(),
  gitBranch: text.optional(),
  startedAt: moment.optional(),
  endedAt: moment.optional(),
  models: z.array(text),
  items: z.array(item),
});

const tokens = z.strictObject({
  input: count,
  output: count,
  thinking: count,
  cacheWrite5m: count,
  cacheWrite1h: count,
  cacheRead: count,
  webSearches: count,
});

/** What a session came to. */
export const statsSchema: z.ZodObject = z.strictObject({
  entries: count,
  unreadable: count,
  prompts: count,
  turns: count,
  calls: count,
  apiErrors: count,
  agents: count,
  tools: z.record(z.string(), z.strictObject({ calls: count, errors: count, totalMs: z.number() })),
  tokens: z.strictObject({ main: tokens, agents: tokens }),
  firstAt: moment.optional(),
  lastAt: moment.optional(),
  wallMs: z.number().optional(),
  busyMs: z.number(),
  waitingMs: z.number(),
  models: z.array(text),
  filesTouched: z.array(text),
  compactions: count,
  droppedTokens: z.number(),
});
