import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DaemonRecord, HomeSource } from "../files/internal.ts";
import { defined, eventRow, handlersThatNeverRun, isEventName, Problem } from "../protocol/internal.ts";
import { appKey, type HandledEvent } from "../sdk/internal.ts";
import { compileClient } from "./client/compile-client.ts";
import { type ClientUse, scriptProgram } from "./client/compiled-client.ts";
import { clientObstacle, findPackage, findProgram } from "./client/find-package.ts";
import { otherScopeNotes, replacedAppNote, wakingNote } from "./drift/advice.ts";
import { type WrittenEntries, writeEntries } from "./edit/install-entries.ts";
import { installNotes, lockVersion, readLockFile, toLockPath } from "./edit/install-record.ts";
import { type HookCommands, hookCommands } from "./plan/hook-command.ts";
import { type HttpEndpoint, hasHttpEntries, namesApp } from "./plan/http-entries.ts";
import {
  hooksFileFor,
  type InstallTarget,
  isUserScopeFile,
  projectRoot,
  type ScopeFiles,
  scopeFiles,
} from "./plan/install-places.ts";
import { type AppReport, introspect, introspector } from "./plan/introspect.ts";
import type { PlannedEntry } from "./plan/own-entries.ts";
import { type EntryChoices, needsEndpoint, planEntries, transportNotes } from "./plan/plan-entries.ts";

/** What the program that installs provides: itself, and the daemon if it has one. */
export interface Installer {
  /** The package that runs now. */
  readonly packageRoot: string;
  readonly version: string;
  readonly node: string;
  readonly home: HomeSource;
  readonly daemon?: DaemonControl;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
}

/** What installing needs of the warm daemon. Passed in, because this module and the daemon do not import each other. */
export interface DaemonControl {
  /** Where the app will be reached; kept on disk, so that port and token stay. `fresh` chooses others. */
  endpointFor(hooksFile: string, options?: { readonly fresh?: boolean }): Promise<HttpEndpoint>;
  daemonStatus(hooksFile: string): Promise<DaemonStatus | undefined>;
  /** False when none ran. */
  stopDaemon(hooksFile: string): Promise<boolean>;
  /** Forgets port and token, and stops the daemon. */
  dropEndpoint(hooksFile: string): Promise<void>;
}

export type DaemonStatus = Pick<DaemonRecord, "pid" | "since" | "port" | "version" | "sourceHash">;

export interface InstallRequest extends InstallTarget, EntryChoices {
  readonly file?: string;
  readonly stripComments?: boolean;
  readonly dryRun?: boolean;
}

export type InstallOutcome =
  | { readonly is: "no-handlers"; readonly hooksFile: string; readonly prints: string }
  | {
      readonly is: "installed";
      readonly hooksFile: string;
      readonly places: ScopeFiles;
      readonly planned: readonly PlannedEntry[];
      readonly installed: WrittenEntries;
      /** Absent when no entry calls the client. */
      readonly client?: ClientUse;
      /** What the hooks file printed while it was loaded. */
      readonly prints: string;
      /** What the user should know about the choice. */
      readonly notes: readonly string[];
      /** Handlers that never run, a sentence each. */
      readonly warnings: readonly string[];
    };

/** From a hooks file to entries in settings. Contract: nothing is written unless all of it can be. */
export async function installApp(request: InstallRequest, installer: Installer): Promise<InstallOutcome> {
  const { scope, transport, dryRun = false, env, tokenEnv } = request;
  const { home, daemon, signal } = installer;
  const places = scopeFiles(scope, request);
  const hooksFile = hooksFileFor(scope, request.file, request);
  const root = scope === "user" ? places.root : projectRoot(request);
  if (await isUserScopeFile(places, request)) throw usersOwn(places);
  // In user scope the folder around Claude Code's own may not be there yet.
  const app = await introspectApp(hooksFile, scope === "user" ? dirname(hooksFile) : root, request, installer);
  if (app.events.length === 0) return { is: "no-handlers", hooksFile, prints: app.prints };
  const packageRoot = await findPackage({ scope, root, running: installer.packageRoot, home, dryRun });
  const cold = daemon === undefined ? "there is no daemon" : clientObstacle(packageRoot, env);
  const warm = cold === undefined;
  const choice = { ...request, ...defined({ cold }), sh: findProgram("sh", env) !== undefined };
  const openEndpoint = async () => (dryRun ? plannedEndpoint(hooksFile, places, home) : daemon?.endpointFor(hooksFile));
  const endpoint = needsEndpoint(app.events, choice) ? await openEndpoint() : undefined;
  const made = warm && transport !== "run" ? await compileClient({ packageRoot, home, env, dryRun }) : { why: "" };
  const compiledClient = "program" in made ? made.program : undefined;
  const calls = hookCommands({ scope, root, hooksFile, packageRoot, node: installer.node, compiledClient });
  const planned = planEntries(app.events, { ...choice, calls, ...defined({ endpoint }) });
  const old = await readLockFile(places.lockFile);
  const installed = await writeEntries({
    places,
    hooksFile,
    planned,
    calls: Object.values(calls),
    lock: {
      version: lockVersion,
      installedAt: installer.now().toISOString(),
      hooksPath: toLockPath(places.lockFile, hooksFile),
      hooksRegistered: registeredIds(app.events),
      settingsFile: toLockPath(places.lockFile, places.settingsFile),
      command: usedCall(planned, calls),
      transport,
      contentHash: app.contentHash,
      ...(request.allEvents ? { allEvents: true } : {}),
    },
    ...(transport === "http" ? { httpConsent: request.httpConsent ?? {} } : {}),
    home,
    now: installer.now(),
    stripComments: request.stripComments === true,
    dryRun,
    ...defined({ tokenEnv, signal }),
  });
  const ended = await endOldToken(hooksFile, installed, request, installer);
  const behindScript = scope === "project" ? { behindScript: true as const } : {};
  const client: ClientUse =
    "program" in made
      ? { form: "compiled", program: "compiled", ...behindScript }
      : { form: "script", program: scriptProgram(), why: made.why };
  return {
    is: "installed",
    hooksFile,
    places,
    planned,
    installed,
    ...(planned.some((one) => one.transport === "client") ? { client } : {}),
    prints: app.prints,
    notes: [
      ...replacedAppNote(old, places, hooksFile),
      ...(await otherScopeNotes(places, hooksFile, request, planned)),
      ...ended,
      ...transportNotes(planned, choice),
      ...(request.allEvents || client.program === "none" ? [] : wakingNote(planned, app.events)),
    ],
    warnings: app.events.flatMap(({ event, ids }) => handlersThatNeverRun(event, ids)),
  };
}

