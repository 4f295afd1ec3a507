import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../test/size.ts";
import { name, openIndexed, reportsOf } from "../fixtures/indexed-world.ts";
import { answer, prompt, textOf, tokens, type World } from "../fixtures/world.ts";

/** Something Claude Code, a person or a crash does to transcripts. */
type Step =
  | { readonly do: "append" | "torn"; readonly file: number; readonly call: number; readonly agent: boolean }
  | { readonly do: "fork"; readonly file: number; readonly to: number }
  | { readonly do: "cut" | "replace" | "delete" | "archive" | "touch"; readonly file: number };

const file = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("append" as const), file, call: fc.nat(9), agent: fc.boolean() }),
  },
  fc.record({ do: fc.constant("torn" as const), file, call: fc.nat(9), agent: fc.boolean() }),
  fc.record({ do: fc.constant("fork" as const), file, to: file }),
  fc.record({ do: fc.constantFrom("cut", "replace", "delete", "archive", "touch"), file }),
);

let clock = Date.parse("2026-10-01T00:00:00Z");

function take(world: World, what: Step): void {
  const folder = join(world.root, "projects", "-w");
  mkdirSync(folder, { recursive: true });
  const main = join(folder, `${name(what.file)}.jsonl`);
  const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  switch (what.do) {
    case "append":
    case "torn": {
      const agent = `a000000000000000${what.file}`;
      const path = what.agent ? join(folder, name(what.file), "subagents", `agent-${agent}.jsonl`) : main;
      mkdirSync(dirname(path), { recursive: true });
      clock += 3_600_000;
      const line = textOf(
        answer({
          // Few ids, so that files share calls; more output each time, so that records are improved on.
          id: `msg_${what.call}`,
          request: `req_${what.call}`,
          at: new Date(clock).toISOString(),
          usage: tokens(10, what.call + (clock % 7)),
          session: name(what.file),
          ...(what.agent ? { agent } : {}),
        }),
      );
      appendFileSync(path, what.do === "torn" ? line.slice(0, 200 + (clock % line.length)) : `${line}\n`);
      return;
    }
    case "fork":
      if (!exists(main) || what.to === what.file) return;
      writeFileSync(
        join(folder, `${name(what.to)}.jsonl`),
        readFileSync(main, "utf8").replaceAll(name(what.file), name(what.to)),
      );
      return;
    case "cut":
      if (exists(main)) truncateSync(main, Math.floor(statSync(main).size / 2));
      return;
    case "replace":
      if (!exists(main)) return;
      writeFileSync(`${main}.new`, `${textOf(prompt("again", { sessionId: name(what.file) }))}\n`);
      renameSync(`${main}.new`, main);
      return;
    case "delete":
      rmSync(main, { force: true });
      return;
    case "archive":
      if (!exists(main)) return;
      writeFileSync(`${main}.gz`, gzipSync(readFileSync(main)));
      rmSync(main);
      return;
    case "touch":
      if (exists(main)) utimesSync(main, new Date(), new Date(clock));
      return;
  }
}

test("with an index the answer is that of a fresh scan, after every step of any history", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 12 }),
      fc.constantFrom(0, 1e9),
      async (steps, keepOver) => {
        const world = openIndexed();
        for (const what of steps) {
          take(world, what);
          const ledger = await world.indexed({ keepOver });
          expect(reportsOf(ledger)).toEqual(await world.fresh());
          expect(ledger.notes).toEqual([]);
        }
      },
    ),
    { numRuns: sized(12, 1_000) },
  );
});
