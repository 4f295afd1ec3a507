import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChatApi } from "../../test/scripted-api/index.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { answerOf, type ModelRequest } from "./model.ts";
import { openModel } from "./open-model.ts";
import { openaiCompatible } from "./openai/openai-compatible.ts";

const request: ModelRequest = {
  purpose: "main",
  model: "m",
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [],
  maxTokens: 9,
  thinkingTokens: 2000,
};
const never = new AbortController().signal;

test("an option that a port does not have is refused by name, and so is a model without a name", async () => {
  const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
  const wrong = { model: "m", env, baseURL: "http://127.0.0.1:1" };
  await expect(openaiCompatible(wrong)).rejects.toMatchObject({
    code: "models/bad-option",
    message: 'openaiCompatible has no option "baseURL". Key and address come from env.',
  });
  await expect(anthropic(wrong)).rejects.toMatchObject({ code: "models/bad-option" });
  await expect(openaiCompatible({ env } as unknown as { model: string })).rejects.toMatchObject({
    message: "openaiCompatible needs the option model.",
  });
  await expect(openModel(undefined as unknown as string, env)).rejects.toMatchObject({
    code: "models/bad-name",
    message: expect.stringContaining("undefined names no model."),
  });
});

test("a name opens its port", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "script-")), "script.json");
  await writeFile(file, JSON.stringify({ model: "from-file", answers: [] }));
  const env = { ANTHROPIC_API_KEY: "k" };
  const names = [`scripted:${file}`, "openai:gpt-x", "claude-x"].map(async (name) => (await openModel(name, env)).name);
  expect(await Promise.all(names)).toEqual(["from-file", "gpt-x", "claude-x"]);
});

test("an unsupported feature is reported once", async () => {
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  const done = { chunks: [{ ...chunk, choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }] }] };
  const api = await startChatApi([done, done]);
  const reports: string[] = [];
  const model = await openModel("openai:m", { OPENAI_BASE_URL: api.url }, (sentence) => reports.push(sentence));
  const answers = [await answerOf(model, request, never), await answerOf(model, request, never)];
  await api.close();
  expect(answers.map(({ type }) => type)).toEqual(["end", "end"]);
  expect(reports).toEqual(["openai:m: this API does not support thinking; it is skipped."]);
});
