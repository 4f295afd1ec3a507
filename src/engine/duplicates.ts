import type { FailurePolicy, Hook, Skip } from "../protocol/index.ts";
import { type ConfiguredHook, isBackground } from "./configured.ts";
import type { Selected } from "./select.ts";

/** Equal hooks run once: the first in configured order survives, in the strictest mode of all its copies. */
export function dropDuplicates(hooks: readonly ConfiguredHook[]): Selected {
  if (hooks.length < 2) return { hooks, skipped: [] };
  const kept = new Map<string, ConfiguredHook>();
  const skipped: Skip[] = [];
  hooks.forEach((hook, index) => {
    const key = identityOf(hook) ?? `only ${index}`;
    const first = kept.get(key);
    if (first === undefined) {
      kept.set(key, hook);
      return;
    }
    kept.set(key, strictest(first, hook));
    skipped.push({ hook: hook.ref, why: "duplicate", detail: `equal to ${first.ref.id}, which runs` });
  });
  return { hooks: [...kept.values()], skipped };
}

/** Worked out once: a configured hook never changes, and events come often. */
function identityOf(configured: ConfiguredHook): string | undefined {
  if (!identities.has(configured)) identities.set(configured, newIdentity(configured));
  return identities.get(configured);
}

const identities = new WeakMap<ConfiguredHook, string | undefined>();

/** What makes two hooks equal; undefined for in-process hooks, which never are. */
function newIdentity({ hook, layer }: ConfiguredHook): string | undefined {
  const payload = payloadOf(hook);
  return payload === undefined
    ? undefined
    : JSON.stringify([layer.plugin?.root ?? "", hook.type, hook.if ?? "", payload]);
}

function payloadOf(hook: Hook): readonly unknown[] | undefined {
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

function strictest(first: ConfiguredHook, copy: ConfiguredHook): ConfiguredHook {
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
