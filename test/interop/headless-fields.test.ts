/** The same script put to Claude Code and to our agent: the lines of stream-json have the same fields. */
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Script, startScriptedApi } from "../scripted-api/index.ts";
import { runClient } from "./client.ts";
import { type Client, findClient } from "./install.ts";
import { linesOf, type StreamLine } from "./stream.ts";
import { claudeCodeVersion, clients } from "./versions.ts";
import { makeWorld, type World } from "./world.ts";

interface Run {
  readonly script: Script;
  readonly args?: readonly string[];
  readonly hooks?: object;
  readonly exitCode: number;
  /** Values of the result that must be equal too. */
  readonly result: Readonly<Record<string, unknown>>;
}

const look = { tool: "Bash", input: { command: "cat notes.txt", description: "Read notes" } };
const reads = ["--allowedTools", "Bash(cat *)"];
const costly = { input_tokens: 1_000_000 };
const stop = { type: "command", command: `echo '{"continue":false,"stopReason":"lunch"}'` };
const block = { type: "command", command: "echo no >&2; exit 2" };

const runs: Readonly<Record<string, Run>> = {
  "an answer": { script: { main: ["Hello."] }, exitCode: 0, result: { subtype: "success", stop_reason: "end_turn" } },
  "a tool call": { script: { main: [["I look.", look], "Mugs."] }, args: reads, exitCode: 0, result: { num_turns: 2 } },
  "a limit of turns": {
    script: { main: [["I look.", look], "Mugs."] },
    args: [...reads, "--max-turns", "1"],
    exitCode: 1,
    result: { subtype: "error_max_turns", terminal_reason: "max_turns", stop_reason: "tool_use", num_turns: 2 },
  },
  "a budget that a call goes over": {
    script: { main: [{ blocks: ["I look.", look], usage: costly }, "Mugs."] },
    args: [...reads, "--max-budget-usd", "0.01"],
    exitCode: 1,
    result: { subtype: "error_max_budget_usd", terminal_reason: "budget_exhausted", num_turns: 1 },
  },
  "a budget that the last answer goes over": {
    script: { main: [{ blocks: ["Mugs."], usage: costly }] },
    args: ["--max-budget-usd", "0.01"],
    exitCode: 1,
    result: { subtype: "error_max_budget_usd", stop_reason: "end_turn", is_error: true },
  },
  "an API that is overloaded": {
    script: { main: [{ status: 529 }] },
    exitCode: 1,
    result: { subtype: "success", is_error: true, api_error_status: 529, terminal_reason: "api_error" },
  },
  "an empty answer": {
    script: { main: [{ blocks: [] }, "Mugs."] },
    exitCode: 0,
    result: { result: "Mugs.", num_turns: 2 },
  },
  "two empty answers": {
    script: { main: [{ blocks: [] }, { blocks: [] }, "Mugs."] },
    exitCode: 0,
    result: { result: "", num_turns: 2 },
  },
  "an answer cut at the output limit": {
    script: { main: [{ blocks: ["Blue"], stopReason: "max_tokens" }, "mugs."] },
    exitCode: 0,
    result: { result: "mugs.", num_turns: 2 },
  },
  "a call that nobody allows": {
    script: { main: [{ tool: "Bash", input: { command: "touch x.txt", description: "Touch" } }, "Refused."] },
    exitCode: 0,
    result: { subtype: "success", num_turns: 2 },
  },
  "a hook that ends the loop": {
    script: { main: [["I look.", look], "Mugs."] },
    args: reads,
    hooks: { PostToolUse: [{ hooks: [stop] }] },
    exitCode: 0,
    result: { terminal_reason: "hook_stopped", stop_reason: "tool_use" },
  },
  "a hook that drops the prompt": {
    script: {},
    hooks: { UserPromptSubmit: [{ hooks: [block] }] },
    exitCode: 0,
    result: { is_error: false, stop_reason: null },
  },
};

