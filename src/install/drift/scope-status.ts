import { isDeepStrictEqual } from "node:util";
import { type ClaudeCodeFault, claudeCodeFault, claudeCodeFaultText } from "../../engine/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import { type ClientInUse, clientInUse } from "../client/compiled-client.ts";
import { fromLockPath, installNotes, readLockFile } from "../edit/install-record.ts";
import { inspectSettings } from "../edit/settings-file.ts";
import type { DaemonStatus, Installer } from "../install-app.ts";
import { httpReport, strangerOnPort } from "../plan/http-entries.ts";
import {
  hooksFileFor,
  type InstallScope,
  type InstallTarget,
  installScopes,
  isUserScopeFile,
  type ScopeFiles,
  scopeFiles,
  unlessProblem,
} from "../plan/install-places.ts";
import { callsOf, type OwnEntry, ownEntries, runsOnce } from "../plan/own-entries.ts";
import { isMatcherAsLocked } from "../plan/plan-entries.ts";
import {
  type Drift,
  type DriftReport,
  drift,
  type InstalledApp,
  type InstalledScope,
  installCommand,
  noDrift,
  twoScopesText,
} from "./advice.ts";
import { codeDrift, type Look } from "./code-drift.ts";
import { noClientNotes, programDrift } from "./fix-stale-paths.ts";
import { openOnCrash, policyDrift } from "./policy-drift.ts";

/** What is installed in one scope, and what is no longer as it was installed. */
export interface ScopeStatus extends InstalledScope, DriftReport {
  readonly installed: boolean;
  /** The settings file cannot be read, so its entries are unknown. */
  readonly broken?: true;
  /** Our entries in the file. */
  readonly entries: readonly OwnEntry[];
  readonly daemon?: DaemonStatus & { readonly upToDate: boolean };
  readonly client?: ClientInUse;
}

/** Whether a settings file that cannot be read is thrown or reported as a problem of its scope. */
export type Broken = "throw" | "report";

/** Every scope, in order. Contract: a settings or lock file that cannot be read is a `Problem`, unless `broken` says otherwise. */
export async function statusOf(
  target: InstallTarget,
  installer: Installer,
  asked: readonly InstallScope[] = installScopes,
  look: Look = "run",
  broken: Broken = "throw",
): Promise<readonly ScopeStatus[]> {
  const all: ScopeStatus[] = [];
  for (const scope of asked) {
    // Outside every project there is the user's scope alone.
    const places = unlessProblem(() => scopeFiles(scope, target), "install/no-project");
    if (places === undefined || (await isUserScopeFile(places, target))) continue;
    all.push(await scopeStatus(places, target, installer, look, broken));
  }
  return compareScopes(all);
}

async function scopeStatus(
  places: ScopeFiles,
  target: InstallTarget,
  installer: Installer,
  look: Look,
  broken: Broken,
): Promise<ScopeStatus> {
  const lock = await readLockFile(places.lockFile);
  const record = await (await installNotes(places.settingsFile, installer.home)).read();
  const known =
    lock === undefined
      ? (record?.hooksFile ?? unlessProblem(() => hooksFileFor(places.scope, undefined, target)))
      : fromLockPath(places.lockFile, lock.hooksPath);
  const { settings, text, problem } = await inspectSettings(places.settingsFile);
  const fault = claudeCodeFault(text);
  if (problem !== undefined && broken === "throw") throw problem;
  const hooksFiles = known === undefined ? [] : [known];
  const entries = ownEntries(settings, { root: places.root, hooksFiles, calls: lock ? [lock.command] : [] });
  const installed = lock !== undefined || entries.length > 0;
  const base = { places, installed, entries, lock, record };
  if (problem !== undefined) {
    // Nothing can be said about the entries, so it is reported whether a lock file names the app or not.
    const scope = { ...base, hooksFile: lock && known };
    const why = fault === undefined ? drift("settings-unreadable", problem.message) : faultDrift(fault, scope);
    return { ...scope, broken: true, drift: [why], notes: [] };
  }
  if (!installed || known === undefined) return { ...base, ...noDrift };
  const app = { ...base, hooksFile: known };
  const code = await codeDrift(app, target, installer, look);
  const daemon = await installer.daemon?.daemonStatus(known);
  const stranger = await strangerOnPort(app, daemon);
  const http = httpReport(app);
  const crash = openOnCrash(app, target.env);
  const client = await clientInUse(app, installer.home);
  return {
    ...app,
    ...defined({ client, daemon: daemon && { ...daemon, upToDate: daemon.sourceHash === code.contentHash } }),
    drift: [
      ...(fault === undefined ? [] : [faultDrift(fault, app)]),
      ...entryDrift(app),
      ...(lock === undefined
        ? [drift("lock-missing", `${places.lockFile} is missing; ${installCommand(app)} writes it again.`)]
        : []),
      ...code.drift,
      ...programDrift(app, target.env, installer.home),
      ...(stranger === undefined ? [] : [drift("port-taken", stranger)]),
      ...http.drift,
      ...crash.drift,
      ...(await policyDrift(app, target)),
    ],
    notes: [...code.notes, ...http.notes, ...crash.notes, ...noClientNotes(app, target.env)],
  };
}

