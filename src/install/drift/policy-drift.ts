import {
  claudeHome,
  loadLayers,
  locksOf,
  managedFolder,
  mergeLayers,
  nameOf,
  refusedUrls,
} from "../../engine/internal.ts";
import { findProgram } from "../client/find-package.ts";
import { isFailClosed } from "../plan/hook-command.ts";
import { findProject, type InstallTarget } from "../plan/install-places.ts";
import { ownHooks, ownHttpHooks } from "../plan/own-entries.ts";
import { refusesOnFailure } from "../plan/plan-entries.ts";
import { type Drift, type DriftReport, drift, type InstalledApp, installCommand, namesOf, noDrift } from "./advice.ts";

type Layers = Awaited<ReturnType<typeof loadLayers>>;

/** What other settings, an administrator's above all, forbid of what is installed. */
export async function policyDrift(app: InstalledApp, target: InstallTarget): Promise<readonly Drift[]> {
  const { root, scope } = app.places;
  const { home, env, managedFolder: policy } = target;
  const layersAt = (cwd: string) =>
    loadLayers({
      cwd,
      claudeHome: claudeHome(env["CLAUDE_CONFIG_DIR"], home),
      managedFolder: policy ?? managedFolder(process.platform),
    });
  const ofProject = ({ kind }: Layers[number]): boolean => kind === "project" || kind === "local";
  // The root of the user's scope is not a project.
  const layers = (await layersAt(root)).filter((layer) => scope !== "user" || !ofProject(layer));
  // In Claude Code a project's switch turns the user's hooks off too, there.
  const [project] = scope === "user" ? findProject(target) : [];
  const ofFolder = project === undefined ? [] : await layersAt(project);
  const around = ofFolder.filter((layer) => ofProject(layer) && !layers.some(({ file }) => file === layer.file));
  return [...switchedOff([...layers, ...around], env), ...(await forbidden(layers, app))];
}

function switchedOff(layers: Layers, env: InstallTarget["env"]): readonly Drift[] {
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
async function forbidden(layers: Layers, app: InstalledApp): Promise<readonly Drift[]> {
  const { urls, variables } = mergeLayers(layers).merged.http;
  const http = app.entries.flatMap(ownHttpHooks);
  const addresses = http.map(({ hook }) => hook.url);
  const wayOut = `${installCommand(app, "client")} does without http.`;
  const refused = await Promise.all(urls.map(({ values }) => refusedUrls(addresses, values)));
  return [
    ...urls.flatMap(({ layer }, index) => {
      const out = http.filter(({ hook: { url } }) => refused[index]?.includes(url));
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

/**
 * Guards that start Node by themselves and let the action pass when Node itself crashes: entries that an older version wrote, or a person.
 * Where there is no `sh` nothing can be done about it, and it is a note.
 */
export function openOnCrash(app: InstalledApp, env: InstallTarget["env"]): DriftReport {
  const open = app.entries.filter((entry) => refusesOnFailure(entry.event) && ownHooks(entry).some(passesOnCrash));
  if (open.length === 0) return noDrift;
  const message = `The entries for ${namesOf(open)} say --on-failure block, but when Node itself crashes or cannot be started the action goes through.`;
  return findProgram("sh", env) === undefined
    ? { drift: [], notes: [`${message} An entry that refuses then needs sh, and there is none in PATH.`] }
    : { drift: [drift("open-on-crash", `${message} ${installCommand(app)} writes entries that refuse.`)], notes: [] };
}

function passesOnCrash(hook: ReturnType<typeof ownHooks>[number]): boolean {
  if (hook.type !== "command") return false;
  const words = [hook.command, ...(Array.isArray(hook.args) ? hook.args : []).map(String)];
  if (words.some((word) => /(?:^|[\s/'"])hookline-client\b/.test(word))) return false;
  return / --on-failure[ =]block\b/.test(words.join(" ")) && !isFailClosed(words);
}
