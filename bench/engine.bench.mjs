/** The engine against another agent's hook system and against bare processes. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inTurn } from "./contestant.mjs";
import { peerFolder } from "./peer.mjs";
import { median, ms } from "./statistics.mjs";

const file = join(import.meta.dirname, "engine.worker.mjs");

export async function measure({ long, say }) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const peer = peerFolder("@google/gemini-cli-core", "0.61.0", say);
  try {
    return [
      await inProcess("event without a matching hook", 1 / 5, 0, folder, peer, long),
      // Since handlers get a frozen copy of the payload, these two have more room than before.
      await inProcess("one in-process callback", 1 / 4, 1, folder, peer, long),
      await inProcess("ten in-process callbacks", 1 / 8, 10, folder, peer, long),
      await commands("one command hook", 1, folder, long),
      await commands("ten command hooks", 10, folder, long),
      importCost(long),
      idleMemory(folder, long),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inProcess(name, budget, count, folder, peer, long) {
  const contestants = { us: { file, args: ["us", count, folder] }, peer: { file, args: ["peer", count, peer] } };
  const times = await inTurn(contestants, { rounds: long ? 41 : 15, perRound: 2_000, warmUp: 15, clock: "cpu" });
  const ratio = times.us / times.peer;
  return {
    name,
    budget: `≤ 1/${Math.round(1 / budget)} of the peer`,
    figure: `1/${(1 / ratio).toFixed(1)} (${ms(times.us)} against ${ms(times.peer)})`,
    share: ratio / budget,
  };
}

async function commands(name, count, folder, long) {
  const home = join(folder, `commands-${count}`);
  const hooks = Array.from({ length: count }, (_, index) => ({
    type: "command",
    command: `cat > /dev/null # ${index}`,
  }));
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(
    join(home, ".claude", "settings.json"),
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } }),
  );
  const contestants = { us: { file, args: ["commands", count, home] }, raw: { file, args: ["raw", count, home] } };
  const order = count === 1 ? { perRound: 10, warmUp: 150 } : { perRound: 2, warmUp: 75 };
  // The time of a fork depends on the memory layout of a process, so one pair of processes is not enough.
  const pairs = [];
  for (let pair = 0; pair < (long ? 9 : 5); pair++) {
    pairs.push(await inTurn(contestants, { ...order, rounds: 41, clock: "wall" }));
  }
  const ratios = pairs.map(({ us, raw }) => us / raw);
  const ratio = median(ratios);
  const range = `${Math.min(...ratios).toFixed(3)}–${Math.max(...ratios).toFixed(3)}`;
  const [us, raw] = [median(pairs.map((pair) => pair.us)), median(pairs.map((pair) => pair.raw))];
  return {
    name,
    budget: "≤ 1.05 × raw spawn",
    figure: `${ratio.toFixed(3)} × (${ms(us)} against ${ms(raw)}; ${pairs.length} pairs of processes: ${range})`,
    share: ratio / 1.05,
  };
}

const entryPoint = pathToFileURL(join(import.meta.dirname, "../dist/engine/index.js")).href;

function importCost(long) {
  const bare = [];
  const engine = [];
  for (let round = 0; round < (long ? 31 : 15); round++) {
    bare.push(cpuOf("0"));
    engine.push(cpuOf(`await import(${JSON.stringify(entryPoint)})`));
  }
  const above = median(engine) - median(bare);
  return {
    name: "import of hookline",
    budget: "≤ 60 ms of CPU above bare node",
    figure: `${above.toFixed(0)} ms (bare node ${median(bare).toFixed(0)} ms)`,
    share: above / 60,
  };
}

function cpuOf(code) {
  const report = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";
  return Number(node(`${code}; ${report}`));
}

function idleMemory(folder, long) {
  const home = join(folder, "commands-10");
  const open = `const { openEngine } = await import(${JSON.stringify(entryPoint)});
    globalThis.engine = await openEngine({ cwd: ${JSON.stringify(folder)}, home: ${JSON.stringify(home)} });`;
  const report = "await new Promise((r) => setTimeout(r, 200)); console.log(process.memoryUsage.rss())";
  const rounds = Array.from({ length: long ? 15 : 7 });
  const bare = median(rounds.map(() => Number(node(report))));
  const engine = median(rounds.map(() => Number(node(open + report))));
  const above = (engine - bare) / 2 ** 20;
  return {
    name: "memory of an idle engine",
    budget: "≤ 20 MB above bare node",
    figure: `${above.toFixed(1)} MB (bare node ${(bare / 2 ** 20).toFixed(1)} MB)`,
    share: above / 20,
  };
}

function node(code) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
