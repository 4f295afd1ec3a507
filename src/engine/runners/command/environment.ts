import type { HookRef } from "../../../protocol/index.ts";
import type { AnyPayload } from "../../payload.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The host's environment as hooks inherit it: whole, but for the names that are stripped. Worked out once per snapshot. */
export function inheritedEnvironment(env: Environment, strip: readonly string[] = defaultStrip): Environment {
  const exact = new Set(strip.filter((name) => !name.endsWith("*")));
  const prefixes = strip.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !exact.has(name) && !prefixes.some((prefix) => name.startsWith(prefix))),
  );
}

/** Tracing set up for the agent must not make every hook report as the agent. */
const defaultStrip: readonly string[] = ["OTEL_*"];

/** What every command hook of an event is told by variables. */
export function eventVariables(hook: HookRef, payload: AnyPayload, depth: number): Record<string, string> {
  const level = (payload["effort"] as { level?: unknown } | undefined)?.level;
  return {
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: String(payload["session_id"]),
    HOOK_EVENT: hook.event,
    HOOK_NAME: hook.name,
    HOOKLINE_DEPTH: String(depth + 1),
    ...(typeof level === "string" ? { CLAUDE_EFFORT: level } : {}),
  };
}
