import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sized } from "../../../test/size.ts";
import { answer, attachment, prompt, result, system, toolUse, type Wire } from "../fixtures/transcript.ts";
import type { Entry } from "../model/entry.ts";
import { openSession } from "../session.ts";
import type { Query } from "./query.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-query-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Generated sessions with branches, parallel tools, hooks, damage and bare lines. */
const generated = fc
  .array(
    fc.record({
      what: fc.constantFrom("prompt", "answer", "tool", "hook", "bare", "junk", "system", "error", "last-prompt"),
      back: fc.nat(4),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((steps) => {
    const nodes: Wire[] = [];
    const out: (Wire | string)[] = [];
    steps.forEach(({ what, back }, index) => {
      const parent = nodes.at(-1 - (back > 2 ? back : 0)) ?? nodes.at(-1) ?? null;
      const add = (line: Wire) => {
        nodes.push(line);
        out.push(line);
        return line;
      };
      if (what === "bare") out.push({ type: "mode", mode: "x", sessionId: "s1" });
      else if (what === "junk") out.push("{junk");
      else if (what === "last-prompt")
        out.push({ type: "last-prompt", leafUuid: nodes.at(-1 - back)?.["uuid"] ?? "none", sessionId: "s1" });
      else if (what === "prompt" || parent === null) add(prompt(parent, `prompt ${index}`));
      else if (what === "hook") add(attachment(parent, { type: "hook_success", hookEvent: "Stop" }));
      else if (what === "system") add(system(parent, "turn_duration", { durationMs: 5 }));
      else if (what === "error")
        add(answer(parent, "API Error", { model: "<synthetic>" }, { isApiErrorMessage: true }));
      else if (what === "answer") add(answer(parent, `answer ${index}`));
      else {
        const use = add(answer(parent, [toolUse(`t${index}`), toolUse(`u${index}`)], { stop: "tool_use" }));
        add(result(use, `t${index}`));
        if (back % 2 === 0) add(result(use, `u${index}`, "no", {}, { is_error: true }));
      }
    });
    return out;
  });

type Step = (query: Query<Entry>) => Query<Entry>;
const steps: Record<string, Step> = {
  errors: (query) => query.errors(),
  withText: (query) => query.withText(),
  withTools: (query) => query.withTools(),
  matching: (query) => query.matching("1"),
  where: (query) => query.where(({ kind }) => kind === "user" || kind === "mode"),
  since: (query) => query.since("2026-01-01T00:00:00Z"),
};

const textsIn = (entry: Entry): string[] =>
  entry.kind === "user" || entry.kind === "assistant"
    ? entry.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
    : [];

/** The same filters, written down a second time. */
const plainly: Record<string, (entry: Entry) => boolean> = {
  errors: (entry) =>
    (entry.kind === "assistant" && entry.model === "<synthetic>") ||
    (entry.kind === "user" && JSON.stringify(entry.content).includes('"isError":true')),
  withText: (entry) => textsIn(entry).length > 0,
  withTools: (entry) => entry.kind === "assistant" && JSON.stringify(entry.content).includes('"tool_use"'),
  matching: (entry) => textsIn(entry).join().includes("1"),
  where: ({ kind }) => kind === "user" || kind === "mode",
  since: ({ timestamp }) => timestamp !== undefined,
};

test("filters commute, and every query equals the same filter over the full list", async () => {
  await fc.assert(
    fc.asyncProperty(
      generated,
      fc.constantFrom("active", "all"),
      fc.shuffledSubarray(Object.keys(steps), { maxLength: 3 }),
      async (wires, branch, names) => {
        const file = join(folder, "s1.jsonl");
        writeFileSync(
          file,
          wires.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
        );
        const apply = (query: Query<Entry>, order: readonly string[]) =>
          order.reduce((one, name) => steps[name]?.(one) ?? one, query);
        const offsets = (list: readonly Entry[]) => list.map(({ offset }) => offset);
        const fresh = async () => (await openSession(file)).query().branch(branch);
        const loaded = await openSession(file);
        const model = await loaded.load();
        const active = new Set<Entry>(model.main.history());
        const full = model.main.entries.filter(
          (entry) => branch === "all" || entry.parentUuid === undefined || active.has(entry),
        );
        const expected = offsets(full.filter((entry) => names.every((name) => plainly[name]?.(entry))));
        expect(offsets(await apply(await fresh(), names).all())).toEqual(expected);
        expect(offsets(await apply(await fresh(), names.toReversed()).all())).toEqual(expected);
        expect(
          offsets(
            await apply(await fresh(), names)
              .reverse()
              .all(),
          ),
        ).toEqual(expected.toReversed());
        expect((await apply(await fresh(), names).first())?.offset).toBe(expected[0]);
        expect((await apply(await fresh(), names).last())?.offset).toBe(expected.at(-1));
        expect(await apply(await fresh(), names).count()).toBe(expected.length);
      },
    ),
    { numRuns: sized(60, 1_000) },
  );
});
