/**
 * `node bench/usage-recorded.mjs`: the recorded transcripts, our totals next to those of ccusage 20.0.24, as the table in
 * docs/usage.md. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { peerProgram } from "./peer.mjs";

const bin = resolve(import.meta.dirname, "../dist/cli/bin.cjs");
const transcripts = resolve(import.meta.dirname, "../test/fixtures/transcripts");
const classes = {
  input: ["inputTokens", "inputTokens"],
  output: ["outputTokens", "outputTokens"],
  "cache write": [["cacheWrite5mTokens", "cacheWrite1hTokens"], "cacheCreationTokens"],
  "cache read": ["cacheReadTokens", "cacheReadTokens"],
};

const root = mkdtempSync(join(tmpdir(), "hookline-recorded-"));
try {
  const peer = peerProgram((text) => process.stderr.write(`… ${text}\n`));
  process.stdout.write("| transcript | input | output | cache read | cost | ccusage |\n|---|---|---|---|---|---|\n");
  for (const name of readdirSync(transcripts).filter((one) => !one.startsWith("_"))) {
    const config = join(root, name);
    mkdirSync(join(config, "projects"), { recursive: true });
    cpSync(join(transcripts, name), join(config, "projects", "-w"), { recursive: true });
    const env = { ...process.env, TZ: "UTC", HOOKLINE_HOME: join(root, "home"), CLAUDE_CONFIG_DIR: config };
    const ours = run(process.execPath, [bin, "usage", "--json", "--no-index"], env).totals;
    const theirs = run(peer, ["claude", "daily", "--json", "--offline"], env).totals ?? {};
    process.stdout.write(
      `| ${name} | ${ours.inputTokens} | ${ours.outputTokens} | ${ours.cacheReadTokens} | ${micro(ours.costMicroUsd)} | ${difference(ours, theirs)} |\n`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

function difference(ours, theirs) {
  const unlike = Object.entries(classes).flatMap(([label, [mine, other]]) => {
    const own = [mine].flat().reduce((sum, key) => sum + ours[key], 0);
    const peer = theirs[other] ?? 0;
    return own === peer ? [] : [`${label} ${peer}`];
  });
  const cost = Math.round((theirs.totalCost ?? 0) * 1e6);
  if (cost !== ours.costMicroUsd) unlike.push(micro(cost));
  return unlike.length === 0 ? "the same" : unlike.join(", ");
}

function micro(count) {
  return `$${(count / 1e6).toFixed(6)}`;
}

function run(command, args, env) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return JSON.parse(stdout);
}
