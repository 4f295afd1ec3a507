import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { corpus } from "../fixtures/corpus.ts";
import { mutated } from "../fixtures/mutate.ts";
import { bothWays, recordedRoot, sessionsIn, together, transcripts } from "../fixtures/recorded.ts";
import { reference, scanned } from "../fixtures/reference.ts";
import { answer, copyOf, one, openWorld, prompt, textOf, tokens, type Wire } from "../fixtures/world.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-scan-"));
const path = join(folder, "lines.jsonl");
const changed = join(folder, "changed.jsonl");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const agent = "a0123456789abcdef";

const usual: readonly Wire[] = [
  { type: "queue-operation", operation: "enqueue", timestamp: "2026-10-05T09:00:00.000Z", sessionId: one },
  prompt("do it"),
  answer({ stop: null, usage: tokens(10, 3) }),
  answer(),
  answer({ id: "msg_2", request: null, at: "2026-10-06T10:00:00.000Z", model: "claude-opus-5[1m]" }),
  answer({ id: "msg_3", agent, usage: { ...tokens(1, 2, 3), cache_creation: { ephemeral_5m_input_tokens: 0 } } }),
  answer({
    id: "msg_4",
    usage: {
      ...tokens(1, 2, 3),
      cache_creation: { ephemeral_1h_input_tokens: 7, ephemeral_5m_input_tokens: 9 },
      cache_creation_input_tokens: 16,
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
      service_tier: "standard",
      inference_geo: "us",
      iterations: [{ type: "message", ...tokens(1, 2, 3) }],
      speed: "fast",
    },
  }),
  copyOf(answer({ id: "msg_5", request: "req_5" }), agent),
  prompt("", { message: { role: "user", content: [{ tool_use_id: "toolu_1", type: "tool_result", content: "ok" }] } }),
  { type: "ai-title", aiTitle: "A title", sessionId: one },
  answer({ model: "<synthetic>", id: "msg_6", usage: tokens(0, 0), more: { isApiErrorMessage: true } }),
];

const mains = usual.filter((line) => line["isSidechain"] !== true);

/** A file in which shapes are learned first, and lines that almost fit come after. */
const files = fc.array(fc.constantFrom(...usual).chain(mutated), { minLength: 20, maxLength: 60 });

test("US-12 the quick scan finds what parsing every line finds, on lines changed in every way", async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.constantFrom("", "\n"), fc.boolean(), async (lines, end, isAgent) => {
      writeFileSync(changed, [...usual.map(textOf), ...lines].join("\n") + end);
      const of = isAgent ? agent : undefined;
      const [quick, plain] = [await scanned(changed, of), await reference(changed, of)];
      expect({ ...quick, unreadable: 0 }).toEqual({ ...plain, unreadable: 0 });
      // Damage behind the type of a line that cannot hold usage is nobody's loss, and not looked for.
      expect(quick.unreadable).toBeLessThanOrEqual(plain.unreadable);
    }),
    { numRuns: Number(process.env["HOOKLINE_RUNS"] ?? 200) },
  );
});

test("US-12 so it does wherever lines are cut by the buffer", async () => {
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
      expect(await scanned(path)).toEqual(await reference(path));
    }
  }
});

test.each(readdirSync(transcripts).filter((name) => !name.startsWith("_")))(
  "US-12 the scan and the session model agree on the recorded transcript %s",
  async (name) => {
    for (const place of await sessionsIn(recordedRoot(name))) {
      const { modelled, reported } = await bothWays(place);
      expect(reported, place.id).toEqual(modelled);
    }
  },
);

test("US-12 they agree on generated transcripts, session by session", async () => {
  const out = mkdtempSync(join(tmpdir(), "hookline-corpus-"));
  const { writeCorpus } = await corpus();
  writeCorpus({ mb: 4, seed: 7, out });
  for (const place of await sessionsIn(out)) {
    const { modelled, reported } = await bothWays(place);
    expect(reported, place.file).toEqual(modelled);
  }
});

test("US-12 they agree on lines changed in every way", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...mains).chain(mutated), { maxLength: 30 }), async (lines) => {
      const world = openWorld();
      world.write(`${one}.jsonl`, [...mains.map(textOf), ...lines]);
      for (const place of await sessionsIn(world.root)) {
        const { modelled, reported } = await bothWays(place);
        expect(together(reported)).toEqual(together(modelled));
      }
    }),
    { numRuns: Number(process.env["HOOKLINE_RUNS"] ?? 30) },
  );
});

test("US-31 and US-32 lines like earlier ones are compared, all others parsed: few of many thousand", async () => {
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

test("US-33 a torn tail is left for the next time, and never read twice", async () => {
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

test("US-12 an answer glued behind a stub is found, wherever its type stands and however long it is", async () => {
  const long = [{ type: "text", text: "y".repeat(5000) }];
  const last = answer({ id: "msg_last", request: "req_last", content: long });
  const { type, ...typeless } = last;
  const orders = [last, { type, ...typeless }, { ...typeless, type }];
  const stub = textOf(prompt("z".repeat(600)));
  for (const whole of orders) {
    for (const cut of [150, 300, 500, stub.length]) {
      writeFileSync(path, `${[...usual, ...usual].map(textOf).join("\n")}\n${stub.slice(0, cut)}${textOf(whole)}\n`);
      const found = await scanned(path);
      expect(found).toEqual(await reference(path));
      expect(found.calls).toHaveLength(7);
    }
  }
});

test("US-33 a file that was cut anywhere is read to its end, by a scanner that has read nothing before", async () => {
  const line = textOf(answer());
  for (let cut = 1; cut < line.length; cut += 7) {
    for (const text of [line.slice(0, cut), `${line.slice(0, cut)}${line}\n`, `${line}\n${line.slice(0, cut)}`]) {
      writeFileSync(path, text);
      expect(await scanned(path)).toEqual(await reference(path));
    }
  }
});

test("US-33 bad lines are counted with their place", async () => {
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
