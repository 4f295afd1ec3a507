import type { LayerKind } from "../protocol/index.ts";
import type { Gate } from "./admit.ts";
import type { ConfiguredHook } from "./configured.ts";
import type { InForce } from "./in-force.ts";
import type { Layer } from "./layer.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { type Environment, inheritedEnvironment } from "./runners/command/environment.ts";
import type { HttpPolicy } from "./runners/http.ts";
import type { PolicyList } from "./settings/merge.ts";
import type { StatusLineCall } from "./status-line.ts";
import { isOfCheckout } from "./trust/needs-trust.ts";
import { startTrust, whenSteady } from "./trust/unchanged.ts";

/** Keys that switch hooks off, wherever they stand. */
export function policyGate({ effective, disabling }: InForce): Gate {
  const { disabled, managedOnly, pluginsOnly } = effective;
  return (hook) => {
    const { kind } = hook.layer;
    const managed = isManaged(hook);
    if (disabled.everything) return { why: "disabled", detail: `disableAllHooks in ${nameOf(disabled.everything)}` };
    if (disabled.unmanaged && !managed)
      return { why: "disabled", detail: `disableAllHooks in ${nameOf(disabled.unmanaged)}` };
    // A checkout may always switch off what it brought itself.
    const off = isOfCheckout(hook.layer) ? disabled.checkout : disabling;
    if (off && !managed) return { why: "disabled", detail: `disableAllHooks in ${nameOf(off)}` };
    if (managedOnly && !managed) return { why: "policy", detail: `allowManagedHooksOnly in ${nameOf(managedOnly)}` };
    if (pluginsOnly?.locked.includes(kind)) {
      return { why: "policy", detail: `strictPluginOnlyCustomization in ${nameOf(pluginsOnly.layer)}` };
    }
    return undefined;
  };
}

function isManaged({ layer, hook }: ConfiguredHook): boolean {
  return layer.kind === "managed" || (hook.type === "callback" && hook.managed === true);
}

function nameOf({ file, kind }: Layer): string {
  return file ?? `${kind} settings`;
}

/** The environment of a hook: what the host has, what settings add, and for the checkout's own hooks what the checkout adds. */
export function environments(now: InForce, options: ResolvedOptions): (hook: ConfiguredHook) => Environment {
  const known = worked.get(now);
  if (known !== undefined) return known;
  const inherited = inheritedEnvironment(options.env, options.stripEnv);
  const added = now.effective.env.shared;
  const shared: Environment = { ...inherited, ...added };
  const checkout: Environment = { ...inherited, ...now.checkoutEnv, ...added };
  const environmentOf = ({ layer }: ConfiguredHook): Environment => (isOfCheckout(layer) ? checkout : shared);
  worked.set(now, environmentOf);
  return environmentOf;
}

/** An environment is worked out once per snapshot, not once per event. */
const worked = new WeakMap<InForce, (hook: ConfiguredHook) => Environment>();

/** Where a hook's requests may go and which variables its headers may hold. */
export function httpPolicyFor({ effective: { http }, narrows }: InForce, { layer }: ConfiguredHook): HttpPolicy {
  const applies = (key: "allowedHttpHookUrls" | "httpHookAllowedEnvVars") => (list: PolicyList) =>
    !isOfCheckout(list.layer) || isOfCheckout(layer) || narrows(list.layer, key);
  const [urls = null, ...narrowing] = http.urls.filter(applies("allowedHttpHookUrls")).map(({ values }) => values);
  const variables = http.variables.filter(applies("httpHookAllowedEnvVars")).map(({ values }) => values);
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
export function statusLineCall(now: InForce, options: ResolvedOptions): StatusLineCall {
  const { statusLine, effective, trust } = now;
  const { disabled, managedOnly } = effective;
  const ofCheckout = statusLine !== undefined && isOfCheckout(statusLine.layer);
  const env: Environment = {
    ...inheritedEnvironment(options.env, options.stripEnv),
    ...(ofCheckout ? now.checkoutEnv : {}),
    ...effective.env.shared,
  };
  const managed = statusLine?.layer.kind === "managed";
  const unmanaged = disabled.unmanaged ?? now.disabling ?? (ofCheckout ? disabled.checkout : undefined) ?? managedOnly;
  const off = disabled.everything ?? (managed ? undefined : unmanaged);
  return {
    command: off === undefined ? statusLine?.setting.command : undefined,
    mayStart: async () => {
      if (statusLine === undefined) return false;
      const { why } = await whenSteady(() => startTrust(trust.ofKey(statusLine.layer, "statusLine")));
      return why === "";
    },
    cwd: options.cwd,
    env,
  };
}
