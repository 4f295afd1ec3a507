import { accessSync, constants, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Finding } from "../../engine/internal.ts";
import { type HomeSource, ignoringErrors, statePath, tempName } from "../../files/internal.ts";
import { groupBy, messageOf, Problem, parseObject, systemErrorMessage } from "../../protocol/internal.ts";
import { findCompiler } from "../client/compile-client.ts";
import { type ClientInUse, compiledClientPath } from "../client/compiled-client.ts";
import { modeOf, outermostMissing } from "../edit/settings-file.ts";
import type { Installer } from "../install-app.ts";
import { httpReport } from "../plan/http-entries.ts";
import { type InstallScope, type InstallTarget, installScopes } from "../plan/install-places.ts";
import { installCommand, repairCommand } from "./advice.ts";
import { type InstallFindingCode, installFindingCodes } from "./finding-codes.ts";
import { noClientNotes } from "./fix-stale-paths.ts";
import { parentSettings } from "./never-running.ts";
import { compareScopes, type ScopeStatus, statusOf } from "./scope-status.ts";

/** What is wrong with what was installed here, and the client that each scope's entries come to. */
export interface InstallReport {
  readonly findings: readonly Finding[];
  readonly clients: readonly (ClientInUse & { readonly scope: InstallScope })[];
}

/** Runs no code of the app. Writes nothing but a small file in the state directory, which it removes. */
export async function installReport(
  target: InstallTarget,
  installer: Installer,
  given: readonly string[] = [],
): Promise<InstallReport> {
  const { statuses, unreadable } = await allStatuses(target, installer);
  const installed = statuses.filter((one) => one.installed);
  const found = await Promise.all(installed.map((one) => findingsOf(one, target, installer)));
  const slow = installed.length === 0 ? [] : await slowHandlers(installer.home);
  const { level } = installFindingCodes["parent-settings"];
  const parents = (await parentSettings(target, given)).map((one) => ({ ...one, level }));
  return {
    findings: [...unreadable, ...(await stateFindings(installer.home)), ...parents, ...found.flat(), ...slow],
    clients: installed.flatMap(({ places: { scope }, client }) => (client === undefined ? [] : [{ ...client, scope }])),
  };
}

/** A full disk refuses only what is written. A missing directory is not created. */
async function stateFindings(home: HomeSource): Promise<readonly Finding[]> {
  const place = statePath(home);
  const probe = tempName(join(place, "probe"));
  const missing = await outermostMissing(place);
  try {
    if (missing === undefined) writeFileSync(probe, "x".repeat(4096), { mode: 0o600, flag: "wx" });
    else accessSync(`${dirname(missing)}/.`, constants.W_OK);
    return [];
  } catch (error) {
    const message = `The state directory ${place} cannot be written: ${systemErrorMessage(error) ?? messageOf(error)}`;
    return [{ level: "error", code: "state-unwritable", message, place }];
  } finally {
    if (missing === undefined) rmSync(probe, { force: true });
  }
}

async function allStatuses(target: InstallTarget, installer: Installer) {
  const statuses: ScopeStatus[] = [];
  const unreadable: Finding[] = [];
  for (const scope of installScopes) {
    try {
      statuses.push(...(await statusOf(target, installer, [scope], "parse", "report")));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const place = String(error.about["path"] ?? "");
      unreadable.push({ level: "error", code: "install-drift", message: error.message, place });
    }
  }
  return { statuses: compareScopes(statuses), unreadable };
}

async function findingsOf(
  status: ScopeStatus,
  { env }: InstallTarget,
  installer: Installer,
): Promise<readonly Finding[]> {
  const { places, lock, entries, drift, daemon } = status;
  const { settingsFile } = places;
  const at = (code: InstallFindingCode, message: string): Finding => ({
    level: installFindingCodes[code].level,
    code,
    message,
    place: settingsFile,
  });
  const cure = repairCommand(status);
  if (status.broken !== true && lock !== undefined && entries.length === 0) {
    const message = `${settingsFile} no longer has Hookline's entries, although ${places.lockFile} lists them. ${cure} puts them back.`;
    return [at("hooks-dropped", message)];
  }
  const mode = (await modeOf(settingsFile)) ?? 0;
  const isCompilable = couldBeCompiled(status, env, installer);
  const staleClient = `${status.client?.path} was compiled from an earlier state of its package. ${cure} makes another.`;
  const onlyScript = `The entries call a script. ${installCommand(status)} lets them call a compiled client.`;
  const noClient = `Every call starts Node: there is neither a compiled client nor Perl. Install Perl, or a C compiler (cc) and then: ${installCommand(status)}`;
  const readableToken = `${settingsFile} holds a token and others may read it (mode ${(mode & 0o777).toString(8)}). hookline doctor --fix makes it readable only by you.`;
  const oldDaemon = `The daemon (process ${daemon?.pid}) has version ${daemon?.version}, this is ${installer.version}. It exits at the next call, or at once with hookline doctor --fix.`;
  const found: readonly (readonly [holds: boolean, code: InstallFindingCode, message: string])[] = [
    [status.client?.stale === true, "client-stale", staleClient],
    [isCompilable, "client-script", onlyScript],
    [status.client?.program === "none" && !isCompilable, "client-none", noClient],
    [holdsToken(status) && (mode & 0o077) !== 0, "token-readable", readableToken],
    [daemon !== undefined && daemon.version !== installer.version, "daemon-stale", oldDaemon],
  ];
  return [
    ...drift.flatMap(({ kind, message, place }) => {
      // The check of all settings reports it.
      if (kind === "settings-unreadable") return [];
      if (kind === "client-cannot-read") return { ...at(kind, message), place: place ?? settingsFile };
      if (kind === "hooks-file-broken") return { ...at(kind, message), place: status.hooksFile ?? settingsFile };
      return at(Object.hasOwn(installFindingCodes, kind) ? (kind as InstallFindingCode) : "install-drift", message);
    }),
    ...httpReport(status).notes.map((note) => ({ ...at("http-entry", note), level: "note" as const })),
    ...noClientNotes(status, env).map((note) => at("client-none", note)),
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
async function slowHandlers(home: HomeSource): Promise<readonly Finding[]> {
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
