import { expect, test } from "vitest";
import { type AgentKill, killAgent } from "./kill-trial.ts";

/** 200 in the long suite; the quick one stops after a while on a slow machine. */
const long = process.env["HOOKLINE_TRIALS"] !== undefined;
const trials = long ? Math.min(200, Number(process.env["HOOKLINE_TRIALS"])) : 6;
const limitMs = long ? Number.POSITIVE_INFINITY : 4_000;

test(`kill -9 of the agent, up to ${trials} times, loses no line it had told of, and the session goes on`, async () => {
  const seen: AgentKill[] = [];
  const startedAt = performance.now();
  let next = 0;
  const lane = async () => {
    for (let seed = next++; seed < trials; seed = next++) {
      if (performance.now() - startedAt > limitMs && seen.length >= 3) return;
      seen.push(await killAgent(seed));
    }
  };
  await Promise.all([lane(), lane()]);
  expect(seen.flatMap(({ wrong }) => wrong)).toEqual([]);
  const sum = (count: (one: AgentKill) => number) => seen.reduce((all, one) => all + count(one), 0);
  // Trials in which nothing was told, or nothing went on, would prove nothing.
  expect(sum(({ acknowledged }) => acknowledged)).toBeGreaterThan(seen.length);
  expect(sum(({ resumed }) => Number(resumed))).toBeGreaterThan(seen.length / 2);
  const torn = sum((one) => one.torn);
  const told = sum(({ acknowledged }) => acknowledged);
  process.stdout.write(`  ${seen.length} agents killed, ${told} lines told of, none lost, ${torn} torn tails\n`);
}, 3_600_000);
