import { expect, test } from "vitest";
import { sized } from "../size.ts";
import { type AgentKill, killAgent } from "./kill-trial.ts";

const trials = sized(12, 200);

test(`kill -9 of the agent, ${trials} times, loses no reported line, and the session can be resumed`, async () => {
  const seen: AgentKill[] = [];
  let next = 0;
  const lane = async () => {
    for (let seed = next++; seed < trials; seed = next++) seen.push(await killAgent(seed));
  };
  await Promise.all([lane(), lane()]);
  expect(seen.flatMap(({ wrong }) => wrong)).toEqual([]);
  const sum = (count: (one: AgentKill) => number) => seen.reduce((all, one) => all + count(one), 0);
  // Trials in which nothing was reported, or nothing was resumed, would prove nothing.
  expect(sum(({ acknowledged }) => acknowledged)).toBeGreaterThan(seen.length);
  expect(sum(({ resumed }) => Number(resumed))).toBeGreaterThan(seen.length / 2);
  const torn = sum((one) => one.torn);
  const told = sum(({ acknowledged }) => acknowledged);
  process.stdout.write(`  ${seen.length} agents killed, ${told} lines reported, none lost, ${torn} torn tails\n`);
});
