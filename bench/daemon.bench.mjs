/** How long a call waits while the handler of another one holds the thread. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median } from "./statistics.mjs";

const program = resolve(import.meta.dirname, "../dist/cli/bin.cjs");
const budgetMs = 1_000;

/** A tool call holds the thread until its deadline; a prompt is answered at once. */
const app = `import { context, createApp } from "hookline/sdk";
const app = createApp();
app.preTool("Bash", { timeoutMs: 2_500, onFailure: "block" }, () => { for (;;); });
app.onPrompt(() => context("quick"));
export default app;
`;

export async function measure({ long, say }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-bench-")));
  mkdirSync(join(folder, "home"));
  const env = { ...process.env, HOME: join(folder, "home"), HOOKLINE_HOME: join(folder, "state") };
  const file = join(folder, "hooks.mjs");
  writeFileSync(file, app);
  const cli = (...words) => spawnSync(process.execPath, [program, ...words], { cwd: folder, env, encoding: "utf8" });
  try {
    const { status, stderr } = cli("serve", file);
    if (status !== 0) throw new Error(stderr);
    const call = caller(file, env);
    const rounds = long ? 30 : 10;
    say(`${rounds} threads that are held`);
    const waits = [];
    for (let round = 0; round < rounds; round++) waits.push(await waitBeside(call));
    const worst = Math.max(...waits);
    const figure = `${worst.toFixed(0)} ms (median ${median(waits).toFixed(0)} ms)`;
    return [
      {
        name: "a call while another handler blocks its thread, worst",
        budget: `≤ ${budgetMs} ms`,
        figure,
        share: worst / budgetMs,
      },
    ];
  } finally {
    cli("serve", file, "--stop");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function waitBeside(call) {
  const held = call({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
  await new Promise((done) => setTimeout(done, 100));
  const begun = performance.now();
  const quick = await call({ hook_event_name: "UserPromptSubmit", prompt: "hello" });
  const took = performance.now() - begun;
  if (!quick.includes("quick")) throw new Error(`the prompt was answered with ${quick}`);
  if (!(await held).includes('"deny"')) throw new Error("the call that held its thread was not refused");
  return took;
}

function caller(file, { HOOKLINE_HOME }) {
  const name = file.replaceAll("%", "%25").replaceAll("/", "%2F");
  const record = readFileSync(join(HOOKLINE_HOME, "daemon", "at", name), "utf8");
  const [, , , port, key, token] = record.split(" ");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return async (fields) => {
    const body = JSON.stringify({ session_id: "s", cwd: "/", transcript_path: "", ...fields });
    return (await fetch(`http://127.0.0.1:${port}/v1/hook/${key}`, { method: "POST", headers, body })).text();
  };
}
