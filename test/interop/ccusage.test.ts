/** Ccusage and `usageReport` count the same tokens in a session of our agent, subagents included. */
import { execFile } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runAgent } from "../../src/agent/internal.ts";
import { scripted } from "../../src/models/internal.ts";
import { usageReport } from "../../src/usage/internal.ts";
import { makeWorld } from "./world.ts";

const peers = join(import.meta.dirname, "../../bench/peer.mjs");

async function findCcusage(): Promise<string | undefined> {
  const { peerFolder } = (await import(peers)) as { peerFolder(name: string, version: string, say: unknown): string };
  try {
    const name = `@ccusage/ccusage-${process.platform}-${process.arch}`;
    const path = join(peerFolder(name, "20.0.24", console.log), "bin", "ccusage");
    await chmod(path, 0o755);
    return path;
  } catch (error) {
    console.log(`the count of ccusage skipped: ${String(error).split("\n", 1)[0]}`);
    return undefined;
  }
}

test("ccusage and hookline usage count the same tokens in a session of our agent", async () => {
  const ccusage = await findCcusage();
  if (ccusage === undefined) return;
  const world = await makeWorld({ "notes.txt": "blue mugs\n" });
  try {
    const usage = { input: 100, output: 20, cacheRead: 3_000, cacheWrite5m: 40 };
    const send = { subagent_type: "Explore", description: "Look", prompt: "What is in notes.txt?" };
    const read = { tool: "Read", input: { file_path: join(world.project, "notes.txt") } };
    const model = await scripted({
      model: "claude-sonnet-4-5",
      answers: [
        { text: "I send somebody.", calls: [{ tool: "Agent", input: send }], usage },
        { when: { purpose: "subagent" }, calls: [read], usage },
        { when: { purpose: "subagent" }, text: "Mugs.", usage },
        { text: "Mugs.", usage },
      ],
    });
    const store = join(world.home, ".claude");
    const env = { PATH: process.env["PATH"], HOME: world.home, HOOKLINE_HOME: join(world.root, "state") };
    await runAgent({ model, cwd: world.project, home: world.home, env, store, prompt: "What do the notes say?" });
    expect(model.complaints()).toEqual([]);

    const { stdout } = await promisify(execFile)(ccusage, ["claude", "daily", "--json", "--offline"], {
      env: { ...env, CLAUDE_CONFIG_DIR: store, TZ: "UTC" },
    });
    const { totals } = JSON.parse(stdout) as { totals: Record<string, number> };
    const report = await usageReport({ report: "daily", roots: [store], timezone: "UTC", env, home: world.home });
    const counted = { inputTokens: 400, outputTokens: 80, cacheReadTokens: 12_000 };
    expect(report.totals).toMatchObject({ calls: 4, ...counted, cacheWrite5mTokens: 160 });
    expect(totals).toMatchObject({ ...counted, cacheCreationTokens: 160 });
  } finally {
    await world.remove();
  }
});
