import { packageVersion } from "../../files/internal.ts";
import { type AgentHook, type HttpHook, messageOf, type PromptHook, showValue } from "../../protocol/internal.ts";
import type { HookRun } from "../fire/fire.ts";
import { runDeeperAsync, runOneDeeper } from "../fire/hook-depth.ts";
import { environmentOf } from "./command/command-env.ts";
import { frozenFor, runCallback, runFunction } from "./in-process.ts";
import type { MaybeAsync } from "./run-limits.ts";
import { type RunnerResult, resultNotStarted } from "./runner-result.ts";

/** Runs a hook by its type. `background`: the run continues and its answer comes later. */
export function runByType(run: HookRun): MaybeAsync<RunnerResult | "background"> {
  const { event, timeoutMs } = run;
  const { payload, signal, depth, copies } = event;
  const { hook } = run.hook;
  const { options } = event.services;
  switch (hook.type) {
    case "callback": {
      const frozen = frozenFor(payload, copies, "payload", () => payload);
      const call = { payload: frozen, toolUseId: toolUseId(payload), timeoutMs, signal };
      return runOneDeeper(hook, depth, () => runCallback(hook, call));
    }
    case "function": {
      const { conversation } = options;
      const given = readConversation(() =>
        frozenFor(payload, copies, "conversation", () => conversation?.(payload) ?? []),
      );
      if ("failed" in given) return resultNotStarted(given.failed);
      return runOneDeeper(hook, depth, () => runFunction(hook, { messages: given.conversation, timeoutMs, signal }));
    }
    case "command":
      return commands === undefined ? loadCommands().then(() => runByType(run)) : commands.runCommand(hook, run);
    case "http":
      return runHttpHook(hook, run);
    case "prompt":
    case "agent":
      return runModelHook(hook, run);
    case "mcp_tool": {
      const { mcp: port } = options.ports;
      if (port === undefined) return resultNotStarted("the host provides no MCP servers");
      return import("./mcp-tool.ts").then(({ runMcpTool }) => runMcpTool(hook, { payload, port, timeoutMs, signal }));
    }
  }
}

function toolUseId(payload: Readonly<Record<string, unknown>>): string | undefined {
  const id = payload["tool_use_id"];
  return typeof id === "string" ? id : undefined;
}

let commands: typeof import("./command/command-hook.ts") | undefined;

/** With the first command hook: what starts programs is half of the engine. */
async function loadCommands(): Promise<void> {
  commands = await import("./command/command-hook.ts");
}

async function runHttpHook(
  hook: HttpHook,
  { event, hook: configured, line, timeoutMs }: HookRun,
): Promise<RunnerResult> {
  const [{ runHttp }, { httpPolicyOf }] = await Promise.all([
    import("./http/http-hook.ts"),
    import("./http/destination.ts"),
  ]);
  const { settings, services, signal } = event;
  return runHttp(hook, {
    body: line,
    env: environmentOf(configured, event),
    policy: httpPolicyOf(configured, settings),
    timeoutMs,
    signal,
    version: packageVersion(),
    home: services.options,
  });
}

async function runModelHook(hook: PromptHook | AgentHook, run: HookRun): Promise<RunnerResult> {
  const { event, line, timeoutMs } = run;
  const { model, agent } = event.services.options.ports;
  const port = hook.type === "prompt" ? model : agent;
  if (port === undefined) return resultNotStarted(`the host provides no ${hook.type === "prompt" ? "model" : "agent"}`);
  const given = conversationFor(run);
  if ("failed" in given) return resultNotStarted(given.failed);
  const { runModel } = await import("./model-hook.ts");
  const call = { ref: run.hook.ref, payloadJson: line, timeoutMs, signal: event.signal, ...given, port };
  return hook.type === "prompt" ? runModel(hook, call) : runDeeperAsync(event.depth, () => runModel(hook, call));
}

/** Only hooks that judge the end of a turn get the conversation. */
function conversationFor({ event }: HookRun): ReturnType<typeof readConversation> | { readonly conversation?: never } {
  const { row, payload, services } = event;
  const { conversation } = services.options;
  if (!row.special.endsTurn || conversation === undefined) return {};
  return readConversation(() => conversation(payload));
}

/** Reads the conversation by the host's code, which may throw or return something else. */
function readConversation(
  read: () => unknown,
): { readonly conversation: readonly unknown[] } | { readonly failed: string } {
  try {
    const conversation = read();
    if (Array.isArray(conversation)) return { conversation };
    return { failed: `the host's conversation is ${showValue(conversation)}, not a list` };
  } catch (error) {
    return { failed: `the host's conversation cannot be read: ${messageOf(error)}` };
  }
}
