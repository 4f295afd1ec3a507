import { z } from "zod";

const words = z.string().min(1);
const count = z.int().min(0);

const when = z
  .strictObject({
    purpose: z
      .enum(["main", "subagent", "compaction", "prompt-hook", "agent-hook", "classifier", "title", "any"])
      .meta({ description: "Why the model is asked; by default main." }),
    agent: words.meta({ description: "The type of the subagent that asks." }),
    lastMessage: words.meta({ description: "Text in the last message." }),
  })
  .partial();

const expectation = z
  .strictObject({
    in: z.enum(["request", "system", "messages", "last-message", "tools"]),
    contains: z.array(words),
    lacks: z.array(words),
  })
  .partial();

const call = z.strictObject({
  tool: words,
  input: z.record(z.string(), z.unknown()).optional(),
  id: words.optional(),
  rawInput: z.string().optional().meta({ description: "In place of input: what the model writes, JSON or not." }),
});

const answer = z
  .strictObject({
    name: words,
    when: when.meta({ description: "Which requests it answers." }),
    times: z
      .union([z.int().min(1), z.literal("any")])
      .meta({ description: "How many requests it answers; by default 1." }),
    expect: z.array(expectation).meta({ description: "What must hold of the request; else the run has failed." }),
    thinking: words,
    text: words,
    calls: z.array(call),
    stopReason: words,
    usage: z
      .strictObject({ input: count, output: count, cacheWrite5m: count, cacheWrite1h: count, cacheRead: count })
      .partial()
      .meta({ description: "Tokens; classes left out are estimated." }),
    delayMs: count,
    chunk: z.strictObject({ size: z.int().min(1), delayMs: count.optional() }),
    error: z
      .strictObject({ status: z.int().min(400).max(599), type: words, message: z.string(), retryAfterMs: count })
      .partial()
      .meta({ description: "Ends the answer; without a status the stream breaks off." }),
  })
  .partial();

/** What a scripted model says. `readScript` of `hookline/models` reads the same; a test holds the two together. */
export const scriptSchema: z.ZodType = z
  .strictObject({
    $schema: z.string().optional(),
    model: words.optional(),
    contextWindow: z.int().min(1).optional(),
    ids: z.enum(["counted", "random"]).optional(),
    answers: z.array(answer).meta({
      description: "A request gets the first answer that is not used up and whose condition holds.",
    }),
  })
  .meta({ title: "Script", description: "What a scripted model says." });
