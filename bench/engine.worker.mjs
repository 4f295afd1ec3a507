/** One contestant of bench/engine.bench.mjs: `us N`, `peer N FOLDER`, `commands N HOME` or `raw N HOME`. */
import { spawn } from "node:child_process";
import { openEngine } from "../dist/engine/index.js";
import { answerOrders } from "./contestant.mjs";
import { peerModule } from "./peer.mjs";

const input = { command: "git status --short", description: "Show what changed" };
const cwd = process.cwd();
const payload = {
  session_id: "s",
  transcript_path: "/t.jsonl",
  cwd,
  tool_name: "Bash",
  tool_input: input,
  tool_use_id: "u",
};
const [role, number, where] = process.argv.slice(2);
const count = Number(number);

const contestants = { us: callbacks, peer: peerHooks, commands: commandHooks, raw: rawSpawns };
answerOrders(await contestants[role]());

/** An engine as openEngine gives it: trust, policy, records and deadlines on. */
async function callbacks() {
  const engine = await openEngine({ cwd, home: where, env: process.env });
  // A hook that does not match, so that matching is part of what is measured.
  engine.on("PreToolUse", "Write|Edit", () => undefined);
  for (let i = 0; i < count; i++) engine.on("PreToolUse", "Bash", () => undefined);
  return () => engine.fire("PreToolUse", payload);
}

async function peerHooks() {
  // It writes every event to its debug log, which is not read here.
  console.debug = () => undefined;
  const { HookSystem } = await peerModule(where, "dist/src/hooks/hookSystem.js");
  const system = new HookSystem(peerConfig());
  await system.initialize();
  const add = (matcher, name) =>
    system.registerHook({ type: "runtime", name, action: () => undefined }, "BeforeTool", { matcher });
  add("write_file|replace", "other");
  for (let i = 0; i < count; i++) add("run_shell_command", `hook-${i}`);
  return () => system.fireBeforeToolEvent("run_shell_command", input);
}

/** The least of a configuration the peer asks for while it fires hooks. */
function peerConfig() {
  const config = {
    isTrustedFolder: () => true,
    getProjectHooks: () => undefined,
    getHooks: () => undefined,
    getExtensions: () => [],
    getProjectRoot: () => cwd,
    getSessionId: () => "s",
    getWorkingDir: () => cwd,
    getTelemetryLogPromptsEnabled: () => false,
    getTelemetryEnabled: () => false,
    getUsageStatisticsEnabled: () => false,
    getDisabledHooks: () => [],
    getGeminiClient: () => undefined,
    storage: { getPlansDir: () => cwd },
    get config() {
      return config;
    },
  };
  return config;
}

async function commandHooks() {
  const engine = await openEngine({ cwd, home: where, env: process.env, concurrency: count });
  return () => engine.fire("PreToolUse", payload);
}

/**
 * What anybody would write: start, feed, collect both streams, wait. In a process that holds an engine too: starting a child costs
 * more the more memory its parent has, and that is not what is compared.
 */
async function rawSpawns() {
  const fire = await commandHooks();
  await fire();
  const stdin = `${JSON.stringify({ ...payload, hook_event_name: "PreToolUse" })}\n`;
  return () => Promise.all(Array.from({ length: count }, (_, index) => rawSpawn(`cat > /dev/null # ${index}`, stdin)));
}

function rawSpawn(command, stdin) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { env: process.env, cwd });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text: Buffer.concat(chunks).toString() }));
    child.stdin.end(stdin);
  });
}
