import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { describe, test } from "vitest";
import { type Case, conformanceCases } from "./case.ts";
import { check, type Result } from "./check.ts";
import type { World } from "./world.ts";

const program = resolve(import.meta.dirname, "../../dist/cli/bin.js");

describe.concurrent("through the command line", () => {
  for (const one of conformanceCases().filter(fits)) test(one.claim, () => check(one, throughCommandLine));
});

/** One process fires one event, and takes no options but trust. */
function fits({ given, events }: Case): boolean {
  return events.length === 1 && Object.keys(given.options ?? {}).every((name) => name === "trust");
}

async function throughCommandLine({ given, events, outcomes }: Case, world: World): Promise<readonly Result[]> {
  const [first] = events;
  const args = [
    ...["fire", first?.event ?? "", "--input", "-", "--json", "--cwd", world.project],
    ...["--trust", given.options?.trust ?? "implicit"],
    ...world.extra.flatMap((file) => ["--settings", file]),
  ];
  const child = spawn(process.execPath, [program, ...args], { cwd: world.project, env: world.env });
  child.stdin.end(JSON.stringify(world.fill(first?.payload)));
  const [stdout, stderr, [status]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, "close"),
  ]);
  if (status === 0) return [{ outcome: JSON.parse(stdout) }];
  if (status !== 1 || stdout !== "") throw new Error(`hookline ${args.join(" ")} ended with ${status}: ${stderr}`);
  // The command line tells problems in words; their code is for programs.
  const { code } = (outcomes[0]?.["problem"] ?? {}) as { code?: string };
  return [{ problem: { code, message: stderr } }];
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}
