import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type HomeSource, ignoringErrors, statePath } from "../../files/internal.ts";
import { groupBy, Problem, parseObject } from "../../protocol/internal.ts";
import { findCompiler } from "../client/compile-client.ts";
import { type ClientForm, compiledClientPath } from "../client/compiled-client.ts";
import { clientShell, hasBash } from "../client/find-package.ts";
import { modeOf } from "../edit/settings-file.ts";
import type { Installer } from "../install-app.ts";
import { httpReport } from "../plan/http-entries.ts";
import { type InstallScope, type InstallTarget, installScopes } from "../plan/install-places.ts";
import { installCommand, repairCommand } from "./advice.ts";
import type { Look } from "./code-drift.ts";
import { type InstallFindingCode, installFindingCodes } from "./finding-codes.ts";
import { missingPaths, missingPrograms } from "./fix-stale-paths.ts";
import { type ScopeStatus, statusOf } from "./scope-status.ts";

/** What a user should know about an installed app, in the shape of the engine's findings. */
export interface InstallFinding {
  readonly level: "error" | "warning" | "note";
  readonly code: InstallFindingCode;
  readonly message: string;
  readonly place: string;
}

/** What is wrong with what was installed here. Runs no code of the app and writes nothing. */
export async function installFindings(target: InstallTarget, installer: Installer): Promise<readonly InstallFinding[]> {
  const { statuses, unreadable } = await allStatuses(target, installer, "parse");
  const installed = statuses.filter((one) => one.installed);
  const found = await Promise.all(installed.map((one) => findingsOf(one, target, installer)));
  return [...unreadable, ...found.flat(), ...(installed.length === 0 ? [] : await slowHandlers(installer.home))];
}

/** The client that each scope's entries come to. */
export async function clientsInUse(
  target: InstallTarget,
  installer: Installer,
): Promise<readonly { readonly scope: InstallScope; readonly client: ClientForm; readonly behindScript?: true }[]> {
  const { statuses } = await allStatuses(target, installer, "nothing");
  return statuses.flatMap(({ places: { scope }, client }) => {
    if (client === undefined) return [];
    const isBehind = client.isScript && client.form === "compiled";
    return [{ scope, client: client.form, ...(isBehind ? { behindScript: true as const } : {}) }];
  });
}

async function allStatuses(target: InstallTarget, installer: Installer, look: Look) {
  const statuses: ScopeStatus[] = [];
  const unreadable: InstallFinding[] = [];
  for (const scope of installScopes) {
    try {
      statuses.push(...(await statusOf(target, installer, [scope], look, "report")));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // An unreadable settings file is reported by the check of all settings.
      if (error.code.startsWith("settings/")) continue;
      const place = String(error.about["path"] ?? "");
      unreadable.push({ level: "error", code: "install-drift", message: error.message, place });
    }
  }
  return { statuses, unreadable };
}

