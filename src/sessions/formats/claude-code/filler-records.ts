import type { Draft } from "./write-record.ts";

/** What the client writes between an end that was never answered and the next prompt: a note, and an answer of its own. */
export const fillers: readonly Draft[] = [
  {
    type: "user",
    isMeta: true,
    message: { role: "user", content: [{ type: "text", text: "Continue from where you left off." }] },
  },
  {
    type: "assistant",
    message: {
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: "No response requested." }],
      stop_reason: "stop_sequence",
      stop_sequence: "",
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  },
];
