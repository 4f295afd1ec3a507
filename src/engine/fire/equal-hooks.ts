import type { FailurePolicy, Hook } from "../../protocol/internal.ts";
import { type ConfiguredHook, isBackground } from "../settings/layer.ts";

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

/** One hook for two equal ones, in the stricter mode. */
export function strictest(first: ConfiguredHook, copy: ConfiguredHook): ConfiguredHook {
  const onFailure: FailurePolicy = first.onFailure === "block" || copy.onFailure === "block" ? "block" : "continue";
  return { ...first, onFailure, hook: awaitedIfEither(first.hook, copy.hook) };
}

/** A copy that is awaited must not be replaced by one that is not. */
function awaitedIfEither(first: Hook, copy: Hook): Hook {
  if (first.type !== "command" || copy.type !== "command") return first;
  if (!isBackground(first) || isBackground(copy)) return first;
  const { async: _a, asyncRewake: _b, ...awaited } = first;
  return awaited;
}