async function findingsOf(
  status: ScopeStatus,
  { env }: InstallTarget,
  installer: Installer,
): Promise<readonly InstallFinding[]> {
  const { places, lock, entries, drift, daemon } = status;
  const { settingsFile } = places;
  const at = (code: InstallFindingCode, message: string): InstallFinding => ({
    level: installFindingCodes[code].level,
    code,
    message,
    place: settingsFile,
  });
  const cure = repairCommand(status);
  if (status.broken !== true && lock !== undefined && entries.length === 0) {
    const message = `${settingsFile} has no entry of ours any more, although ${places.lockFile} says it should. ${cure} puts them back.`;
    return [at("hooks-dropped", message)];
  }
  const inLock = lock === undefined ? [] : missingPaths(lock.command, places.root);
  const inEntries = lock === undefined ? [] : missingPrograms(status.record?.entries ?? [], lock, places.root);
  const client = entries.some(({ value }) => JSON.stringify(value).includes("hookline-client"));
  const mode = (await modeOf(settingsFile)) ?? 0;
  const noBash = `The client needs a bash in PATH and at ${clientShell}. Install it there, or: ${installCommand(status, "run")}`;
  const staleClient = `${status.client?.path} was compiled from an earlier state of its package. ${cure} makes another.`;
  const onlyScript = `The entries call a script. ${installCommand(status)} lets them call a compiled client.`;
  const readableToken = `${settingsFile} holds a token and others may read it (mode ${(mode & 0o777).toString(8)}). hookline doctor --fix makes it yours alone.`;
  const oldDaemon = `The daemon (process ${daemon?.pid}) is of version ${daemon?.version}, this is ${installer.version}. It leaves at the next call, or at once with hookline doctor --fix.`;
  const found: readonly (readonly [holds: boolean, code: InstallFindingCode, message: string])[] = [
    [client && !hasBash(env), "bash-missing", noBash],
    [status.client?.stale === true, "client-stale", staleClient],
    [couldBeCompiled(status, env, installer), "client-script", onlyScript],
    [holdsToken(status) && (mode & 0o077) !== 0, "token-readable", readableToken],
    [daemon !== undefined && daemon.version !== installer.version, "daemon-stale", oldDaemon],
  ];
  return [
    ...drift.map(({ kind, message, place }) => {
      if (kind === "client-cannot-read") return { ...at(kind, message), place: place ?? settingsFile };
      if (kind === "hooks-file-broken") return { ...at(kind, message), place: status.hooksFile ?? settingsFile };
      return at(kind === "http-entry" || kind === "never-runs" ? kind : "install-drift", message);
    }),
    ...httpReport(entries, status.record).notes.map((note) => ({ ...at("http-entry", note), level: "note" as const })),
    ...[...new Set([...inLock, ...inEntries])].map((path) =>
      at("package-missing", `${path} does not exist; ${cure} makes the entries call the installed package.`),
    ),
    ...found.filter(([holds]) => holds).map(([, code, message]) => at(code, message)),
  ];
}

/** Whether the script does the work itself although a compiled client could do it. */
function couldBeCompiled({ client }: ScopeStatus, env: InstallTarget["env"], { home }: Installer): boolean {
  if (client?.form !== "script" || env["HOOKLINE_CLIENT"] === "script" || findCompiler(env) === undefined) return false;
  return compiledClientPath({ packageRoot: dirname(dirname(client.path)), home }) !== undefined;
}

export function holdsToken({ entries }: Pick<ScopeStatus, "entries">): boolean {
  return entries.some(({ value }) => /"Bearer [^$]/.test(JSON.stringify(value)));
}

const tooSlowMs = 1_000;
const fewest = 5;

/** Handlers whose slowest calls take over a second, by the newest file of the hook log; the slowest first. */
async function slowHandlers(home: HomeSource): Promise<readonly InstallFinding[]> {
  const text = (await ignoringErrors(["ENOENT"], readFile(join(statePath(home), "log", "hooks.jsonl"), "utf8"))) ?? "";
  return [...groupBy(text.split("\n").flatMap(handlersIn), ({ name }) => name)]
    .filter(([, calls]) => calls.length >= fewest)
    .map(([name, calls]) => ({ name, calls: calls.length, slowMs: slowestTwentieth(calls.map(({ ms }) => ms)) }))
    .filter(({ slowMs }) => slowMs > tooSlowMs)
    .sort((a, b) => b.slowMs - a.slowMs)
    .map(({ name, calls, slowMs }) => {
      const seconds = (slowMs / 1_000).toFixed(1);
      const message = `${name} is slow: of its last ${calls} calls the slowest twentieth took ${seconds} s or more. The agent waits for it.`;
      return { level: "note", code: "handler-slow", message, place: name };
    });
}

function handlersIn(line: string): readonly { readonly name: string; readonly ms: number }[] {
  // The last line of a file may be half written.
  const handlers = parseObject(line)?.["handlers"];
  if (!Array.isArray(handlers)) return [];
  return handlers.filter((one) => typeof one?.name === "string" && typeof one.ms === "number");
}

/** The slowest twentieth of the calls, and at least one, took this long or longer. */
function slowestTwentieth(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0);
}
