import { type ClientUse, repairCommand, type ScopeStatus } from "../../install/internal.ts";
import { escapeControls, type Warning } from "../../protocol/internal.ts";
import { plural } from "./figures.ts";
import { jsonText, type Style } from "./terminal.ts";

export function statusText(installed: readonly ScopeStatus[], warnings: readonly Warning[], style: Style): string {
  const nothing = ["Nothing is installed here. Install an app with npx hookline install."];
  const scopes = installed.map((one) => scopeLines(one, style));
  const warned = warnings.map(({ code, message }) => `${style.yellow("warning")} ${code}: ${escapeControls(message)}`);
  return [...(scopes.length === 0 ? [nothing] : scopes), ...(warned.length === 0 ? [] : [warned])]
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function scopeLines(status: ScopeStatus, style: Style): readonly string[] {
  const { places, hooksFile, lock, record, entries, client, daemon, drift, notes, broken } = status;
  if (broken === true) {
    return [
      `${style.bold(places.scope)}  ${style.yellow("cannot be read")}`,
      ...(hooksFile === undefined ? [] : [`  hooks      ${escapeControls(hooksFile)}`]),
      `  settings   ${escapeControls(places.settingsFile)}`,
      ...driftLines(status, style),
    ];
  }
  const running =
    daemon === undefined
      ? "not running"
      : `pid ${daemon.pid} on port ${daemon.port} since ${new Date(daemon.since).toISOString()}, version ${daemon.version}, ${daemon.upToDate ? "code is up to date" : "code is older than on disk"}`;
  return [
    `${style.bold(places.scope)}  ${drift.length === 0 ? style.green("in sync") : style.yellow(faultLabel(status))}`,
    `  hooks      ${escapeControls(hooksFile ?? "")}`,
    `  settings   ${escapeControls(places.settingsFile)}  (${plural(entries.length, "entry", "entries")})`,
    `  transport  ${lock?.transport ?? "unknown"}${chosenTransports(record)}`,
    ...(client === undefined ? [] : [`  client     ${clientLabel(client)}`]),
    `  daemon     ${escapeControls(running)}`,
    ...driftLines(status, style),
    ...(drift.some(({ kind }) => kind.startsWith("entry-"))
      ? [`  ${escapeControls(repairCommand({ places, hooksFile, lock, record }))} restores the entries.`]
      : []),
    ...notes.map((note) => `  ${style.dim(escapeControls(note))}`),
  ];
}

/** A handler that never runs was installed like that. */
function faultLabel({ drift }: ScopeStatus): string {
  const isDrift = drift.some(({ kind }) => kind !== "never-runs");
  return isDrift ? "drifted" : `installed, ${plural(drift.length, "problem")}`;
}

function driftLines({ drift }: ScopeStatus, style: Style): readonly string[] {
  return drift.map(({ kind, message }) => `  ${style.yellow(kind)}: ${escapeControls(message)}`);
}

/** The transport in use for each event. */
function chosenTransports(record: ScopeStatus["record"]): string {
  const entries = record?.entries ?? [];
  const used = [...new Set(entries.map(({ transport }) => transport))];
  const lists = used.map((transport) => {
    const events = entries.filter((one) => one.transport === transport).map(({ event }) => event);
    return `${transport}: ${events.join(", ")}`;
  });
  return lists.length === 0 ? "" : `  (${escapeControls(lists.join("; "))})`;
}

export function statusJson(all: readonly ScopeStatus[], warnings: readonly Warning[]): string {
  return jsonText({
    installed: all.some(({ installed }) => installed),
    inSync: all.every(({ drift }) => drift.length === 0),
    scopes: all.map(({ places, installed, hooksFile, lock, entries, client, daemon, drift, notes }) => ({
      scope: places.scope,
      settingsFile: places.settingsFile,
      installed,
      hooksFile: hooksFile ?? null,
      transport: lock?.transport ?? null,
      installedAt: lock?.installedAt ?? null,
      entries: entries.map(({ event }) => event),
      client: client?.form ?? null,
      clientProgram: client?.program ?? null,
      daemon: daemon ?? null,
      drift,
      notes,
    })),
    warnings,
  });
}

/** Which client does the work. A script that starts the compiled client takes longer than the client itself. */
export function clientLabel({ form, program, behindScript }: ClientUse): string {
  if (form === "compiled") return behindScript ? "compiled, started by a script" : form;
  return program === "none" ? noClient : "Perl";
}

export const noClient = "none: every call starts Node; install a C compiler (cc) or Perl";
