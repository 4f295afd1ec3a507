import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../test/size.ts";
import { tempFolder } from "../../files/fixtures/temp-folder.ts";
import { itemsOf, said } from "../fixtures/store-entries.ts";
import { openStore } from "./session-store.ts";

const cwd = "/home/dev/project";
const id = "11111111-1111-4111-8111-111111111111";

test("writing then reading is identity, whatever the texts hold", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd });
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constant("\ud800 \u2028 \r\n \0"));
  await fc.assert(
    fc.asyncProperty(texts, fc.jsonValue(), async (text, extra) => {
      const { record } = await session.append({ ...said(text), extra });
      const line = (await readFile(session.file, "utf8")).trimEnd().split("\n").at(-1) ?? "";
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(record)));
      expect(JSON.parse(line)).toMatchObject(
        JSON.parse(JSON.stringify({ message: { content: text }, extra })) as object,
      );
    }),
    { numRuns: sized(100, 1_000) },
  );
});

test("a record of 64 MB is one line, and odd texts stay what they are", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  const odd = ["\ufeff", "a\r\nb", "\ud800", "\u2028\u2029", "\0", "ä".repeat(1_000)];
  await session.append({ type: "system", subtype: "informational", content: odd });
  const filler = Array.from({ length: 64 * 1024 }, () => "x".repeat(1_024));
  await session.append({ type: "system", subtype: "informational", filler });
  await session.append({ type: "system", subtype: "informational", content: odd });
  await store.close();
  const lines = (await readFile(session.file, "utf8")).split("\n");
  expect(lines.length).toBe(4);
  expect((lines[1] ?? "").length).toBeGreaterThan(64 * 1024 * 1024);
  expect([lines[0], lines[2]].map((line) => (JSON.parse(line ?? "") as { content: unknown }).content)).toEqual([
    odd,
    odd,
  ]);
  const items = await itemsOf(session.file);
  expect(items.map((item) => (item.kind === "unreadable" ? item.why : item.kind))).toEqual([
    "system",
    "too-long",
    "system",
  ]);
});
