/** One measurement of bench/agent.bench.mjs: `calls N FOLDER [kept]` or `resume ID FOLDER`; prints what it saw as JSON. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAgent } from "../dist/agent/index.js";
import { scripted } from "../dist/models/index.js";

const [what, given, root, kept] = process.argv.slice(2);
const [cwd, home, store] = ["project", "home", "store"].map((name) => join(root, name));
for (const folder of [cwd, home]) mkdirSync(folder, { recursive: true });
const env = { PATH: process.env.PATH, HOME: home, HOOKLINE_HOME: join(root, "state"), TMPDIR: root };
const cpuMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;

const measurements = { calls, resume };
console.log(JSON.stringify(await measurements[what]()));

/** A session of so many tool calls, one after another, without a hook. */
async function calls() {
  const file = join(cwd, "notes.txt");
  writeFileSync(file, "blue mugs\n");
  const answers = Array.from({ length: Number(given) }, () => ({
    calls: [{ tool: "Read", input: { file_path: file } }],
  }));
  const model = await scripted({ answers: [...answers, { text: "done" }] });
  const clock = { modelMs: 0 };
  const begun = performance.now();
  const before = cpuMs();
  const call = { model: timed(model, clock), cwd, home, env, store, prompt: "go", persist: kept === "kept" };
  const result = await runAgent(call);
  if (result.result !== "done") throw new Error(JSON.stringify(result));
  return { wallMs: performance.now() - begun - clock.modelMs, cpuMs: cpuMs() - before };
}

/** The scripted model checks the whole conversation with every request; that is its own time, not the loop's. */
function timed(model, clock) {
  return {
    ...model,
    async *stream(request, signal) {
      const events = model.stream(request, signal)[Symbol.asyncIterator]();
      while (true) {
        const asked = performance.now();
        const { done, value } = await events.next();
        clock.modelMs += performance.now() - asked;
        if (done) return;
        yield value;
      }
    },
  };
}

/** From the call to the first request of a session that is resumed. */
async function resume() {
  const model = await scripted({ answers: [{ text: "done" }] });
  const begun = performance.now();
  const before = cpuMs();
  let first;
  const watched = {
    ...model,
    stream(request, signal) {
      first ??= { wallMs: performance.now() - begun, cpuMs: cpuMs() - before };
      return model.stream(request, signal);
    },
  };
  const result = await runAgent({ model: watched, cwd, home, env, store, prompt: "go", resume: given });
  if (result.result !== "done") throw new Error(JSON.stringify(result));
  return { ...first, peakMb: process.resourceUsage().maxRSS / 1024 };
}
