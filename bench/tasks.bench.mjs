/** What a job and a line of the log cost the hook that adds them. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { median } from "./statistics.mjs";

const dist = resolve(import.meta.dirname, "../dist");

export async function measure({ long, say }) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  mkdirSync(join(folder, "home"));
  const env = { ...process.env, HOME: join(folder, "home"), HOOKLINE_HOME: join(folder, "state") };
  try {
    const rounds = long ? 100 : 30;
    say(`${rounds} hook processes that add a job each, and 3,000 lines of the log`);
    const { adds, cpus, starts } = addTimes(folder, env, rounds);
    const add = median(adds);
    const node = median(starts);
    // What the promise means on a machine that is not idle: half of what it takes to start Node there.
    const most = Math.max(20, node / 2);
    const line = median(await lineTimes(env));
    return [
      {
        name: "tasks.add in a cold hook process",
        budget: "20 ms, or 0.5 × a bare start",
        figure: `${add.toFixed(1)} ms, ${(add / node).toFixed(2)} × a bare start, CPU ${median(cpus).toFixed(1)} ms`,
        share: add / most,
      },
      { name: "a line of the hook log, warm", budget: "0.2 ms", figure: `${line.toFixed(3)} ms`, share: line / 0.2 },
    ];
  } finally {
    // The worker may still have a job to put away, and leaves when there was none for a while.
    for (let n = 0; n < 50 && worksStill(join(folder, "state/tasks")); n++) await sleep(200);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}

function worksStill(folder) {
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => name.endsWith("worker.lock"));
}

/** Measured inside the hook: from the call to the id. One worker serves them all. */
function addTimes(folder, env, rounds) {
  const times = join(folder, "times");
  const file = join(folder, "hooks.mjs");
  writeFileSync(
    file,
    `import { appendFileSync } from "node:fs";
import { createApp } from ${JSON.stringify(pathToFileURL(join(dist, "sdk/index.js")).href)};
const app = createApp({ log: false });
const task = app.task("nothing", () => 1);
app.onPrompt(async (_event, { tasks }) => {
  const cpu = process.cpuUsage();
  const begun = process.hrtime.bigint();
  await tasks.add(task, undefined);
  const took = Number(process.hrtime.bigint() - begun) / 1e6;
  const { user, system } = process.cpuUsage(cpu);
  appendFileSync(${JSON.stringify(times)}, took + " " + (user + system) / 1e3 + "\\n");
});
export default app;
`,
  );
  const input = JSON.stringify({ hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "x", cwd: folder });
  const starts = [];
  for (let n = 0; n < rounds; n++) {
    const begun = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    starts.push(performance.now() - begun);
    const { status, stderr } = spawnSync(process.execPath, [join(dist, "cli/bin.cjs"), "run", file], { input, env });
    if (status !== 0) throw new Error(`the hook failed: ${stderr}`);
  }
  const lines = readFileSync(times, "utf8").trimEnd().split("\n");
  const adds = lines.map((line) => Number(line.split(" ")[0]));
  return { adds, cpus: lines.map((line) => Number(line.split(" ")[1])), starts };
}

async function lineTimes(env) {
  const { appendLog } = await import(new URL("../.build/sdk/internal.js", import.meta.url).href);
  const record = {
    ...{ time: new Date().toISOString(), session: "s", event: "PreToolUse", tool: "Bash", ms: 1, answer: "none" },
    handlers: [{ name: "guard", outcome: "passed", ms: 1 }],
  };
  return Array.from({ length: 3_000 }, () => {
    const begun = process.hrtime.bigint();
    appendLog(record, env, (line) => {
      throw new Error(line);
    });
    return Number(process.hrtime.bigint() - begun) / 1e6;
  });
}
