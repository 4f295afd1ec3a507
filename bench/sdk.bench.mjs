/** SD-115 to SD-118: what one call of a hook costs, against a bare start of Node. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median } from "./interleave.mjs";

const root = resolve(import.meta.dirname, "..");
const program = join(root, "dist/cli/bin.js");

const app = `import { createApp, deny } from "hookline/sdk";
const app = createApp();
app.preTool("Bash", ({ input }) => (input.command.includes("echo") ? deny("not here") : undefined));
export default app;
`;

export async function measure({ long, say }) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/hookline"));
    writeFileSync(join(folder, "hooks.mjs"), app);
    writeFileSync(join(folder, "hooks.ts"), app.replace("({ input })", "({ input }: { input: { command: string } })"));
    const payload = recorded();
    const call = (...words) => once(words, payload, folder);
    const first = await timed(() => call(program, "run", "hooks.ts"));
    const contestants = {
      node: () => call("-e", "0"),
      mjs: () => call(program, "run", "hooks.mjs"),
      ts: () => call(program, "run", "hooks.ts"),
    };
    for (const name of ["mjs", "ts"]) await mustDeny(contestants[name]);
    const rounds = long ? 300 : 100;
    say(`${rounds} rounds of ${Object.keys(contestants).length} processes`);
    const seen = await roundRobin(contestants, rounds);
    say(`first start of a .ts file: ${(first / median(seen.node.wall)).toFixed(2)} × a bare start, without a budget`);
    return [
      row("SD-115 cold run of a .mjs file", 1.15, seen.mjs, seen.node),
      row("SD-115 cold run of a .ts file, second start", 1.2, seen.ts, seen.node),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The recorded PreToolUse of a shell command, about half a kilobyte. */
function recorded() {
  const lines = readFileSync(join(root, "test/fixtures/payloads/PreToolUse.jsonl"), "utf8").split("\n");
  return lines.find((line) => line.includes(`"command":"echo hi"`));
}

async function roundRobin(contestants, rounds) {
  const seen = Object.fromEntries(Object.keys(contestants).map((name) => [name, { wall: [], cpu: 0, rounds }]));
  for (let round = -3; round < rounds; round++) {
    for (const [name, work] of Object.entries(contestants)) {
      const before = childrenCpu();
      const took = await timed(work);
      if (round < 0) continue;
      seen[name].wall.push(took);
      seen[name].cpu += childrenCpu() - before;
    }
  }
  return seen;
}

function once(words, payload, cwd) {
  return new Promise((done, fail) => {
    const env = { ...process.env, HOOKLINE_HOME: join(cwd, "state") };
    const child = spawn(process.execPath, words, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    // A bare Node does not read what it is given.
    child.stdin.on("error", () => undefined);
    child.on("error", fail);
    child.on("close", () => done(text));
    child.stdin.end(payload);
  });
}

async function mustDeny(work) {
  const text = await work();
  if (!text.includes(`"permissionDecision":"deny"`)) throw new Error(`the app did not deny: ${text}`);
}

async function timed(work) {
  const begun = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - begun) / 1e6;
}

/** Milliseconds of processor time of all children that have ended, where the system tells. */
function childrenCpu() {
  if (process.platform !== "linux") return 0;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function row(name, budget, us, node) {
  const ratio = median(us.wall) / median(node.wall);
  const p95 = us.wall.toSorted((a, b) => a - b)[Math.floor(us.wall.length * 0.95)];
  const cpu = us.cpu > 0 ? `, CPU ${(us.cpu / us.rounds).toFixed(0)} ms = ${(us.cpu / node.cpu).toFixed(3)} ×` : "";
  const figure = `${ratio.toFixed(3)} × (median ${median(us.wall).toFixed(0)} ms against ${median(node.wall).toFixed(0)}, p95 ${p95.toFixed(0)}${cpu})`;
  return { name, budget: `≤ ${budget} × bare node`, figure, ok: ratio <= budget };
}
