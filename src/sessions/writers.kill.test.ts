import { expect, test } from "vitest";
import { type KillFindings, killTrial } from "./fixtures/kill-trial.ts";

/** The quick suite stops after a while on a slow machine; `npm run test:kill` does not. */
const trials = Number(process.env["HOOKLINE_TRIALS"] ?? 100);
const limitMs = process.env["HOOKLINE_TRIALS"] === undefined ? 2_000 : Number.POSITIVE_INFINITY;

test(`kill -9 of 1 to 4 writers, up to ${trials} times, loses nothing acknowledged and harms no other line`, async () => {
  const findings: KillFindings[] = [];
  const startedAt = performance.now();
  let next = 0;
  const lane = async () => {
    for (let seed = next++; seed < trials; seed = next++) {
      if (performance.now() - startedAt > limitMs && findings.length >= 8) return;
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
}, 3_600_000);
