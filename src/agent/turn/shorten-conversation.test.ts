import { expect, test } from "vitest";
import { joinTurns, type Message, type ModelRequest, scripted } from "../../models/internal.ts";
import { shortenConversation } from "./shorten-conversation.ts";

/** Exchanges with one call each; every result has so many characters. */
function conversation(exchanges: number, resultChars: number): Message[] {
  return Array.from({ length: exchanges }, (_, at): Message[] => [
    { role: "user", content: `question ${at}` },
    { role: "assistant", content: [{ type: "tool_use", id: `t${at}`, name: "Bash", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${at}`, content: "x".repeat(resultChars) }] },
    { role: "assistant", content: [{ type: "text", text: `answer ${at}` }] },
  ]).flat();
}

const sizeOf = (messages: readonly Message[]) => JSON.stringify(messages).length;

test("each level of shortening is smaller, keeps the newest messages and breaks no rule of the API", async () => {
  for (const messages of [conversation(40, 3_000), conversation(2, 400_000), conversation(40, 3_000).slice(0, -1)]) {
    const sizes: number[] = [];
    for (const level of [0, 1, 2, 3, 4, 5, 6]) {
      const short = shortenConversation(messages, level);
      sizes.push(sizeOf(short));
      const asked = joinTurns([...short, { role: "user", content: "Summarize." }]);
      expect(await refusalOf(asked)).toBeUndefined();
    }
    expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) / 8);
    expect([...sizes].sort((a, b) => b - a)).toEqual(sizes);
  }
  expect(JSON.stringify(shortenConversation(conversation(40, 3_000), 3))).toContain("answer 39");
});

test("a turn of many calls keeps what the user asked for and the newest calls with their results", async () => {
  const messages: Message[] = [
    { role: "user", content: "Rename the function everywhere." },
    ...conversation(40, 3_000).filter(({ content }) => typeof content !== "string" && content[0]?.type !== "text"),
  ];
  for (const level of [2, 3, 4]) {
    const short = shortenConversation(messages, level);
    expect(short[0]?.content).toBe("Rename the function everywhere.");
    expect(short.length).toBeGreaterThan(4);
    expect(JSON.stringify(short)).toContain('"id":"t39"');
    expect(await refusalOf(joinTurns([...short, { role: "user", content: "Summarize." }]))).toBeUndefined();
  }
});

test("one message that is too long is cut in the middle", () => {
  const [message] = shortenConversation([{ role: "user", content: `begin ${"x".repeat(1_000_000)} end` }], 1);
  expect(message?.content).toMatch(/^begin x+\n\[… \d+ characters left out …\]\nx+ end$/);
});

/** The scripted model checks the rules of the API. */
async function refusalOf(messages: readonly Message[]): Promise<string | undefined> {
  const model = await scripted({ answers: [{ text: "ok" }] });
  const tools = [{ name: "Bash", description: "", input_schema: {} }];
  const request: ModelRequest = { purpose: "main", model: "m", system: [], messages, tools, maxTokens: 100 };
  for await (const event of model.stream(request, new AbortController().signal))
    if (event.type === "error") return event.message;
  return undefined;
}
