import { defined, type HttpHook, Problem, type ProblemCode } from "../../protocol/internal.ts";
import { compileClient } from "../client/compile-client.ts";
import { damagedClient, isCompiledClientPath, packageOfClient } from "../client/compiled-client.ts";
import { findPackage } from "../client/find-package.ts";
import { writeEntries } from "../edit/install-entries.ts";
import { restrictToOwner } from "../edit/settings-file.ts";
import { type Installer, usedCall } from "../install-app.ts";
import { type HookCommands, hookCommands } from "../plan/hook-command.ts";
import type { HttpEndpoint } from "../plan/http-entries.ts";
import { type InstallScope, type InstallTarget, installScopes, type ScopeFiles } from "../plan/install-places.ts";
import type { PlannedEntry } from "../plan/own-entries.ts";
import { installCommand } from "./advice.ts";
import { makeExecutable, missingPrograms, withCurrentPaths } from "./fix-stale-paths.ts";
import { holdsToken } from "./install-findings.ts";
import { type ScopeStatus, statusOf } from "./scope-status.ts";

/** What was done, or why nothing could be. */
export interface InstallRepair {
  readonly done: boolean;
  readonly message: string;
  /** A file that cannot be read, so that nothing in its scope could be repaired. */
  readonly unreadable?: true;
  /** Entries that were written, which the user may have to approve. */
  readonly wrote?: { readonly places: ScopeFiles; readonly planned: readonly PlannedEntry[] };
}

type Repairs = readonly InstallRepair[];

/**
 * Brings what a lock file describes back into the settings, as this user's install wrote it, by the same careful edits.
 * Contract: nothing is installed that was not; no code of the project is run; a scope that cannot be read keeps no other from being
 * repaired.
 */
export async function repairInstall(target: InstallTarget, installer: Installer): Promise<Repairs> {
  const repairs: InstallRepair[] = [];
  for (const scope of installScopes) repairs.push(...(await repairScope(scope, target, installer)));
  return repairs;
}

async function repairScope(scope: InstallScope, target: InstallTarget, installer: Installer): Promise<Repairs> {
  const found = await orWhy(statusOf(target, installer, [scope], "nothing"));
  if ("why" in found) return [{ done: false, message: found.why, unreadable: true }];
  const [status] = found;
  if (status?.lock === undefined) return [];
  const { env } = target;
  const { settingsFile: file } = status.places;
  return [
    ...(await stopOldDaemon(status, installer)),
    ...(await executable(status)),
    ...(await compiledAgain(status, env, installer)),
    ...(await restoreEntries(status, env, installer)),
    ...(holdsToken(status) && (await restrictToOwner(file))
      ? [{ done: true, message: `${file} holds a token; only you can read it now.` }]
      : []),
  ];
}

async function stopOldDaemon({ daemon, hooksFile }: ScopeStatus, installer: Installer): Promise<Repairs> {
  if (daemon === undefined || daemon.version === installer.version || hooksFile === undefined) return [];
  await installer.daemon?.stopDaemon(hooksFile);
  const message = `Stopped the daemon of version ${daemon.version}; the next call starts a new one.`;
  return [{ done: true, message }];
}

async function executable(status: ScopeStatus): Promise<Repairs> {
  try {
    return (await makeExecutable(status)).map((path) => ({ done: true, message: `${path} may be executed now.` }));
  } catch (error) {
    const message = `What the entries call may not be executed, and that could not be changed: ${String(error)}`;
    return [{ done: false, message }];
  }
}

/** A compiled client that was removed or damaged comes back where it was, as long as its package is the same. */
async function compiledAgain(
  status: ScopeStatus,
  env: InstallTarget["env"],
  { packageRoot, home }: Installer,
): Promise<Repairs> {
  const { hooksFile } = status;
  const gone =
    missingPrograms(status).find((path) => isCompiledClientPath(path, home)) ??
    (hooksFile === undefined ? undefined : damagedClient({ ...status, hooksFile }, home));
  if (gone === undefined) return [];
  const made = await compileClient({ packageRoot: (await packageOfClient(gone)) ?? packageRoot, home, env });
  return "program" in made && made.program === gone
    ? [{ done: true, message: `Compiled the client ${gone} again.` }]
    : [];
}

