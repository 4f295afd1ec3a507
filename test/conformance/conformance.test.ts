import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openEngine } from "../../src/engine/index.ts";
import { type Case, conformanceCases } from "./case.ts";
import { differences } from "./compare.ts";
import { makeWorld, type World } from "./world.ts";

type Json = Readonly<Record<string, unknown>>;

const program = resolve(import.meta.dirname, "../../dist/cli/bin.js");
const cases = conformanceCases();

describe.concurrent("in process", () => {
  for (const one of cases) test(one.claim, () => check(one, inProcess));
});

describe.concurrent("through the command line", () => {
  for (const one of cases.filter(fitsCommandLine)) test(one.claim, () => check(one, throughCommandLine));
});

test("there are at least 150 cases", () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
});

async function check(one: Case, outcomesOf: (one: Case, world: World) => Promise<readonly Json[]>): Promise<void> {
  const world = await makeWorld(one.given);
  try {
    const outcomes = await outcomesOf(one, world);
    const wrong = outcomes.flatMap((outcome, index) => [
      ...differences(world.fill(one.outcomes[index]), outcome),
      ...one.absent.filter((field) => outcome[field] !== undefined).map((field) => `outcome.${field}: must be absent`),
    ]);
    expect(wrong, JSON.stringify(outcomes, null, 1)).toEqual([]);
  } finally {
    await world.end();
  }
}

async function inProcess({ given, events }: Case, world: World): Promise<readonly Json[]> {
  const { home, project: cwd, extra: settings, env } = world;
  const engine = await openEngine({ home, cwd, settings, env, trust: "implicit", ...given.options });
  try {
    const outcomes: Json[] = [];
    for (const { event, payload } of events) {
      const outcome = await engine.fire(event, world.fill(payload));
      outcomes.push({ ...outcome, warnings: [...engine.warnings, ...outcome.warnings] });
    }
    // What a host would read from `fire --json`.
    return JSON.parse(JSON.stringify(outcomes));
  } finally {
    await engine.close({ waitMs: 2_000 });
  }
}

/** One process fires one event, and takes no options but trust. */
function fitsCommandLine({ given, events }: Case): boolean {
  return events.length === 1 && Object.keys(given.options ?? {}).every((name) => name === "trust");
}

async function throughCommandLine({ given, events }: Case, world: World): Promise<readonly Json[]> {
  const [first] = events;
  const args = [
    ...["fire", first?.event ?? "", "--input", "-", "--json", "--cwd", world.project],
    ...["--trust", given.options?.trust ?? "implicit"],
    ...world.extra.flatMap((file) => ["--settings", file]),
  ];
  const child = spawn(process.execPath, [program, ...args], { cwd: world.project, env: world.env });
  child.stdin.end(JSON.stringify(world.fill(first?.payload)));
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  if (stdout === "") throw new Error(`hookline ${args.join(" ")} printed nothing: ${stderr}`);
  return [JSON.parse(stdout)];
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}
