import { existsSync } from "node:fs";
import { Problem } from "../../protocol/internal.ts";
import { appInputs, buildFile } from "../../sdk/internal.ts";
import { fromLockPath, type LockFile, readLockFile } from "../edit/install-record.ts";
import { type Installer, registeredIds } from "../install-app.ts";
import type { InstallTarget, ScopeFiles } from "../plan/install-places.ts";
import { contentHashOf, introspect, introspector } from "../plan/introspect.ts";
import { effectRefused } from "../plan/sandboxed-load.ts";
import { type Drift, type DriftReport, drift, type InstalledApp, installCommand, noDrift } from "./advice.ts";
import { neverRunDrift } from "./never-running.ts";

/** How closely the code is looked at: loaded, without effects, to see its handlers; parsed, which runs none of it; or not at all. */
export type Look = "run" | "parse" | "nothing";

/**
 * Whether the code is what was installed. The handlers of changed code are known only by running it, which may not be approved
 * yet. So it is loaded where it can have no effects, and only if it is the file that this very user installed.
 */
export async function codeDrift(
  app: InstalledApp,
  { env }: InstallTarget,
  installer: Installer,
  look: Look,
): Promise<DriftReport & { readonly contentHash?: string }> {
  const { hooksFile, lock, record } = app;
  const { root, scope } = app.places;
  const again = installCommand(app);
  if (!existsSync(hooksFile)) {
    const message = `The hooks file ${hooksFile} does not exist. Restore it, install another one, or run: hookline uninstall --scope ${scope}`;
    return { drift: [drift("hooks-file-missing", message)], notes: [] };
  }
  if (look === "nothing") return noDrift;
  try {
    const contentHash = contentHashOf(hooksFile, await appInputs(hooksFile));
    const noted = neverRunDrift(lock?.hooksRegistered ?? []);
    if (lock === undefined || contentHash === lock.contentHash) return { drift: noted, notes: [], contentHash };
    const changed = `The code has changed since it was installed (${lock.installedAt}).`;
    if (look === "parse") {
      const message = `${changed} doctor does not run it; hookline test reports handlers that never run.`;
      return { drift: [...noted, drift("code-changed", message)], notes: [], contentHash };
    }
    if (record?.hooksFile !== hooksFile) return { drift: noted, notes: [changed], contentHash };
    await buildFile(hooksFile, env);
    const { events } = await introspect(hooksFile, { program: introspector(installer), cwd: root, env, quiet: true });
    const ids = registeredIds(events);
    const found = [...handlerDrift(ids, lock, app), ...neverRunDrift(ids)];
    return { drift: found, notes: [changed], contentHash };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const triedEffects =
      error.message.includes(effectRefused) || /ERR_ACCESS_DENIED|Access to this API/.test(error.message);
    if (triedEffects) {
      const note = `The code has changed. While it loads, it writes files, starts programs or uses the network, which status does not allow, so its handlers are unknown here. ${again} loads it.`;
      return { drift: [], notes: [note] };
    }
    return { drift: [drift("hooks-file-broken", error.message.replace(/ Nothing was written\.$/, ""))], notes: [] };
  }
}

/** Whether the code is byte for byte what was installed. Runs none of it. */
export async function isCodeAsInstalled({ lockFile }: ScopeFiles): Promise<boolean> {
  const lock = await readLockFile(lockFile);
  if (lock === undefined) return false;
  const file = fromLockPath(lockFile, lock.hooksPath);
  try {
    return existsSync(file) && contentHashOf(file, await appInputs(file)) === lock.contentHash;
  } catch (error) {
    // A broken hooks file is not what was installed. Status and doctor report what is wrong with it.
    if (error instanceof Problem) return false;
    throw error;
  }
}

function handlerDrift(now: readonly string[], lock: LockFile, app: InstalledApp): readonly Drift[] {
  const { hooksRegistered, allEvents } = lock;
  const again = installCommand(app);
  // With an entry for every event, handlers come and go without a new install.
  if (allEvents) return [];
  // An entry would not help a handler that never runs, which is reported as such.
  const added = now.filter((id) => !hooksRegistered.includes(id) && neverRunDrift([id]).length === 0);
  const removed = hooksRegistered.filter((id) => !now.includes(id));
  // An install of an app without handlers is refused.
  const cure = now.length === 0 ? `hookline uninstall --scope ${app.places.scope}` : again;
  return [
    ...added.map((id) => drift("handler-added", `A handler for ${id} was added; ${again} adds its entry.`)),
    ...removed.map((id) => drift("handler-removed", `The handler for ${id} was removed; ${cure} removes its entry.`)),
  ];
}
