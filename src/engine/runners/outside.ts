import type { FileHook } from "../../protocol/index.ts";
import type { ConfiguredHook } from "../configured.ts";
import { acrossWaits } from "../depth.ts";
import type { Firing } from "../firing.ts";
import type { Ran } from "../ran.ts";
import type { OneLimits } from "../run-one.ts";
import type { Soon } from "../soon.ts";
import type { Services } from "../world.ts";
import { runAgent } from "./agent.ts";
import { runCommand } from "./command.ts";
import { readConversation } from "./conversation.ts";
import { notStarted } from "./ended.ts";
import { runHttp } from "./http.ts";
import { runMcpTool } from "./mcp-tool.ts";
import { runPrompt } from "./prompt.ts";

export interface OutsideJob {
  readonly configured: ConfiguredHook;
  readonly hook: FileHook;
  readonly firing: Firing;
  readonly services: Services;
  readonly limits: OneLimits;
}

/** Hooks that leave the process: programs, servers, models. */
export function runOutside(job: OutsideJob): Soon<Ran | "background"> {
  const { configured, hook, firing, services, limits } = job;
  const { payload, signal } = firing;
  const { timeoutMs, line } = limits;
  const { model, agent, mcp } = services.options.ports;
  const ref = configured.ref;
  switch (hook.type) {
    case "command":
      return runCommand({ ...job, hook });
    case "http": {
      const policy = firing.httpPolicyOf(configured);
      const env = firing.environmentOf(configured);
      return runHttp(hook, {
        body: line,
        env,
        policy,
        timeoutMs,
        signal,
        version: services.version,
        home: services.options,
      });
    }
    case "prompt":
      if (model === undefined) return notStarted("the host lends no model");
      return withConversation(job, (lent) =>
        runPrompt(hook, { ref, payloadJson: line, ...lent, port: model, timeoutMs, signal }),
      );
    case "agent":
      if (agent === undefined) return notStarted("the host lends no agent");
      return withConversation(job, (lent) =>
        acrossWaits(firing.depth, () =>
          runAgent(hook, { ref, payloadJson: line, ...lent, port: agent, timeoutMs, signal }),
        ),
      );
    case "mcp_tool":
      if (mcp === undefined) return notStarted("the host lends no MCP servers");
      return runMcpTool(hook, { payload, port: mcp, timeoutMs, signal });
  }
}

/** Only hooks that judge the end of a turn are given the conversation. */
function withConversation(
  { firing, services }: OutsideJob,
  ask: (lent: { readonly conversation?: readonly unknown[] }) => Promise<Ran>,
): Soon<Ran> {
  const { conversation } = services.options;
  if (!firing.row.special.endsTurn || conversation === undefined) return ask({});
  const lent = readConversation(() => conversation(firing.payload));
  return "failed" in lent ? notStarted(lent.failed) : ask({ conversation: lent.messages });
}