/** A token in settings may have leaked to the process that took the port. Once no entry holds it, it is no longer valid. */
async function endOldToken(
  hooksFile: string,
  { settings: { before, after, changed } }: WrittenEntries,
  request: InstallRequest,
  { daemon }: Installer,
): Promise<readonly string[]> {
  if (!changed || !namesApp(before, hooksFile) || namesApp(after, hooksFile)) return [];
  if (request.dryRun) return ["The http entries are replaced."];
  if (await hasHttpEntries(hooksFile, request))
    return ["The http entries were replaced. Another scope still has some."];
  await daemon?.endpointFor(hooksFile, { fresh: true });
  return ["The http entries were replaced, and their token is no longer valid."];
}

/** Entries with paths of one project would fail in every other one. */
function usersOwn({ settingsFile }: ScopeFiles): Problem {
  const message = `${settingsFile} holds your own settings, which apply in every directory. Use --scope user, or --scope local for this directory alone.`;
  return new Problem("install/no-project", message, { about: { file: settingsFile } });
}

/** A dry run leaves no trace: what loading would keep for the next time goes to a temporary folder. */
async function introspectApp(
  file: string,
  cwd: string,
  request: InstallRequest,
  installer: Installer,
): Promise<AppReport> {
  const options = { program: introspector(installer), cwd, ...defined({ signal: installer.signal }) };
  if (!request.dryRun) return introspect(file, { ...options, env: request.env });
  const scratch = await mkdtemp(join(tmpdir(), "hookline-dry-"));
  try {
    return await introspect(file, { ...options, env: { ...request.env, HOOKLINE_HOME: scratch } });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A dry run chooses no port: one that is not known yet is shown as 0. */
async function plannedEndpoint(file: string, { settingsFile }: ScopeFiles, home: HomeSource): Promise<HttpEndpoint> {
  const url = `http://127.0.0.1:0/v1/hook/${appKey(file)}`;
  const record = await (await installNotes(settingsFile, home)).read();
  return (record && endpointIn(record.entries)) ?? { port: 0, token: "(chosen at install)", url };
}

/** Port and token as entries have them. */
function endpointIn(entries: readonly PlannedEntry[]): HttpEndpoint | undefined {
  const hook = entries.map(({ group }) => group.hooks[0]).find(({ type }) => type === "http");
  if (hook?.type !== "http") return undefined;
  const { origin, pathname, port } = new URL(hook.url);
  return {
    port: Number(port),
    url: origin + pathname,
    token: hook.headers?.["Authorization"]?.replace(/^Bearer /, "") ?? "",
  };
}

/** The call that the lock file names. */
export function usedCall(planned: readonly PlannedEntry[], calls: HookCommands): readonly string[] {
  return planned.some(({ transport }) => transport === "run") ? calls.run : calls.client;
}

/** `PostToolUse:*` for a handler that takes every tool, `Stop` where there is nothing to choose. Sorted. */
export function registeredIds(events: readonly HandledEvent[]): readonly string[] {
  const isMatched = (event: string) => isEventName(event) && eventRow(event).matchesOn !== null;
  const ids = events.flatMap(({ event, ids }) =>
    ids.map((id) => (id === event && isMatched(event) ? `${event}:*` : id)),
  );
  return [...new Set(ids)].sort();
}
