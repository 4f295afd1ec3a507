import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { callHookline } from "../../src/cli/fixtures/caller.ts";
import { sized } from "../size.ts";
import { type Case, conformanceCases } from "./case.ts";
import { check, type Result } from "./check.ts";
import { makeWorld, type World } from "./world.ts";

/** What a program printed, and its exit status. */
interface Printed {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

type Program = (args: readonly string[], input: string, world: World) => Promise<Printed>;

const program = resolve(import.meta.dirname, "../../dist/cli/bin.cjs");
const cases = conformanceCases().filter(fits);
/** `npm test` runs every case in the engine. At CI size the command line runs one in three. */
const oneIn = sized(3, 1);
/** A process costs twenty times what the case does; the others call the same program without one. */
const oneProcessIn = sized(20, 4);

describe.concurrent("through the command line", () => {
  for (const one of cases.filter((_, index) => index % oneIn === 0)) {
    test(one.claim, () => check(one, through(inThisProcess)));
  }
});

describe.concurrent("through the installed program", () => {
  for (const one of cases.filter((_, index) => index % oneProcessIn === 0)) {
    test(one.claim, () => check(one, through(inItsOwnProcess)));
  }
});

test("a hook that runs the program again is nested three deep at most", async () => {
  const again = `echo $HOOKLINE_DEPTH >> log; cat | "${process.execPath}" "${program}" fire Stop --input - > inner-$HOOKLINE_DEPTH`;
  const world = await makeWorld({ settings: { hooks: { Stop: [{ hooks: [{ type: "command", command: again }] }] } } });
  try {
    const { status } = await inItsOwnProcess(["fire", "Stop", "--cwd", world.project], "", world);
    expect(status).toBe(0);
    expect(readFileSync(join(world.project, "log"), "utf8")).toBe("1\n2\n3\n");
    expect(readFileSync(join(world.project, "inner-3"), "utf8")).toContain("recursion");
  } finally {
    await world.end();
  }
});

/** One call fires one event, and takes no options but trust. */
function fits({ given, events }: Case): boolean {
  return events.length === 1 && Object.keys(given.options ?? {}).every((name) => name === "trust");
}

function through(program: Program): (one: Case, world: World) => Promise<readonly Result[]> {
  return async ({ given, events: [first], outcomes }, world) => {
    const args = [
      ...["fire", first?.event ?? "", "--input", "-", "--json", "--cwd", world.project],
      ...["--trust", given.options?.trust ?? "implicit"],
      ...world.extra.flatMap((file) => ["--settings", file]),
    ];
    const { status, stdout, stderr } = await program(args, JSON.stringify(world.fill(first?.payload)), world);
    if (status === 0) return [{ outcome: JSON.parse(stdout) }];
    if (status !== 1 || stdout !== "") throw new Error(`hookline ${args.join(" ")} ended with ${status}: ${stderr}`);
    // The command line tells problems in words; their code is for programs.
    const { code } = (outcomes[0]?.["problem"] ?? {}) as { code?: string };
    return [{ problem: { code, message: stderr } }];
  };
}

const inThisProcess: Program = async (args, stdin, { env, project, home }) => {
  const { status, out, err } = await callHookline(args, { home, cwd: project, env, stdin });
  return { status, stdout: out, stderr: err };
};

const inItsOwnProcess: Program = async (args, input, { env, project }) => {
  const child = spawn(process.execPath, [program, ...args], { cwd: project, env });
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, stdout, stderr };
};
