import {
  admitUrl,
  clientHome,
  loadLayers,
  locksOf,
  managedFolder,
  mergeLayers,
  nameOf,
} from "../engine/settings/index.ts";
import { installAgain } from "./advice.ts";
import { type Drift, drift } from "./drift.ts";
import { type OwnPlace, ownHooks } from "./own-entries.ts";
import type { ScopePlaces, Standpoint } from "./places.ts";

type Layers = Awaited<ReturnType<typeof loadLayers>>;

/** What other settings, an administrator's above all, forbid of what is installed. */
export async function policyDrift(
  places: ScopePlaces,
  { home, env, managedFolder: policy }: Standpoint,
  entries: readonly OwnPlace[],
  hooksFile?: string,
): Promise<readonly Drift[]> {
  const { root, scope } = places;
  const all = await loadLayers({
    cwd: root,
    clientHome: clientHome(env["CLAUDE_CONFIG_DIR"], home),
    managedFolder: policy ?? managedFolder(process.platform),
  });
  // In the user's scope the folder around is no project; its files are nobody's.
  const layers = all.filter(({ kind }) => scope !== "user" || (kind !== "project" && kind !== "local"));
  return [...switchedOff(layers, env), ...forbidden(layers, entries, installAgain({ places, hooksFile }, "client"))];
}

function switchedOff(layers: Layers, env: Standpoint["env"]): readonly Drift[] {
  const here = env["HOOKLINE"] === "0" ? [drift("disabled", variableOff("the environment"))] : [];
  const inFiles = layers.flatMap((layer) => {
    const { disableAllHooks, allowManagedHooksOnly, env: set } = layer.settings;
    const by = nameOf(layer);
    if (set?.["HOOKLINE"] === "0") return [drift("disabled", variableOff(`env of ${by}`))];
    if (disableAllHooks === true) return [drift("disabled", `disableAllHooks in ${by} switches every hook off.`)];
    if (layer.kind !== "managed") return [];
    if (allowManagedHooksOnly === true) return [drift("disabled", `The policy in ${by} lets managed hooks run only.`)];
    return locksOf(layer.settings).includes("user")
      ? [drift("disabled", `The policy in ${by} lets hooks of plugins and managed hooks run only.`)]
      : [];
  });
  return [...here, ...inFiles];
}

function variableOff(where: string): string {
  return `HOOKLINE=0 in ${where} switches off every hook of Hookline apps in agents that pass it to hooks. Remove it to switch them on.`;
}

/** An http entry that is on no list is never called, and one whose variable is on none comes without its token. */
function forbidden(layers: Layers, entries: readonly OwnPlace[], again: string): readonly Drift[] {
  const { urls, variables } = mergeLayers(layers).effective.http;
  const http = entries.flatMap((entry) =>
    ownHooks(entry).flatMap((hook) => (hook.type === "http" ? [{ event: entry.event, hook }] : [])),
  );
  const wayOut = `${again} does without http.`;
  return [
    ...urls.flatMap(({ values, layer }) => {
      const policy = { allowedUrls: values, allowPrivate: true };
      const out = http.filter(({ hook: { url } }) => "refused" in admitUrl(url, policy));
      const [first] = out;
      if (first === undefined || !URL.canParse(first.hook.url)) return [];
      const place = new URL(first.hook.url).origin;
      const message = `allowedHttpHookUrls in ${nameOf(layer)} does not list ${place}, so the http entries for ${namesOf(out)} are never called; ${wayOut}`;
      return [drift("url-forbidden", message)];
    }),
    ...variables.flatMap(({ values, layer }) => {
      const out = http.filter(({ hook: { allowedEnvVars: names } }) => names?.some((name) => !values.includes(name)));
      if (out.length === 0) return [];
      const message = `httpHookAllowedEnvVars in ${nameOf(layer)} does not list the variable that holds the token, so the http entries for ${namesOf(out)} are turned away; ${wayOut}`;
      return [drift("url-forbidden", message)];
    }),
  ];
}

function namesOf(entries: readonly { readonly event: string }[]): string {
  return entries.map(({ event }) => event).join(", ");
}
