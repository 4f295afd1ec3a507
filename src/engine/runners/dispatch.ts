import type { ConfiguredHook } from "../configured.ts";
import { oneDeeper } from "../depth.ts";
import type { Firing } from "../firing.ts";
import type { Ran } from "../ran.ts";
import type { OneLimits } from "../run-one.ts";
import type { Soon } from "../soon.ts";
import type { Services } from "../world.ts";
import { runCallback } from "./callback.ts";
import { readConversation } from "./conversation.ts";
import { notStarted } from "./ended.ts";
import { frozenFor } from "./frozen-copy.ts";
import { runFunction } from "./function.ts";

/** The runner of a hook's type, with what it needs. `background`: the run goes on and its answer comes later. */
export function dispatch(
  configured: ConfiguredHook,
  firing: Firing,
  services: Services,
  limits: OneLimits,
): Soon<Ran | "background"> {
  const { hook } = configured;
  const { payload, signal, depth, copies } = firing;
  const { timeoutMs } = limits;
  if (hook.type === "callback") {
    const frozen = frozenFor(payload, copies, "payload", () => payload);
    const call = { payload: frozen, toolUseId: toolUseId(payload), timeoutMs, signal };
    return oneDeeper(hook, depth, () => runCallback(hook, call));
  }
  if (hook.type === "function") {
    const lent = readConversation(() =>
      frozenFor(payload, copies, "conversation", () => services.options.conversation?.(payload) ?? []),
    );
    if ("failed" in lent) return notStarted(lent.failed);
    const { messages } = lent;
    return oneDeeper(hook, depth, () => runFunction(hook, { messages, timeoutMs, signal }));
  }
  return runOutside({ configured, hook, firing, services, limits });
}

function toolUseId(payload: Readonly<Record<string, unknown>>): string | undefined {
  const id = payload["tool_use_id"];
  return typeof id === "string" ? id : undefined;
}

type Outside = typeof import("./outside.ts");
let outside: Outside | undefined;

/** Loaded with the first hook that leaves the process: what starts programs and talks to servers is half of the engine. */
function runOutside(job: Parameters<Outside["runOutside"]>[0]): Soon<Ran | "background"> {
  return outside === undefined ? loadAndRun(job) : outside.runOutside(job);
}

async function loadAndRun(job: Parameters<Outside["runOutside"]>[0]): Promise<Ran | "background"> {
  outside = await import("./outside.ts");
  return outside.runOutside(job);
}
