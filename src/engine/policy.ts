import type { LayerKind } from "../protocol/index.ts";
import type { Gate } from "./admit.ts";
import type { ConfiguredHook } from "./configured.ts";
import type { Layer } from "./layer.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { type Environment, inheritedEnvironment } from "./runners/command/environment.ts";
import type { HttpPolicy } from "./runners/http.ts";
import type { Effective, PolicyList, Snapshot } from "./settings/index.ts";
import type { StatusLineCall } from "./status-line.ts";
import type { Trust } from "./trust.ts";

/** Keys that switch hooks off, wherever they stand. */
export function policyGate({ disabled, managedOnly, pluginsOnly }: Effective): Gate {
  return (hook) => {
    const { kind } = hook.layer;
    const managed = isManaged(hook);
    if (disabled.everything) return { why: "disabled", detail: `disableAllHooks in ${nameOf(disabled.everything)}` };
    if (disabled.unmanaged && !managed)
      return { why: "disabled", detail: `disableAllHooks in ${nameOf(disabled.unmanaged)}` };
    if (disabled.checkout && isOfCheckout(kind)) {
      return { why: "disabled", detail: `disableAllHooks in ${nameOf(disabled.checkout)}` };
    }
    if (managedOnly && !managed) return { why: "policy", detail: `allowManagedHooksOnly in ${nameOf(managedOnly)}` };
    if (pluginsOnly && customised.has(kind)) {
      return { why: "policy", detail: `strictPluginOnlyCustomization in ${nameOf(pluginsOnly)}` };
    }
    return undefined;
  };
}

/** Layers that `strictPluginOnlyCustomization` takes away. */
const customised: ReadonlySet<LayerKind> = new Set(["user", "project", "local", "flag", "skill", "agent"]);

function isManaged({ layer, hook }: ConfiguredHook): boolean {
  return layer.kind === "managed" || (hook.type === "callback" && hook.managed === true);
}

/** Layers that come with the checkout, and that a stranger may have written. */
export function isOfCheckout(kind: LayerKind): boolean {
  return kind === "project" || kind === "local";
}

function nameOf({ file, kind }: Layer): string {
  return file ?? `${kind} settings`;
}

/** The environment of a hook: what the host has, what settings add, and for the checkout's own hooks what the checkout adds. */
export function environments(effective: Effective, options: ResolvedOptions): (hook: ConfiguredHook) => Environment {
  const known = worked.get(effective);
  if (known !== undefined) return known;
  const inherited = inheritedEnvironment(options.env, options.stripEnv);
  const shared: Environment = { ...inherited, ...effective.env.shared };
  const checkout: Environment = { ...inherited, ...effective.env.checkout, ...effective.env.shared };
  const environmentOf = ({ layer }: ConfiguredHook): Environment => (isOfCheckout(layer.kind) ? checkout : shared);
  worked.set(effective, environmentOf);
  return environmentOf;
}

/** An environment is worked out once per snapshot, not once per event. */
const worked = new WeakMap<Effective, (hook: ConfiguredHook) => Environment>();

/** Where a hook's requests may go and which variables its headers may hold. */
export function httpPolicyFor({ http }: Effective, { layer }: ConfiguredHook): HttpPolicy {
  const applies = (list: PolicyList): boolean => !isOfCheckout(list.layer.kind) || isOfCheckout(layer.kind);
  const [urls = null, ...narrowing] = http.urls.filter(applies).map(({ values }) => values);
  const variables = http.variables.filter(applies).map(({ values }) => values);
  return {
    allowedUrls: urls,
    narrowing,
    allowedEnvVars:
      variables.length === 0 ? null : variables.reduce((kept, list) => kept.filter((name) => list.includes(name))),
    allowPrivate: reachesAnywhere.has(layer.kind) || http.allowPrivate,
  };
}

/** Hooks of these layers were written by the person, the policy or the program itself. */
const reachesAnywhere: ReadonlySet<LayerKind> = new Set(["managed", "user", "flag", "session", "callback"]);

/** The status line in force and where it runs, or nothing: trust and policy count for it like for any hook. */
export function statusLineCall({ effective }: Snapshot, options: ResolvedOptions, trust: Trust): StatusLineCall {
  const { statusLine, disabled, managedOnly } = effective;
  const { cwd } = options;
  const env: Environment = { ...inheritedEnvironment(options.env, options.stripEnv), ...effective.env.shared };
  const managed = statusLine?.layer.kind === "managed";
  const off = disabled.everything ?? (managed ? undefined : (disabled.unmanaged ?? managedOnly));
  const runs = statusLine !== undefined && off === undefined && trust.ofStatusLine(statusLine.layer) === "trusted";
  return { command: runs ? statusLine.setting.command : undefined, cwd, env };
}
