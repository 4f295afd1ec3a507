import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { agreeWithModel, agreeWithParsing, usual } from "../fixtures/agreement.ts";
import { corpus } from "../fixtures/corpus.ts";
import { bothWays, recordedRoot, sessionsIn, transcripts } from "../fixtures/recorded.ts";
import { reference, scanned } from "../fixtures/reference.ts";
import { answer, one, openWorld, prompt, textOf, tokens } from "../fixtures/world.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-scan-"));
const path = join(folder, "lines.jsonl");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the quick scan finds what parsing every line finds, on lines changed in every way", async () => {
  await agreeWithParsing(20);
});

test("the quick scan finds what parsing finds wherever the buffer cuts a line", async () => {
  const filler = (length: number) => prompt("", { message: { role: "user", content: "x".repeat(length) } });
  // The buffer holds about 320 KB: lines end before, at and behind its end, and some are longer than it.
  const sizes = [300_000, 320_000, 327_300, 327_680, 328_000, 400_000, 900_000, 2_000_000];
  for (const size of sizes) {
    for (const shift of [0, 1, 17, 255]) {
      const long = answer({ id: `msg_long_${size}`, content: [{ type: "text", text: "y".repeat(size) }] });
      writeFileSync(
        path,
        [...usual, filler(size + shift), answer({ id: "msg_7" }), long, ...usual].map(textOf).join("\n"),
      );
      expect(await scanned(path)).toMatchObject(await reference(path));
    }
  }
});

test.each(readdirSync(transcripts).filter((name) => !name.startsWith("_")))(
  "the scan and the session model agree on the recorded transcript %s",
  async (name) => {
    const places = await sessionsIn(recordedRoot(name));
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) {
      const { modelled, reported } = await bothWays(place);
      expect(reported, place.id).toEqual(modelled);
    }
  },
);

test("report and session model agree on generated transcripts, session by session", async () => {
  const out = join(folder, "corpus");
  const { writeCorpus } = await corpus();
  writeCorpus({ mb: 4, seed: 7, out });
  const places = await sessionsIn(out);
  expect(places.length).toBeGreaterThan(5);
  for (const place of places) {
    const { modelled, reported } = await bothWays(place);
    expect(reported, place.file).toEqual(modelled);
  }
});

test("report and session model agree on lines changed in every way", async () => {
  await agreeWithModel(10);
});

test("of many thousand lines few are parsed", async () => {
  const world = openWorld();
  const lines = Array.from({ length: 3000 }, (_, index) => [
    prompt(`do ${index}`),
    answer({ id: `msg_${index}`, request: `req_${index}`, usage: tokens(index, index * 2) }),
  ]).flat();
  world.write(`${one}.jsonl`, lines);
  const { sources, totals } = await world.report();
  expect(totals.calls).toBe(3000);
  expect(sources.fallbackLines).toBeLessThan(10);
});

test("a torn tail is left for the next time, and never read twice", async () => {
  const whole = usual.map((line) => `${textOf(line)}\n`).join("");
  const last = textOf(answer({ id: "msg_last", request: "req_last" }));
  for (const cut of [0, 1, 40, last.length - 1]) {
    writeFileSync(path, whole + last.slice(0, cut));
    const { offset, calls, unreadable } = await scanned(path);
    expect([offset, calls.length, unreadable]).toEqual([Buffer.byteLength(whole), 6, 0]);
    appendFileSync(path, `${last.slice(cut)}\n`);
    const after = await scanned(path);
    expect([after.calls.length, after.unreadable]).toEqual([7, 0]);
  }
  // One shot: a last line that is whole but for its newline counts.
  writeFileSync(path, whole + last);
  const { offset, calls } = await scanned(path);
  expect([offset, calls.length]).toEqual([Buffer.byteLength(whole), 7]);
});

test("an answer after a stub on the same line is found, for every position of its type and every length", async () => {
  const long = [{ type: "text", text: "y".repeat(5000) }];
  const last = answer({ id: "msg_last", request: "req_last", content: long });
  const { type, ...typeless } = last;
  const orders = [last, { type, ...typeless }, { ...typeless, type }];
  const stub = textOf(prompt("z".repeat(600)));
  for (const whole of orders) {
    for (const cut of [150, 300, 500, stub.length]) {
      writeFileSync(path, `${[...usual, ...usual].map(textOf).join("\n")}\n${stub.slice(0, cut)}${textOf(whole)}\n`);
      const found = await scanned(path);
      expect(found).toMatchObject(await reference(path));
      expect(found.calls).toHaveLength(7);
    }
  }
});

test("a file that was cut anywhere is read to its end, by a scanner that has read nothing before", async () => {
  const line = textOf(answer());
  for (let cut = 1; cut < line.length; cut += 19) {
    for (const text of [line.slice(0, cut), `${line.slice(0, cut)}${line}\n`, `${line}\n${line.slice(0, cut)}`]) {
      writeFileSync(path, text);
      expect(await scanned(path)).toMatchObject(await reference(path));
    }
  }
});

test("bad lines are counted with their place", async () => {
  const world = openWorld();
  const file = world.write(`${one}.jsonl`, [
    answer(),
    '{"type":"assistant","mess',
    "not json",
    answer({ id: "msg_2" }),
  ]);
  const { warnings, sources } = await world.report();
  expect(sources.unreadableLines).toBe(2);
  const offset = Buffer.byteLength(`${textOf(answer())}\n`);
  expect(warnings).toMatchObject([
    {
      code: "unreadable-line",
      count: 2,
      places: [
        { file, line: 2, offset, why: "not-json" },
        { file, line: 3, offset: offset + 26, why: "not-json" },
      ],
    },
  ]);
});

test("a call without a time takes that of the line before it, also when the key there is written with escapes", async () => {
  const undated = answer({ id: "msg_9", request: "req_9", at: null });
  const stamp = { type: "queue-operation", timestamp: "2026-10-05T09:00:00.000Z", sessionId: one };
  const dated = answer({ id: "msg_8", request: "req_8", at: "2026-10-06T10:00:00.000Z" });
  const escaped = textOf(stamp).replace("timestamp", "\\u0074imestamp");
  writeFileSync(path, `${[textOf(dated), escaped, textOf(undated)].join("\n")}\n`);
  const found = await scanned(path);
  expect(found).toMatchObject(await reference(path));
  expect(found.calls).toMatchObject([
    { figures: { at: Date.parse("2026-10-06T10:00:00.000Z") } },
    { figures: { at: Date.parse("2026-10-05T09:00:00.000Z") } },
  ]);
});

test.each([
  ["server_tool_use", { web_search_requests: 3 }],
  ["cache_creation", { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 5 }],
  [
    "iterations",
    [
      { type: "message", ...tokens(1, 2) },
      { type: "message", ...tokens(3, 4) },
    ],
  ],
  ["output_tokens_details", { thinking_tokens: 9 }],
] as const)("%s counts on a line that comes after lines on which it is null", async (name, value) => {
  const without = answer({ usage: { ...tokens(10, 100), [name]: null } });
  const withIt = answer({ id: "msg_2", request: "req_2", usage: { ...tokens(10, 100), [name]: value } });
  writeFileSync(path, [without, without, withIt].map((line) => `${textOf(line)}\n`).join(""));
  expect(await scanned(path)).toMatchObject(await reference(path));
});
