import { existsSync, statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import type { HomeSource } from "../../files/internal.ts";
import type { CommandHook } from "../../protocol/internal.ts";
import { damagedClient } from "../client/compiled-client.ts";
import { bashObstacle, clientShell } from "../client/find-package.ts";
import type { LockFile } from "../edit/install-record.ts";
import {
  failClosedCommand,
  type HookCommands,
  isFailClosed,
  projectDir,
  shellLine,
  unwrapCommand,
} from "../plan/hook-command.ts";
import type { InstallTarget } from "../plan/install-places.ts";
import type { PlannedEntry } from "../plan/own-entries.ts";
import { type Drift, drift, type InstalledApp, type InstalledScope, installCommand, repairCommand } from "./advice.ts";

/** Programs without which the entries cannot run. */
export function programDrift(app: InstalledApp, env: InstallTarget["env"], home: HomeSource): readonly Drift[] {
  const { lock, places } = app;
  const inLock = lock === undefined ? [] : missingPaths(lock.command, places.root);
  const cure = repairCommand(app);
  const damaged = damagedClient(app, home);
  const noBash = `The client needs a bash in PATH and at ${clientShell}. Install it there, or: ${installCommand(app, "run")}`;
  return [
    ...[...new Set([...inLock, ...missingPrograms(app)])].map((path) =>
      drift("package-missing", `${path} does not exist; ${cure} makes the entries call the installed package.`),
    ),
    ...(damaged === undefined
      ? []
      : [drift("client-damaged", `${damaged} is not as it was compiled. ${cure} compiles it again.`)]),
    ...(callsClient(app) && bashObstacle(env) !== undefined ? [drift("bash-missing", noBash)] : []),
  ];
}

function callsClient({ entries }: Pick<InstalledApp, "entries">): boolean {
  return entries.some(({ value }) => JSON.stringify(value).includes("hookline-client"));
}

/** Where install chose entries that start Node because the client cannot run. */
export function noClientNotes(app: Omit<InstalledApp, "hooksFile">, env: InstallTarget["env"]): readonly string[] {
  const why = bashObstacle(env);
  if (app.lock?.transport !== "auto" || app.entries.length === 0 || callsClient(app) || why === undefined) return [];
  return [
    `Every call starts Node, because the client cannot run here: ${why}. Install it there, then: ${installCommand(app)}`,
  ];
}

/** Paths of a call that do not exist, without the hooks file: a missing hooks file is drift. */
function missingPaths(call: readonly string[], root: string): readonly string[] {
  return programsOf(call, root).filter((path) => !existsSync(path));
}

/** Paths that the installed entries call and that do not exist, each once. */
export function missingPrograms({ lock, record, places }: InstalledScope): readonly string[] {
  if (lock === undefined || record === undefined) return [];
  return [...new Set(record.entries.flatMap((entry) => missingPaths(callOf(entry, lock), places.root)))];
}

/** Entries with paths that exist: those with a missing path get the current command, and keep everything else. */
export function withCurrentPaths(
  entries: readonly PlannedEntry[],
  lock: LockFile,
  calls: HookCommands,
  root: string,
  gone: readonly string[],
): readonly PlannedEntry[] {
  return entries.map((entry) => {
    const [hook] = entry.group.hooks;
    if (hook.type !== "command" || entry.transport === "http") return entry;
    if (!programsOf(callOf(entry, lock), root).some((path) => gone.includes(path))) return entry;
    return { ...entry, group: { ...entry.group, hooks: [withCall(hook, calls[entry.transport])] } };
  });
}

/** Makes our scripts that an entry calls executable for everyone who may read them; returns their paths. */
export async function makeExecutable({ lock, record, places }: InstalledScope): Promise<readonly string[]> {
  // Only what this user's own notes name: a lock file may come with a checkout.
  if (lock === undefined || record === undefined) return [];
  const scripts = record.entries
    .filter(({ transport }) => transport === "client")
    .flatMap((entry) => programsOf(callOf(entry, lock), places.root).slice(0, 1));
  const done: string[] = [];
  for (const path of new Set(scripts)) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || (stat.mode & 0o100) !== 0) continue;
    await chmod(path, (stat.mode & 0o7777) | ((stat.mode & 0o444) >> 2));
    done.push(path);
  }
  return done;
}

/** The call of an entry without what depends on the event. A line for a shell is known if it is the lock file's own. */
function callOf({ group: { hooks } }: PlannedEntry, { command }: LockFile): readonly string[] {
  const [hook] = hooks;
  if (hook.type !== "command") return [];
  if (hook.args === undefined) return hook.command.startsWith(`${shellLine(command)} `) ? command : [];
  const words = unwrapCommand([hook.command, ...hook.args]);
  return words.slice(0, words.indexOf(mode));
}

function programsOf(call: readonly string[], root: string): readonly string[] {
  return call
    .slice(0, -1)
    .map((word) => word.replaceAll(projectDir, root))
    .filter((word) => /[\\/]/.test(word));
}

function withCall(hook: CommandHook, call: readonly string[]): CommandHook {
  const { command, args } = hook;
  if (args === undefined)
    return { ...hook, command: `${shellLine(call)}${command.slice(command.lastIndexOf(` ${mode} `))}` };
  const whole = [...call, ...args.slice(args.indexOf(mode))];
  const [program = "", ...words] = isFailClosed([command, ...args]) ? failClosedCommand(whole) : whole;
  return { ...hook, command: program, args: words };
}

/** The first argument that depends on the event. */
const mode = "--on-failure";
