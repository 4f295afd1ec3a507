import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../src/engine/internal.ts";
import { hostilePrograms } from "../../src/exec/fixtures/hostile.ts";

export interface HostileReport {
  readonly events: number;
  /** The longest an event took beyond its hooks' limit. */
  readonly maxOverrunMs: number;
  readonly slowest: string;
  /** Programs whose event did not end as the program's nature demands. */
  readonly wrong: readonly string[];
  /** Processes that still carry the tag of one of our runs. */
  readonly survivors: readonly string[];
}

const timeoutMs = 500;

/** Fires `count` events, each at one hostile hook, a few at a time, and looks who is left. */
export async function fireHostile(count: number, parallel: number): Promise<HostileReport> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-hostile-"));
  const marker = `60.${process.pid}`;
  // A settings file holds no argument of megabytes.
  const programs = hostilePrograms(folder, `sleep ${marker}`).filter(({ name }) => name !== "too many arguments");
  const home = join(folder, "home");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const groups = programs.map(({ command }, index) => ({
    matcher: `Tool${index}`,
    hooks: [
      command.form === "exec"
        ? { type: "command", command: command.file, args: command.args, timeout: timeoutMs / 1_000 }
        : { type: "command", command: command.command, timeout: timeoutMs / 1_000 },
    ],
  }));
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify({ hooks: { PreToolUse: groups } }));
  // A tag of our own in front, to distinguish survivors of this run from those of others.
  const env = { ...process.env, HOOKLINE_RUN: `hostile-${process.pid}`, HOOKLINE_HOME: join(folder, "state") };
  const engine = await openEngine({ cwd: folder, home, env });

  let next = 0;
  let worst = { overrunMs: Number.NEGATIVE_INFINITY, name: "" };
  const wrong = new Set<string>();
  async function worker(): Promise<void> {
    while (next < count) {
      const number = next++;
      const index = number % programs.length;
      const program = programs[index];
      if (program === undefined) return;
      const begun = performance.now();
      const outcome = await engine.fire("PreToolUse", {
        tool_name: `Tool${index}`,
        tool_input: { text: program.input ?? "" },
      });
      const overrunMs = performance.now() - begun - timeoutMs;
      if (overrunMs > worst.overrunMs) worst = { overrunMs, name: program.name };
      const by = outcome.runs[0]?.ended.by;
      const late = program.by === "exit" && by === "timeout";
      // On a busy machine a normal end can take too long; anything else must be reported correctly.
      if (by !== program.by && !late) wrong.add(`${program.name}: ${by}`);
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker));
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    events: count,
    maxOverrunMs: Math.round(worst.overrunMs),
    slowest: worst.name,
    wrong: [...wrong],
    survivors: tagged(`HOOKLINE_RUN=hostile-${process.pid}/`),
  };
}

/** Processes with the tag in their environment; Linux only, elsewhere none is found. */
function tagged(tag: string): readonly string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = readIfThere(`/proc/${pid}/environ`);
      // One that an honest end left behind sleeps for a second and is its own affair.
      return environment.includes(tag) && !isShortSleep(pid) ? [`${pid} ${readIfThere(`/proc/${pid}/cmdline`)}`] : [];
    });
}

function isShortSleep(pid: string): boolean {
  return readIfThere(`/proc/${pid}/cmdline`).startsWith("sleep\x001\0");
}

/** Empty for a process that has ended or belongs to another user. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
