import type { FailurePolicy, Hook } from "../../protocol/internal.ts";
import { timeoutOf } from "../runners/run-limits.ts";
import type { ConfiguredHook } from "../settings/layer.ts";

/** Worked out once: a configured hook never changes, and events come often. */
export function identityOf(configured: ConfiguredHook): string | undefined {
  if (!identities.has(configured)) identities.set(configured, newIdentity(configured));
  return identities.get(configured);
}

const identities = new WeakMap<ConfiguredHook, string | undefined>();

/** What makes two hooks equal; undefined for in-process hooks, which never are. */
function newIdentity({ hook, layer, fails = "" }: ConfiguredHook): string | undefined {
  const work = workOf(hook);
  return work && JSON.stringify([layer.plugin?.root ?? "", hook.type, hook.if ?? "", work, fails]);
}

function workOf(hook: Hook): readonly unknown[] | undefined {
  switch (hook.type) {
    case "command":
      return [hook.command, hook.args ?? null, hook.args === undefined ? (hook.shell ?? "bash") : ""];
    case "http":
      return [hook.url, Object.entries(hook.headers ?? {}).sort()];
    case "prompt":
      return [hook.prompt, hook.model ?? ""];
    case "agent":
      return [hook.prompt, hook.model ?? "", [...(hook.tools ?? [])].sort()];
    case "mcp_tool":
      return [hook.server, hook.tool, hook.input ?? {}];
    default:
      return undefined;
  }
}

/** One hook for two equal ones, in the stricter mode: a copy that is awaited, can wake or has more time must not be replaced by one that does not. */
export function strictestHook(first: ConfiguredHook, copy: ConfiguredHook): ConfiguredHook {
  const onFailure: FailurePolicy = first.onFailure === "block" || copy.onFailure === "block" ? "block" : "continue";
  const { hook, background } = first.background && (!copy.background || wakes(copy.hook)) ? copy : first;
  const hasMore = timeoutOf(copy.hook, copy.row, {}) > timeoutOf(first.hook, first.row, {});
  // As written, perhaps not at all: the environment can change the default.
  const { timeout } = hasMore ? copy.hook : first.hook;
  return { ...first, onFailure, hook: { ...hook, timeout } as Hook, background };
}

function wakes(hook: Hook): boolean {
  return hook.type === "command" && hook.asyncRewake === true;
}
