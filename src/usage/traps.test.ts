import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openWorld, type Wire } from "./fixtures/world.ts";

/** Cases that trip readers of transcripts; the bench runs them against ccusage, too. */

interface Trap {
  readonly name: string;
  readonly mode?: "auto" | "calculate" | "display";
  /** Micro-dollars: what is right, and what ccusage 20.0.24 says. */
  readonly us: number;
  readonly peer: number;
  readonly expect?: Wire & { readonly days?: Readonly<Record<string, number>> };
  readonly files: Readonly<Record<string, readonly string[]>>;
}

const traps = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../test/fixtures/usage/traps.json"), "utf8"),
) as readonly Trap[];

test.each(traps)("the report is right: $name", async ({ files, mode, us, expect: more = {} }) => {
  const world = openWorld();
  for (const [name, lines] of Object.entries(files)) {
    const path = join(world.root, "projects", "-w", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.join("\n"));
  }
  const { totals, rows, unpriced } = await world.report(mode === undefined ? {} : { mode });
  const { days, ...amounts } = more;
  expect(totals).toMatchObject({ calls: 1, complete: true, ...amounts, costMicroUsd: us });
  if (days !== undefined)
    expect(Object.fromEntries(rows.map(({ date, costMicroUsd }) => [date, costMicroUsd]))).toEqual(days);
  if (!totals.complete) expect(unpriced).toMatchObject([{ model: "acme-coder-1", calls: 1, inputTokens: 1_000_000 }]);
});
