import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World } from "../fixtures/agent-run.ts";

const program = resolve(import.meta.dirname, "../../../dist/cli/bin.cjs");
const id = "5e6f7081-92a3-4b4c-8d5e-6f708192a3b4";

let world: World;
let agent: ChildProcess | undefined;
afterEach(() => {
  agent?.kill("SIGKILL");
  world.remove();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test.runIf(process.platform === "linux")(
  "a resumed session ends the processes that its killed predecessor left",
  async () => {
    world = makeWorld({ hooks: {} });
    const { project, store, env } = world;
    const script = join(world.home, "script.json");
    const command = "echo $$ > pid; exec sleep 120";
    writeFileSync(
      script,
      JSON.stringify({ answers: [{ calls: [{ tool: "Bash", input: { command } }] }, { text: "ok" }] }),
    );
    const mode = ["--permission-mode", "bypassPermissions", "--store", store, "--model", `scripted:${script}`];
    agent = spawn(process.execPath, [program, "agent", "-p", "go", "--session-id", id, ...mode], {
      cwd: project,
      env: { ...env },
      stdio: "ignore",
    });
    const read = () => (readdirSync(project).includes("pid") ? readFileSync(join(project, "pid"), "utf8").trim() : "");
    await expect.poll(read, { timeout: 30_000 }).not.toBe("");
    const pid = Number(read());
    agent.kill("SIGKILL");
    await new Promise((done) => agent?.once("exit", done));
    expect(isAlive(pid)).toBe(true);
    const { events } = await world.run([{ text: "again" }], { prompt: "go on", resume: id });
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
    expect(notices.join()).toContain("left processes running; they were terminated: sleep");
  },
  60_000,
);
