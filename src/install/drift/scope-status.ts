import { isDeepStrictEqual } from "node:util";
import { type ClientFault, clientFault, clientFaultText } from "../../engine/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import { type ClientInUse, clientInUse } from "../client/compiled-client.ts";
import {
  fromLockPath,
  type InstallRecord,
  type LockFile,
  readInstallRecord,
  readLockFile,
} from "../edit/install-record.ts";
import { inspectSettings, realFile } from "../edit/settings-file.ts";
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
import { type OwnEntry, type OwnEntryMarks, ownEntries } from "../plan/own-entries.ts";
import { isMatcherAsLocked } from "../plan/plan-entries.ts";
import { type Drift, drift, type InstalledScope, installCommand, repairCommand, twoScopesText } from "./advice.ts";
import { codeDrift, type Look } from "./code-drift.ts";
import { openOnCrash, policyDrift } from "./policy-drift.ts";

/** What is installed in one scope, and what is no longer as it was installed. */
export interface ScopeStatus {
  readonly places: ScopeFiles;
  readonly installed: boolean;
  readonly hooksFile?: string;
  readonly lock?: LockFile;
  /** This user's own notes about the install; another user's install has none here. */
  readonly record?: InstallRecord;
  /** The settings file is not valid JSON, so its entries are unknown. */
  readonly broken?: true;
  /** Our entries in the file. */
  readonly entries: readonly OwnEntry[];
  readonly daemon?: DaemonStatus & { readonly upToDate: boolean };
  readonly client?: ClientInUse;
  readonly drift: readonly Drift[];
  /** What changed without anything being wrong. */
  readonly notes: readonly string[];
}

/** Whether a settings file that is not valid JSON (the client ignores all of it) is thrown or reported as a problem of its scope. */
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
  return all.map((one) => ({ ...one, drift: [...one.drift, ...otherScopes(one, all)] }));
}

async function scopeStatus(
  places: ScopeFiles,
  target: InstallTarget,
  installer: Installer,
  look: Look,
  broken: Broken,
): Promise<ScopeStatus> {
  const lock = await readLockFile(places.lockFile);
  const record = await readInstallRecord(await realFile(places.settingsFile), installer.home);
  const known =
    lock === undefined
      ? (record?.hooksFile ?? unlessProblem(() => hooksFileFor(places.scope, undefined, target)))
      : fromLockPath(places.lockFile, lock.hooksPath);
  const marks: OwnEntryMarks = {
    root: places.root,
    hooksFiles: known === undefined ? [] : [known],
    calls: lock ? [lock.command] : [],
  };
  const { settings, text, problem } = await inspectSettings(places.settingsFile);
  const fault = clientFault(text);
  if (problem !== undefined && (fault === undefined || broken === "throw")) throw problem;
  const entries = ownEntries(settings, marks);
  const installed = lock !== undefined || entries.length > 0;
  const base = { places, installed, entries, ...defined({ lock, record }) };
  if (problem !== undefined && fault !== undefined) {
    // Nothing can be said about the entries, so the fault is reported whether a lock file names the app or not.
    const hooksFile = lock && known;
    const dropped = faultDrift(fault, { places, lock, record, hooksFile });
    return { ...base, ...defined({ hooksFile }), broken: true, drift: [dropped], notes: [] };
  }
  if (!installed || known === undefined) return { ...base, drift: [], notes: [] };
  const code = await codeDrift(known, lock, record, places, target, installer, look);
  const daemon = await installer.daemon?.daemonStatus(known);
  const advised = { places, hooksFile: known, lock, record };
  const stranger = await strangerOnPort(entries, daemon, repairCommand(advised));
  const http = httpReport(entries, record);
  const crash = openOnCrash(entries, installCommand(advised), target.env);
  const client = await clientInUse(entries, lock, places.root, installer.home);
  return {
    ...base,
    hooksFile: known,
    ...defined({ client, daemon: daemon && { ...daemon, upToDate: daemon.sourceHash === code.contentHash } }),
    drift: [
      ...(fault === undefined ? [] : [faultDrift(fault, advised)]),
      ...entryDrift(entries, lock, record),
      ...(lock === undefined
        ? [drift("lock-missing", `${places.lockFile} is missing; ${installCommand(advised)} writes it again.`)]
        : []),
      ...code.drift,
      ...(stranger === undefined ? [] : [drift("port-taken", stranger)]),
      ...http.drift,
      ...crash.drift,
      ...(await policyDrift(places, target, entries, known)),
    ],
    notes: [...code.notes, ...http.notes, ...crash.notes],
  };
}

function faultDrift(fault: ClientFault, advised: InstalledScope): Drift {
  const { settingsFile } = advised.places;
  const message = clientFaultText(settingsFile, fault, installCommand(advised));
  return { ...drift("client-cannot-read", message), place: `${settingsFile}:${fault.line}:${fault.column}` };
}

function entryDrift(
  entries: readonly OwnEntry[],
  lock: LockFile | undefined,
  record: InstallRecord | undefined,
): readonly Drift[] {
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

function otherScopes({ places, installed, hooksFile }: ScopeStatus, all: readonly ScopeStatus[]): readonly Drift[] {
  if (!installed || hooksFile === undefined) return [];
  const isOther = (one: ScopeStatus): boolean =>
    one.installed && one.places.scope !== places.scope && one.hooksFile !== undefined;
  const others = all.filter((one) => isOther(one) && appKey(one.hooksFile ?? "") === appKey(hooksFile));
  return others.map((one) => drift("two-scopes", twoScopesText(one.places.scope)));
}
