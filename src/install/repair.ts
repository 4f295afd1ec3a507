import type { HttpHook } from "../protocol/index.ts";
import { holdsToken } from "./findings.ts";
import { install } from "./install.ts";
import type { Installer } from "./install-app.ts";
import type { ScopePlaces, Standpoint } from "./places.ts";
import type { PlannedEntry } from "./plan.ts";
import { makePrivate } from "./settings-file.ts";
import { type ScopeStatus, statusOf } from "./status.ts";

/** What was done, or why nothing could be. */
export interface Repair {
  readonly done: boolean;
  readonly message: string;
  /** Entries that were written, which the person may have to approve. */
  readonly wrote?: { readonly places: ScopePlaces; readonly planned: readonly PlannedEntry[] };
}

/**
 * Brings what a lock file describes back into the settings, as this user's install wrote it, by the same careful edits.
 * Contract: nothing is installed that was not; no code of the project is run.
 */
export async function repair(standpoint: Standpoint, installer: Installer): Promise<readonly Repair[]> {
  const all = await statusOf(standpoint, installer, undefined, "nothing");
  const repairs: Repair[] = [];
  for (const status of all) if (status.lock !== undefined) repairs.push(...(await repairScope(status, installer)));
  return repairs;
}

async function repairScope(status: ScopeStatus, installer: Installer): Promise<readonly Repair[]> {
  const { places, lock, record, drift, daemon, hooksFile } = status;
  const repairs: Repair[] = [];
  const is = (...kinds: string[]) => drift.some(({ kind }) => kinds.includes(kind));
  if (daemon !== undefined && daemon.version !== installer.version && hooksFile !== undefined) {
    await installer.daemon?.stopDaemon(hooksFile);
    repairs.push({
      done: true,
      message: `Stopped the daemon of version ${daemon.version}; the next call starts a new one.`,
    });
  }
  if (is("entry-missing", "entry-altered", "entry-left", "port-taken") && lock !== undefined) {
    if (record === undefined) {
      const message = `${places.settingsFile} was installed by somebody else; hookline install makes it good.`;
      return [...repairs, { done: false, message }];
    }
    const fresh = is("port-taken") ? await installer.daemon?.endpointFor(record.hooksFile, { fresh: true }) : undefined;
    const planned =
      fresh === undefined ? record.entries : record.entries.map((entry) => withEndpoint(entry, fresh, record.tokenEnv));
    const { settings } = await install({
      places,
      hooksFile: record.hooksFile,
      planned,
      lock,
      calls: [lock.command],
      home: installer.home,
      now: installer.now(),
      ...(record.tokenEnv === undefined ? {} : { tokenEnv: record.tokenEnv }),
      ...(installer.signal === undefined ? {} : { signal: installer.signal }),
    });
    const port = fresh === undefined ? "" : ` The port is ${fresh.port} now, with a new token.`;
    if (settings.changed) {
      const message = `Put the entries back into ${places.settingsFile}.${port}`;
      repairs.push({ done: true, message, wrote: { places, planned } });
    }
  }
  if (holdsToken(status)) repairs.push(...(await tightened(places.settingsFile)));
  return repairs;
}

async function tightened(file: string): Promise<readonly Repair[]> {
  const changed = await makePrivate(file);
  return changed ? [{ done: true, message: `${file} holds a token; only you can read it now.` }] : [];
}

function withEndpoint(
  entry: PlannedEntry,
  { url, token }: { url: string; token: string },
  tokenEnv?: string,
): PlannedEntry {
  const [hook] = entry.group.hooks;
  if (hook.type !== "http") return entry;
  const { search } = new URL(hook.url);
  const headers = tokenEnv === undefined ? { Authorization: `Bearer ${token}` } : hook.headers;
  const moved: HttpHook = { ...hook, url: `${url}${search}`, ...(headers === undefined ? {} : { headers }) };
  return { ...entry, group: { ...entry.group, hooks: [moved] } };
}