function faultDrift(fault: ClaudeCodeFault, scope: InstalledScope): Drift {
  const { settingsFile } = scope.places;
  const message = claudeCodeFaultText(settingsFile, fault, installCommand(scope));
  return { ...drift("client-cannot-read", message), place: `${settingsFile}:${fault.line}:${fault.column}` };
}

function entryDrift({ entries, lock, record }: InstalledApp): readonly Drift[] {
  const wanted = new Set(
    record?.entries.map(({ event }) => event) ?? lock?.hooksRegistered.map((id) => id.split(":", 1)[0] ?? id) ?? [],
  );
  const missing = [...wanted].filter((event) => !entries.some((one) => one.event === event));
  const planned = new Map(record?.entries.map(({ event, group }) => [event, group]));
  // A clone has no record; what its lock file tells of an entry is the matcher.
  const isAltered = ({ event, value }: OwnEntry): boolean =>
    record === undefined
      ? lock !== undefined && !isMatcherAsLocked((value as { matcher?: unknown }).matcher, event, lock)
      : planned.has(event) && !isDeepStrictEqual(planned.get(event), value);
  const altered = entries.filter(isAltered);
  const left = record === undefined ? [] : entries.filter(({ event }) => !wanted.has(event));
  return [
    ...missing.map((event) => drift("entry-missing", `The entry for ${event} is missing from the settings.`)),
    ...altered.map(({ event }) => drift("entry-altered", `The entry for ${event} is not as it was installed.`)),
    ...left.map(({ event }) => drift("entry-left", `There is an entry for ${event} that was not installed.`)),
  ];
}

/** Adds what each scope shares with the others. */
export function compareScopes(all: readonly ScopeStatus[]): readonly ScopeStatus[] {
  return all.map((one) => withOtherScopes(one, all));
}

/** Equal entries of two scopes change nothing, so they are a note. */
function withOtherScopes(status: ScopeStatus, all: readonly ScopeStatus[]): ScopeStatus {
  const { places, installed, hooksFile, entries, drift: own, notes } = status;
  if (!installed || hooksFile === undefined) return status;
  const isOther = (one: ScopeStatus): boolean =>
    one.installed && one.places.scope !== places.scope && one.hooksFile !== undefined;
  const others = all.filter((one) => isOther(one) && appKey(one.hooksFile ?? "") === appKey(hooksFile));
  const isEqual = (one: ScopeStatus) => one.broken !== true && runsOnce(callsOf(entries), callsOf(one.entries));
  const twice = others.filter((one) => !isEqual(one));
  const once = others.filter(isEqual).map((one) => twoScopesText(one.places.scope, true));
  const added = twice.map((one) => drift("two-scopes", twoScopesText(one.places.scope, false)));
  return { ...status, drift: [...own, ...added], notes: [...notes, ...once] };
}