/** The entries as they were written, except for a port that another process has and programs that are missing or outdated. */
async function restoreEntries(status: ScopeStatus, env: InstallTarget["env"], installer: Installer): Promise<Repairs> {
  const { places, lock, record, drift, client } = status;
  if (lock === undefined) return [];
  const is = (...kinds: string[]) => drift.some(({ kind }) => kinds.includes(kind));
  const gone = [...missingPrograms(status), ...(client?.stale === true ? [client.path] : [])];
  if (!is("entry-missing", "entry-altered", "entry-left", "port-taken") && gone.length === 0) return [];
  if (record === undefined) {
    const message = `${places.settingsFile} was installed by another user, or in another directory; ${installCommand(status)} fixes it.`;
    return [{ done: false, message }];
  }
  // How entries would be written now. Throws a `Problem` when nothing is there that they could call.
  const callsOfNow = async (): Promise<HookCommands> => {
    const { packageRoot: running, node, home } = installer;
    const { scope, root } = places;
    const packageRoot = await findPackage({ scope, root, running, home, dryRun: false });
    const made = await compileClient({ packageRoot, home, env });
    const compiledClient = "program" in made ? made.program : undefined;
    return hookCommands({ scope, root, hooksFile: record.hooksFile, packageRoot, node, compiledClient });
  };
  const now = gone.length === 0 ? undefined : await orWhy(callsOfNow());
  const calls = now !== undefined && "client" in now ? now : undefined;
  const fresh = is("port-taken") ? await installer.daemon?.endpointFor(record.hooksFile, { fresh: true }) : undefined;
  const moved = calls === undefined ? record.entries : withCurrentPaths(record.entries, lock, calls, places.root, gone);
  const planned = fresh === undefined ? moved : moved.map((entry) => withEndpoint(entry, fresh, record.tokenEnv));
  const install = writeEntries({
    places,
    hooksFile: record.hooksFile,
    planned,
    lock: calls === undefined ? lock : { ...lock, command: usedCall(planned, calls) },
    calls: [lock.command, ...Object.values(calls ?? {})],
    home: installer.home,
    now: installer.now(),
    ...defined({ tokenEnv: record.tokenEnv, httpConsent: record.httpConsent, signal: installer.signal }),
  });
  // A file that Claude Code drops, or one outside the project, is not repaired by entries; its owner has to correct it.
  const installed = await orWhy(install, ["settings/client-cannot-read", "install/link-out"]);
  if ("why" in installed) return [{ done: false, message: installed.why }];
  const port = fresh === undefined ? "" : ` The port is ${fresh.port} now, with a new token.`;
  const call = calls === undefined ? "" : ` They call what is there now in place of ${gone.join(", ")}.`;
  const message = `Put the entries back into ${places.settingsFile}.${port}${call}`;
  return [
    ...(now !== undefined && "why" in now ? [{ done: false, message: now.why }] : []),
    ...(installed.settings.changed ? [{ done: true, message, wrote: { places, planned } }] : []),
  ];
}

/** The result, or the message of the `Problem` that was thrown, if it has one of the codes. */
async function orWhy<T>(work: Promise<T>, codes?: readonly ProblemCode[]): Promise<T | { readonly why: string }> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && (codes?.includes(error.code) ?? true)) return { why: error.message };
    throw error;
  }
}

function withEndpoint(entry: PlannedEntry, { url, token }: HttpEndpoint, tokenEnv?: string): PlannedEntry {
  const [hook] = entry.group.hooks;
  if (hook.type !== "http") return entry;
  const { search } = new URL(hook.url);
  const headers = tokenEnv === undefined ? { Authorization: `Bearer ${token}` } : hook.headers;
  const moved: HttpHook = { ...hook, url: `${url}${search}`, ...defined({ headers }) };
  return { ...entry, group: { ...entry.group, hooks: [moved] } };
}
