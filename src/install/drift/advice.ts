import { basename, dirname } from "node:path";
import { Problem } from "../../protocol/internal.ts";
import type { HandledEvent } from "../../sdk/internal.ts";
import { fromLockPath, type InstallRecord, type LockFile, readLockFile } from "../edit/install-record.ts";
import { inspectSettings } from "../edit/settings-file.ts";
import { shellQuote } from "../plan/hook-command.ts";
import {
  type InstallScope,
  type InstallTarget,
  installScopes,
  type ScopeFiles,
  scopeFiles,
} from "../plan/install-places.ts";
import { callOf, callsOf, type OwnEntry, ownEntries, type PlannedEntry, runsOnce } from "../plan/own-entries.ts";

/** What is known about one scope's install. */
export interface InstalledScope {
  readonly places: ScopeFiles;
  readonly hooksFile?: string | undefined;
  readonly lock?: LockFile | undefined;
  /** This user's own notes about the install; another user's install has none here. */
  readonly record?: InstallRecord | undefined;
}

/** The same for an app that has its hooks file and, maybe, entries in the settings file. */
export interface InstalledApp extends InstalledScope {
  readonly hooksFile: string;
  readonly entries: readonly OwnEntry[];
}

/** The command that installs the same app in the same scope again, ready to paste. */
export function installCommand(
  { places, hooksFile, lock }: InstalledScope,
  transport: string | undefined = lock?.transport,
): string {
  const isUsual =
    hooksFile === undefined ||
    (/^hooks\.m?[tj]s$/.test(basename(hooksFile)) && dirname(hooksFile) === dirname(places.settingsFile));
  return [
    "hookline install",
    ...(isUsual ? [] : [shellQuote(hooksFile)]),
    ...(places.scope === "project" ? [] : [`--scope ${places.scope}`]),
    // http is not repeated: it has to be asked for each time.
    ...(transport === "run" || transport === "client" ? [`--transport ${transport}`] : []),
  ].join(" ");
}

/** The command that restores entries: without this user's install record, as after a move of the project, it is an install. */
export function repairCommand(advised: InstalledScope): string {
  return advised.record === undefined ? installCommand(advised) : "hookline doctor --fix";
}

/** Something that is no longer as it was installed. */
export interface Drift {
  readonly kind: DriftKind;
  readonly message: string;
  /** File, line and column, where they are known. */
  readonly place?: string;
}

/** What is wrong, and what changed without anything being wrong. */
export interface DriftReport {
  readonly drift: readonly Drift[];
  readonly notes: readonly string[];
}

export const noDrift: DriftReport = { drift: [], notes: [] };

export type DriftKind =
  | "entry-missing"
  | "entry-altered"
  | "entry-left"
  | "handler-added"
  | "handler-removed"
  | "code-changed"
  | "client-damaged"
  | "never-runs"
  | "hooks-file-missing"
  | "hooks-file-broken"
  | "lock-missing"
  | "two-scopes"
  | "port-taken"
  | "http-entry"
  | "open-on-crash"
  | "url-forbidden"
  | "client-cannot-read"
  | "settings-unreadable"
  | "package-missing"
  | "bash-missing"
  | "disabled";

export function drift(kind: DriftKind, message: string): Drift {
  return { kind, message };
}

/** The events of entries, each once, for a message. */
export function namesOf(entries: readonly { readonly event: string }[]): string {
  return [...new Set(entries.map(({ event }) => event))].join(", ");
}

/** A scope holds one app. */
export function replacedAppNote(old: LockFile | undefined, places: ScopeFiles, hooksFile: string): readonly string[] {
  const before = old === undefined ? hooksFile : fromLockPath(places.lockFile, old.hooksPath);
  return before === hooksFile ? [] : [`It takes the place of ${before}, which was installed here before.`];
}

/** The same app in two scopes runs twice, unless their entries are equal. */
export async function otherScopeNotes(
  { scope }: ScopeFiles,
  hooksFile: string,
  target: InstallTarget,
  planned: readonly PlannedEntry[],
): Promise<readonly string[]> {
  const calls = planned.map(({ event, group }) => callOf(event, group.hooks[0]));
  const notes: string[] = [];
  for (const other of installScopes.filter((one) => one !== scope)) {
    const installed = await installedLock(other, target);
    if (installed === undefined || fromLockPath(installed.lockFile, installed.lock.hooksPath) !== hooksFile) continue;
    const { settingsFile, root } = scopeFiles(other, target);
    const { settings } = await inspectSettings(settingsFile);
    const entries = ownEntries(settings, { root, hooksFiles: [hooksFile], calls: [installed.lock.command] });
    notes.push(twoScopesText(other, runsOnce(calls, callsOf(entries))));
  }
  return notes;
}

export function twoScopesText(scope: InstallScope, isOnce: boolean): string {
  const effect = isOnce ? "its entries there are equal, so its handlers run once" : "its handlers run twice";
  return `The same app is installed in ${scope} scope too; ${effect}. hookline uninstall --scope ${scope} removes it there.`;
}

/** The lock file of a scope. Undefined when it does not exist, and when it cannot be read, which status and doctor report. */
export async function installedLock(scope: InstallScope, target: InstallTarget) {
  try {
    const { lockFile } = scopeFiles(scope, target);
    const lock = await readLockFile(lockFile);
    return lock && { lockFile, lock };
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Nothing but the client starts the daemon, so the events that begin a session and a turn have an entry even without a handler. */
export function wakingNote(planned: readonly PlannedEntry[], needs: readonly HandledEvent[]): readonly string[] {
  const added = planned.map(({ event }) => event).filter((event) => !needs.some((need) => need.event === event));
  if (added.length === 0) return [];
  const entries = added.length === 1 ? "entry" : "entries";
  return [`The ${entries} for ${added.join(" and ")} only ${added.length === 1 ? "starts" : "start"} the daemon.`];
}
