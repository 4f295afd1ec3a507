/** EN-134 to EN-141: the engine against another agent's hook system and against bare processes. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openEngine } from "../dist/engine/index.js";
import { cpu, interleave, median, ms } from "./interleave.mjs";
import { peerFolder, peerModule } from "./peer.mjs";

// The peer tells its debug log about every event; here nobody reads it.
console.debug = () => undefined;

const input = { command: "git status --short", description: "Show what changed" };
const payload = {
  session_id: "s",
  transcript_path: "/t.jsonl",
  cwd: process.cwd(),
  tool_name: "Bash",
  tool_input: input,
  tool_use_id: "u",
};

export async function measure({ long, say }) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    const peer = await peerHooks(say);
    return [
      await inProcess(
        "EN-134 event without a matching hook",
        1 / 5,
        "nothing",
        await ours(folder, []),
        await peer(0),
        long,
      ),
      await inProcess("EN-135 one in-process callback", 1 / 5, "one", await ours(folder, [1]), await peer(1), long),
      await inProcess(
        "EN-136 ten in-process callbacks",
        1 / 10,
        "ten",
        await ours(folder, Array(10).fill(1)),
        await peer(10),
        long,
      ),
      await commands("EN-137 one command hook", 1, folder, long),
      await commands("EN-138 ten command hooks", 10, folder, long),
      importCost(long),
      idleMemory(folder, long),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An engine as openEngine gives it: trust, policy, records and deadlines on. */
async function ours(folder, callbacks) {
  const engine = await openEngine({ cwd: folder, home: folder, env: process.env });
  // A hook that does not match, so that matching is part of what is measured.
  engine.on("PreToolUse", "Write|Edit", () => undefined);
  for (const _ of callbacks) engine.on("PreToolUse", "Bash", () => undefined);
  return () => engine.fire("PreToolUse", payload);
}

async function peerHooks(say) {
  const folder = peerFolder("@google/gemini-cli-core", "0.61.0", say);
  const { HookSystem } = await peerModule(folder, "dist/src/hooks/hookSystem.js");
  return async (count) => {
    const system = new HookSystem(peerConfig());
    await system.initialize();
    const add = (matcher, name) =>
      system.registerHook({ type: "runtime", name, action: () => undefined }, "BeforeTool", { matcher });
    add("write_file|replace", "other");
    for (let i = 0; i < count; i++) add("run_shell_command", `hook-${i}`);
    return () => system.fireBeforeToolEvent("run_shell_command", input);
  };
}

/** The least of a configuration the peer asks for while it fires hooks. */
function peerConfig() {
  const config = {
    isTrustedFolder: () => true,
    getProjectHooks: () => undefined,
    getHooks: () => undefined,
    getExtensions: () => [],
    getProjectRoot: () => process.cwd(),
    getSessionId: () => "s",
    getWorkingDir: () => process.cwd(),
    getTelemetryLogPromptsEnabled: () => false,
    getTelemetryEnabled: () => false,
    getUsageStatisticsEnabled: () => false,
    getDisabledHooks: () => [],
    getGeminiClient: () => undefined,
    storage: { getPlansDir: () => "/tmp" },
    get config() {
      return config;
    },
  };
  return config;
}

async function inProcess(name, budget, _label, us, peer, long) {
  const times = await interleave({ us, peer }, { rounds: long ? 41 : 15, perRound: 2_000, warmUp: 15, clock: cpu });
  const ratio = times.us / times.peer;
  return {
    name,
    budget: `≤ 1/${Math.round(1 / budget)} of the peer`,
    figure: `1/${(1 / ratio).toFixed(1)} (${ms(times.us)} against ${ms(times.peer)})`,
    ok: ratio <= budget,
  };
}

async function commands(name, count, folder, long) {
  const home = join(folder, `commands-${count}`);
  const lines = Array.from({ length: count }, (_, index) => `cat > /dev/null # ${index}`);
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: lines.map((command) => ({ type: "command", command })) }] };
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify({ hooks }));
  const engine = await openEngine({ cwd: folder, home, env: process.env, concurrency: count });
  const stdin = `${JSON.stringify({ ...payload, hook_event_name: "PreToolUse" })}\n`;
  const contestants = {
    us: () => engine.fire("PreToolUse", payload),
    raw: () => Promise.all(lines.map((line) => rawSpawn(line, stdin))),
  };
  const times = await interleave(contestants, { rounds: long ? 61 : 31, perRound: count === 1 ? 10 : 2 });
  await engine.close();
  const ratio = times.us / times.raw;
  return {
    name,
    budget: "≤ 1.05 × raw spawn",
    figure: `${ratio.toFixed(3)} × (${ms(times.us)} against ${ms(times.raw)})`,
    ok: ratio <= 1.05,
  };
}

/** What anybody would write: start, feed, collect both streams, wait. */
function rawSpawn(command, stdin) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { env: process.env, cwd: process.cwd() });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text: Buffer.concat(chunks).toString() }));
    child.stdin.end(stdin);
  });
}

const door = pathToFileURL(join(import.meta.dirname, "../dist/engine/index.js")).href;

function importCost(long) {
  const bare = [];
  const engine = [];
  for (let round = 0; round < (long ? 31 : 15); round++) {
    bare.push(cpuOf("0"));
    engine.push(cpuOf(`await import(${JSON.stringify(door)})`));
  }
  const above = median(engine) - median(bare);
  return {
    name: "EN-139 import of the engine's door",
    budget: "≤ 60 ms of CPU above bare node",
    figure: `${above.toFixed(0)} ms (bare node ${median(bare).toFixed(0)} ms)`,
    ok: above <= 60,
  };
}

function cpuOf(code) {
  const report = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";
  return Number(node(`${code}; ${report}`));
}

function idleMemory(folder, long) {
  const home = join(folder, "commands-10");
  const open = `const { openEngine } = await import(${JSON.stringify(door)});
    globalThis.engine = await openEngine({ cwd: ${JSON.stringify(folder)}, home: ${JSON.stringify(home)} });`;
  const report = "await new Promise((r) => setTimeout(r, 200)); console.log(process.memoryUsage.rss())";
  const rounds = Array.from({ length: long ? 15 : 7 });
  const bare = median(rounds.map(() => Number(node(report))));
  const engine = median(rounds.map(() => Number(node(open + report))));
  const above = (engine - bare) / 2 ** 20;
  return {
    name: "EN-140 memory of an idle engine",
    budget: "≤ 20 MB above bare node",
    figure: `${above.toFixed(1)} MB (bare node ${(bare / 2 ** 20).toFixed(1)} MB)`,
    ok: above <= 20,
  };
}

function node(code) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
