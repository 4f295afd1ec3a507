import { packageVersion } from "../../files/internal.ts";
import { type AgentHook, type HttpHook, messageOf, type PromptHook, showValue } from "../../protocol/internal.ts";
import type { HookRun } from "../fire/fire.ts";
import { acrossWaits, oneDeeper } from "../fire/hook-depth.ts";
import type { Soon } from "../fire/maybe-async.ts";
import { environmentOf } from "./command/command-env.ts";
import { frozenFor, runCallback, runFunction } from "./in-process.ts";
import { notStarted, type Ran } from "./runner-result.ts";

/** Runs a hook by its type. `background`: the run continues and its answer comes later. */
export function runByType(run: HookRun): Soon<Ran | "background"> {
  const { event, timeoutMs } = run;
  const { payload, signal, depth, copies } = event;
  const { hook } = run.hook;
  const { options } = event.services;
  switch (hook.type) {
    case "callback": {
      const frozen = frozenFor(payload, copies, "payload", () => payload);
      const call = { payload: frozen, toolUseId: toolUseId(payload), timeoutMs, signal };
      return oneDeeper(hook, depth, () => runCallback(hook, call));
    }
    case "function": {
      const { conversation } = options;
      const lent = readConversation(() =>
        frozenFor(payload, copies, "conversation", () => conversation?.(payload) ?? []),
      );
      if ("failed" in lent) return notStarted(lent.failed);
      const { messages } = lent;
      return oneDeeper(hook, depth, () => runFunction(hook, { messages, timeoutMs, signal }));
    }
    case "command":
      return commands === undefined ? loadCommands().then(() => runByType(run)) : commands.runCommand(hook, run);
    case "http":
      return runHttpHook(hook, run);
    case "prompt":
      return runPromptHook(hook, run);
    case "agent":
      return runAgentHook(hook, run);
    case "mcp_tool": {
      const { mcp: port } = options.ports;
      if (port === undefined) return notStarted("the host lends no MCP servers");
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

async function runHttpHook(hook: HttpHook, { event, hook: configured, line, timeoutMs }: HookRun): Promise<Ran> {
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

async function runPromptHook(hook: PromptHook, run: HookRun): Promise<Ran> {
  const { model: port } = run.event.services.options.ports;
  if (port === undefined) return notStarted("the host lends no model");
  const lent = conversationFor(run);
  if ("failed" in lent) return notStarted(lent.failed);
  const { runPrompt } = await import("./model-hook.ts");
  return runPrompt(hook, { ...modelCall(run), ...lent, port });
}

async function runAgentHook(hook: AgentHook, run: HookRun): Promise<Ran> {
  const { agent: port } = run.event.services.options.ports;
  if (port === undefined) return notStarted("the host lends no agent");
  const lent = conversationFor(run);
  if ("failed" in lent) return notStarted(lent.failed);
  const { runAgent } = await import("./model-hook.ts");
  return acrossWaits(run.event.depth, () => runAgent(hook, { ...modelCall(run), ...lent, port }));
}

function modelCall({ event, hook, line, timeoutMs }: HookRun) {
  return { ref: hook.ref, payloadJson: line, timeoutMs, signal: event.signal };
}

/** Only hooks that judge the end of a turn get the conversation. */
function conversationFor({
  event: { row, payload, services },
}: HookRun): { readonly conversation?: readonly unknown[] } | { readonly failed: string } {
  const { conversation } = services.options;
  if (!row.special.endsTurn || conversation === undefined) return {};
  const lent = readConversation(() => conversation(payload));
  return "failed" in lent ? lent : { conversation: lent.messages };
}

/** Reads the conversation by the host's code, which may throw or give something else. */
function readConversation(
  read: () => unknown,
): { readonly messages: readonly unknown[] } | { readonly failed: string } {
  try {
    const messages = read();
    if (Array.isArray(messages)) return { messages };
    return { failed: `the host's conversation is ${showValue(messages)}, not a list` };
  } catch (error) {
    return { failed: `the host's conversation cannot be read: ${messageOf(error)}` };
  }
}
