import { expect, test } from "vitest";
import { seed, sized } from "../size.ts";
import { hasBash, openOracle } from "./bash-oracle.ts";
import { randomFrom } from "./random.ts";
import { shellLine } from "./shell-lines.ts";
import { compare } from "./unsound.ts";

/** Several processes may share the lines of one seed: `0/2` is the first half. */
const [share = 0, shares = 1] = (process.env["HOOKLINE_FUZZ_SHARE"] ?? "0/1").split("/").map(Number);
const lines = Math.ceil(Number(process.env["HOOKLINE_FUZZ_LINES"] ?? sized(5_000, 100_000)) / shares);
const first = share * lines;
const workers = 4;
const leastShare = 0.15;

test.skipIf(!hasBash())(
  `bash does nothing that a complete analysis does not list, no denied file is given to a command that is allowed, and a condition on what ran holds (${lines} lines from ${first}, seed ${seed})`,
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
    const completeShare = counts.complete / Math.max(1, counts.busy);
    console.info(
      `fuzz: seed ${seed}, ${lines} lines from ${first}, ${found.length} violations, ${counts.busy} lines in which bash ran something, ${(completeShare * 100).toFixed(1)} % of them complete`,
    );
    console.info(
      `fuzz: ${counts.given} lines in which a command was given the denied file, ${counts.denied} of them denied`,
    );
    for (const { line, unsound } of found.slice(0, 30)) console.info(`${JSON.stringify(line)} → ${unsound.join(", ")}`);
    expect(found).toEqual([]);
    if (lines >= 1_000) expect(counts.given).toBeGreaterThan(lines / 50);
    expect(completeShare).toBeGreaterThanOrEqual(leastShare);
  },
);
