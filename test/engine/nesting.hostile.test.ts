/** A hook that fires its own event again, and drops what would say how deep it is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const program = resolve(import.meta.dirname, "../../dist/cli/bin.cjs");

interface Nest {
  readonly root: string;
  /** How many engines ran their hook. */
  ran(): number;
  fire(): Promise<void>;
}

/** `again`: how the hook calls the next engine; `$FIRE` is the call. */
async function nest(again: string): Promise<Nest> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-nest-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const log = join(root, "log");
  const home = join(root, "home");
  const kept = `HOME=${home} PATH=${process.env["PATH"]} HOOKLINE_HOME=${join(root, "state")}`;
  const fire = `${process.execPath} ${program} fire Stop --input {} --cwd ${root}`;
  const command = `echo x >> ${log}; ${again.replace("$FIRE", fire).replace("$KEPT", kept)}`;
  await mkdir(join(home, ".claude"), { recursive: true });
  const hooks = { Stop: [{ hooks: [{ type: "command", command, timeout: 60 }] }] };
  await writeFile(join(home, ".claude/settings.json"), JSON.stringify({ hooks }));
  return {
    root,
    ran: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0),
    async fire() {
      const env = { HOME: home, PATH: process.env["PATH"], HOOKLINE_HOME: join(root, "state") };
      const child = spawn(process.execPath, [program, "fire", "Stop", "--input", "{}", "--cwd", root], {
        env,
        stdio: "ignore",
      });
      await once(child, "exit");
    },
  };
}

/** Processes whose command names the folder. */
function left(root: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
      return line.includes(root) ? [line] : [];
    } catch {
      return []; // ended meanwhile
    }
  });
}

test.skipIf(process.platform !== "linux").each([
  ["takes the variable out", "env -u HOOKLINE_DEPTH $FIRE", 3],
  ["clears its environment", "env -i $KEPT $FIRE", 3],
  ["clears its environment in a shell of its own", "sh -c 'env -i $KEPT $FIRE; true'", 3],
  ["clears its environment and leaves its session", "setsid env -i $KEPT $FIRE", 3],
  ["clears its environment and goes into the background", "(env -i $KEPT $FIRE >/dev/null 2>&1 </dev/null &)", 3],
  ["clears its environment and closes what it inherited", "env -i $KEPT $FIRE 3>&-", 8],
])(
  "a hook that %s cannot nest deeper than 8 and leaves no process",
  async (_, again, most) => {
    const { root, ran, fire } = await nest(again);
    await fire();
    await expect.poll(() => left(root), { timeout: 5_000, interval: 100 }).toEqual([]);
    expect(ran()).toBeGreaterThan(1);
    expect(ran()).toBeLessThanOrEqual(most);
  },
  120_000,
);
