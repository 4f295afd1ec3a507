import type { HookRef } from "../../../protocol/index.ts";
import type { ConfiguredHook } from "../../configured.ts";
import type { HookEvent } from "../../fire.ts";
import type { InForce } from "../../in-force.ts";
import type { AnyPayload } from "../../payload.ts";
import type { ResolvedOptions } from "../../resolve-options.ts";
import { isOfCheckout } from "../../trust/trust.ts";

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

/** The environment of a hook: what the host has, what settings add, and for the checkout's own hooks what the checkout adds. */
export function environmentOf(hook: ConfiguredHook, { settings, services }: HookEvent): Environment {
  return environmentUnder(settings, services.options, hook);
}

export function environmentUnder(settings: InForce, options: ResolvedOptions, { layer }: ConfiguredHook): Environment {
  const { shared, checkout } = environmentsOf(settings, options);
  return isOfCheckout(layer) ? checkout : shared;
}

interface Environments {
  readonly shared: Environment;
  /** For the checkout's own hooks. */
  readonly checkout: Environment;
}

/** Built once per snapshot, not once per event. */
function environmentsOf(settings: InForce, { env, stripEnv }: ResolvedOptions): Environments {
  const known = environments.get(settings);
  if (known !== undefined) return known;
  const inherited = inheritedEnvironment(env, stripEnv);
  const added = settings.effective.env.shared;
  const built = { shared: { ...inherited, ...added }, checkout: { ...inherited, ...settings.checkoutEnv, ...added } };
  environments.set(settings, built);
  return built;
}

const environments = new WeakMap<InForce, Environments>();
