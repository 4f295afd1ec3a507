import { expect, test } from "vitest";
import { sized } from "../../test/size.ts";
import { type KillFindings, killTrial } from "./fixtures/kill-trial.ts";

const trials = sized(150, 1_000);

test(`kill -9 of 1 to 4 writers, ${trials} times, loses nothing acknowledged and harms no other line`, async () => {
  const findings: KillFindings[] = [];
  let next = 0;
  const lane = async () => {
    for (let seed = next++; seed < trials; seed = next++) {
      const maxBytes = seed % 3 === 0 ? 4 * 1024 * 1024 : 64 * 1024;
      findings.push(await killTrial({ writers: 1 + (seed % 4), maxBytes, seed }));
    }
  };
  await Promise.all([lane(), lane()]);
  expect(findings.flatMap(({ wrong }) => wrong)).toEqual([]);
  // Trials in which nothing was written would prove nothing.
  const acknowledged = findings.reduce((sum, finding) => sum + finding.acknowledged, 0);
  expect(acknowledged).toBeGreaterThan(findings.length * 5);
  const torn = findings.reduce((sum, finding) => sum + finding.torn, 0);
  process.stdout.write(`  ${findings.length} trials, ${acknowledged} acknowledged, ${torn} torn tails, none lost\n`);
});