/** Fields of Claude Code that are about services and interfaces our agent does not have. */
const vendorOnly: Readonly<Record<string, readonly string[]>> = {
  result: [
    ...["fast_mode_state", "fast_mode_disabled_reason", "safety_stops", "subagent_stats", "queued_turn_count"],
    ...["result_index", "model_usage_since_last_result"],
  ],
  "system/init": [
    ...["terminal_slash_commands", "claude_code_version", "capabilities", "analytics_disabled", "memory_paths"],
    ...["product_feedback_disabled", "original_cwd", "additional_directories", "messaging_socket_path", "view_mode"],
    ...["fast_mode_state", "fast_mode_disabled_reason", "per_turn_effort_active"],
    ...["ultrathink_available", "ultrathink_typed_raises"],
  ],
  user: ["tool_result_meta"],
};

/** Fields that only our agent has; docs/agent-reference.md names them. */
const ownOnly: Readonly<Record<string, readonly string[]>> = {
  result: ["unpriced_models", "hook_reason"],
  "system/init": ["hookline_version"],
};

/** Claude Code omits the reason where a hook dropped the prompt; ours has it. */
const ownReason = "a hook that drops the prompt";

let client: Client;

beforeAll(async () => {
  client = await findClient();
  if ("missing" in client) console.log(`fields of headless runs skipped: ${client.missing}`);
});

describe.concurrent("headless lines have the fields of Claude Code", () => {
  test.for(Object.entries(runs))("every line has the fields: %s", async ([name, run]) => {
    // The fields are those of the newest client.
    if ("missing" in client || claudeCodeVersion !== clients.newest) return;
    const path = client.path;
    const theirs = await inWorld((world) => theirRun(path, world, run));
    const ours = await inWorld((world) => ourRun(world, run));
    expect({ client: theirs.exitCode, own: ours.exitCode }).toEqual({ client: run.exitCode, own: run.exitCode });
    expect(theirs.lines.at(-1)).toMatchObject(run.result);
    expect(ours.lines.at(-1)).toMatchObject(run.result);
    expect(shapeOf(ours.lines, ownOnly, name === ownReason ? ["terminal_reason"] : [])).toEqual(
      shapeOf(theirs.lines, vendorOnly),
    );
  });
});

async function inWorld<Value>(work: (world: World) => Promise<Value>): Promise<Value> {
  const world = await makeWorld({ "notes.txt": "blue mugs\n" });
  try {
    return await work(world);
  } finally {
    await world.remove();
  }
}

async function theirRun(path: string, world: World, { script, args = [], hooks }: Run) {
  const settings = hooks === undefined ? {} : { settings: { hooks } };
  const call = { client: path, world, script, prompt: "What do the notes say?", ...settings };
  return await runClient({ ...call, args: ["--model", "claude-haiku-4-5", ...args] });
}

async function ourRun(world: World, { script, args = [], hooks }: Run) {
  const api = await startScriptedApi(script);
  const flags = ["-p", "What do the notes say?", "--output-format", "stream-json", "--include-hook-events"];
  const settings = hooks === undefined ? [] : ["--settings", JSON.stringify({ hooks })];
  const child = spawn(
    process.execPath,
    [program, "agent", ...flags, "--model", "claude-haiku-4-5", ...settings, ...args],
    { cwd: world.project, env: ourEnvironment(world, api.url), stdio: ["ignore", "pipe", "inherit"] },
  );
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  try {
    const exitCode = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
    return { exitCode, lines: linesOf(stdout) };
  } finally {
    await api.close();
  }
}

const program = resolve(import.meta.dirname, "../../dist/cli/bin.cjs");

function ourEnvironment(world: World, url: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: world.home,
    HOOKLINE_HOME: join(world.root, "state"),
    TMPDIR: world.root,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}

/** The lines in order, each as its type and the names of its fields. Texts for the user differ and are omitted. */
function shapeOf(
  lines: readonly StreamLine[],
  without: Readonly<Record<string, readonly string[]>>,
  also: readonly string[] = [],
): readonly string[] {
  return lines
    .filter(({ subtype }) => subtype !== "informational")
    .map((line) => {
      const kind = line.type === "system" ? `system/${line.subtype}` : line.type;
      const left = new Set([...(without[kind] ?? []), ...also]);
      const fields = Object.keys(line).filter((field) => !left.has(field));
      return `${kind}: ${fields.sort().join(" ")}`;
    });
}
