import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documentOf } from "../export/build-document.ts";
import type { Entry, Item } from "../model/entry.ts";
import { modelOf } from "../model/session-model.ts";
import { statsOf } from "../model/session-stats.ts";
import type { JsonRecord } from "./json-records.ts";
import { claudeCode, type Format, needAbility, readEntries } from "./read-entries.ts";

/** An agent that writes `{"n":1,"who":"me","said":"…"}`: two dozen lines make it readable. */
const diary: Format = {
  name: "diary",
  isRecord: ({ who }) => typeof who === "string",
  abilities: new Set(["validate"]),
  toEntry({ object, file, offset, length, line, raw }: JsonRecord): Entry {
    const { n, who, said } = object;
    const place = { file, offset, length, line, raw };
    if (typeof n !== "number" || typeof said !== "string") return { ...place, kind: "other", name: "diary", object };
    const thread = { uuid: `n${n}`, parentUuid: n === 1 ? null : `n${n - 1}`, isSidechain: false };
    const content = [{ type: "text", text: said }] as const;
    if (who === "me") return { ...place, ...thread, kind: "user", role: "prompt", source: "typed", content };
    return {
      ...place,
      ...thread,
      kind: "assistant",
      messageId: `m${n}`,
      content,
      stopReason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 2 },
    };
  },
};

test("another agent is a spelling; model, figures and export work unchanged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-format-"));
  const file = join(folder, "s1.jsonl");
  writeFileSync(
    file,
    '{"n":1,"who":"me","said":"hello"}\n{"n":2,"who":"it","said":"hi"}\nnoise\n{"n":3,"who":"me","said":"bye"}\n',
  );
  const items: Item[] = [];
  for await (const batch of readEntries(file, { format: diary })) items.push(...batch);
  const place = { id: "s1", root: { path: folder, origin: "client" } as const, project: "p", folder, file };
  const files = { main: file, agents: [], workflows: [], toolResults: [], others: [] };
  const model = modelOf({ place, files, main: items, agents: [] });
  expect(model.main.turns().turns.map(({ ended, calls }) => [ended, calls.length])).toEqual([
    ["answered", 1],
    ["open", 0],
  ]);
  expect(statsOf(model)).toMatchObject({
    prompts: 2,
    calls: 1,
    unreadable: 1,
    tokens: { main: { input: 1, output: 2 } },
  });
  expect(documentOf(model, "Diary").items.map(({ kind }) => kind)).toEqual(["prompt", "answer", "prompt"]);
  rmSync(folder, { recursive: true });
});

test("asking a format for what it does not support is a problem that says what it does", () => {
  expect(() => needAbility(diary, "repair")).toThrowError(expect.objectContaining({ code: "sessions/unsupported" }));
  expect(() => needAbility(diary, "repair")).toThrow(
    "transcripts of diary do not support repair; they support validate.",
  );
  expect(() => needAbility(claudeCode, "repair")).not.toThrow();
});
