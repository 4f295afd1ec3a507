import type { ConfiguredHook } from "../configured.ts";
import { oneDeeper } from "../depth.ts";
import type { Firing, World } from "../firing.ts";
import type { Ran } from "../ran.ts";
import type { OneLimits } from "../run-one.ts";
import type { Soon } from "../soon.ts";
import { runAgent } from "./agent.ts";
import { runCallback } from "./callback.ts";
import type { CommandJob } from "./command.ts";
import { notStarted } from "./ended.ts";
import { runFunction } from "./function.ts";
import { runHttp } from "./http.ts";
import { runMcpTool } from "./mcp-tool.ts";
import { runPrompt } from "./prompt.ts";

/** The runner of a hook's type, with what it needs. `background`: the run goes on and its answer comes later. */
export function dispatch(
  configured: ConfiguredHook,
  firing: Firing,
  world: World,
  limits: OneLimits,
): Soon<Ran | "background"> {
  const { hook, ref } = configured;
  const { payload, signal } = firing;
  const { timeoutMs, line } = limits;
  const { model, agent, mcp } = world.ports;
  switch (hook.type) {
    case "command":
      return runCommand({ configured, hook, firing, world, limits });
    case "http":
      return runHttp(hook, {
        body: line,
        env: firing.environmentOf(configured),
        policy: firing.httpPolicyOf(configured),
        timeoutMs,
        signal,
        version: world.version,
      });
    case "prompt":
      if (model === undefined) return notStarted("the host lends no model");
      return runPrompt(hook, {
        ref,
        payloadJson: line,
        ...conversation(firing, world),
        port: model,
        timeoutMs,
        signal,
      });
    case "agent":
      if (agent === undefined) return notStarted("the host lends no agent");
      return runAgent(hook, { ref, payloadJson: line, ...conversation(firing, world), port: agent, timeoutMs, signal });
    case "mcp_tool":
      if (mcp === undefined) return notStarted("the host lends no MCP servers");
      return runMcpTool(hook, { payload, port: mcp, timeoutMs, signal });
    case "callback":
      return oneDeeper(hook, firing.depth, () =>
        runCallback(hook, { payload, toolUseId: toolUseId(payload), timeoutMs, signal, strict: world.strict }),
      );
    case "function":
      return oneDeeper(hook, firing.depth, () =>
        runFunction(hook, { messages: world.conversation?.(payload) ?? [], timeoutMs, signal }),
      );
  }
}

/** Only hooks that judge the end of a turn are given the conversation. */
function conversation({ row, payload }: Firing, world: World): { conversation?: readonly unknown[] } {
  if (!row.special.endsTurn || world.conversation === undefined) return {};
  return { conversation: world.conversation(payload) };
}

function toolUseId(payload: Readonly<Record<string, unknown>>): string | undefined {
  const id = payload["tool_use_id"];
  return typeof id === "string" ? id : undefined;
}

let command: typeof import("./command.ts") | undefined;

/** Loaded with the first command hook: what starts processes is a good part of the engine. */
async function runCommand(job: CommandJob): Promise<Ran | "background"> {
  command ??= await import("./command.ts");
  return command.runCommand(job);
}
