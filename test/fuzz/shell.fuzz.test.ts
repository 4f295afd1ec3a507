import { expect, test } from "vitest";
import { hasBash, openOracle } from "./bash-oracle.ts";
import { randomFrom } from "./random.ts";
import { shellLine } from "./shell-lines.ts";
import { compare } from "./unsound.ts";

const lines = Number(process.env["FUZZ_LINES"] ?? 200);
const seed = Number(process.env["FUZZ_SEED"] ?? 881_494_103);
/** The first line of the seed: several processes may share its lines. */
const first = Number(process.env["FUZZ_FIRST"] ?? 0);
const workers = 4;
const leastShare = 0.15;

test.skipIf(!hasBash())(
  `bash does nothing that a complete analysis does not list, no denied file is given to a command that is allowed, and a condition on what ran holds (${lines} lines from ${first}, seed ${seed})`,
  {
    timeout: 7_200_000,
  },
  async () => {
    const oracle = await openOracle();
    const found: { line: string; unsound: readonly string[] }[] = [];
    const counts = { busy: 0, complete: 0, given: 0, denied: 0 };
    let next = first;
    const work = async (): Promise<void> => {
      for (let index = next++; index < first + lines; index = next++) {
        const line = shellLine(randomFrom(seed * 1_000_003 + index));
        const deeds = await oracle.run(line);
        const { unsound, complete, given, denied } = compare(line, deeds);
        if (given) counts.given += 1;
        if (denied) counts.denied += 1;
        if (unsound.length > 0) found.push({ line, unsound });
        if (deeds.ran.length + deeds.made.length === 0) continue;
        counts.busy += 1;
        if (complete) counts.complete += 1;
      }
    };
    try {
      await Promise.all(Array.from({ length: workers }, work));
    } finally {
      await oracle.close();
    }
    const share = counts.complete / Math.max(1, counts.busy);
    console.info(
      `fuzz: seed ${seed}, ${lines} lines from ${first}, ${found.length} violations, ${counts.busy} lines in which bash ran something, ${(share * 100).toFixed(1)} % of them complete`,
    );
    console.info(
      `fuzz: ${counts.given} lines in which a command was given the denied file, ${counts.denied} of them denied`,
    );
    for (const { line, unsound } of found.slice(0, 30)) console.info(`${JSON.stringify(line)} → ${unsound.join(", ")}`);
    expect(found).toEqual([]);
    if (lines >= 1_000) expect(counts.given).toBeGreaterThan(lines / 50);
    expect(share).toBeGreaterThanOrEqual(leastShare);
  },
);
