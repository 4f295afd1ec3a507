import { basename } from "node:path";
import type { ClientUse, InstallOutcome, ScopeFiles, Uninstalled } from "../../install/internal.ts";
import { escapeControls } from "../../protocol/internal.ts";
import type { ApprovalResult } from "../commands/approve-entries.ts";
import { unifiedDiff } from "./diff.ts";
import { noClient } from "./install-status.ts";
import { jsonText, type Style } from "./terminal.ts";

type Done = Extract<InstallOutcome, { is: "installed" }>;

const mostLines = 100;

/** What a hooks file printed while it was loaded, for stderr. */
export function printsText(prints: string, file: string): string {
  if (prints === "") return "";
  const all = prints.split("\n");
  const left = all.length - mostLines;
  const more = left > 0 ? [`  … and ${left} more lines\n`] : [];
  const lines = [...all.slice(0, mostLines).map((line) => `  ${escapeControls(line.slice(0, 500))}\n`), ...more];
  return `${escapeControls(file)} printed while it was loaded:\n${lines.join("")}`;
}

export function installText(done: Done, approval: ApprovalResult, dryRun: boolean, style: Style): string {
  const { places, installed, notes, warnings, hooksFile } = done;
  const { settings, lockWritten, backup } = installed;
  const tail = [
    ...warnings.map((warning) => `${style.red("warning")}  ${escapeControls(warning)}`),
    ...notes.map((note) => `${style.yellow("note")}     ${escapeControls(note)}`),
    ...approval.refused.map(
      ({ event, why }) => `${style.red("warning")}  ${event} is not approved: ${escapeControls(why)}`,
    ),
  ];
  if (dryRun) {
    const diff = unifiedDiff(places.settingsFile, oldSettings(settings), maskTokens(settings.after), style);
    const same = settings.changed ? "would get a new token" : "would not change";
    return `${diff === "" ? `${escapeControls(places.settingsFile)} ${same}.\n` : diff}${linesOf(tail)}`;
  }
  const head =
    settings.changed || lockWritten
      ? [
          `${style.green("installed")} ${escapeControls(hooksFile)}`,
          `  into   ${escapeControls(places.settingsFile)}`,
          ...done.planned.map(
            ({ event, transport, group }) =>
              `  ${transport.padEnd(6)} ${event}${group.matcher ? `  ${escapeControls(group.matcher)}` : ""}`,
          ),
          ...(done.client === undefined ? [] : [`  with   ${clientText(done.client)}`]),
          ...(backup === undefined ? [] : [`  backup ${escapeControls(backup)}`]),
        ]
      : [`${escapeControls(hooksFile)} is already installed; nothing has changed.`];
  return linesOf([...head, ...tail]);
}

function clientText({ program, why, behindScript }: ClientUse): string {
  if (program === "perl") return `the client in Perl: ${escapeControls(why ?? "")}`;
  if (program === "none") return `${noClient} (${escapeControls(why ?? "")})`;
  return behindScript ? "the compiled client, started by a script" : "the compiled client";
}

export function installJson(done: Done, approval: ApprovalResult, dryRun: boolean): string {
  const { hooksFile, places, planned, installed, notes, warnings } = done;
  const { settings, backup } = installed;
  return jsonText({
    hooksFile,
    scope: places.scope,
    settingsFile: places.settingsFile,
    lockFile: places.lockFile,
    changed: settings.changed || installed.lockWritten,
    dryRun,
    entries: planned.map(({ event, transport, group }) => ({ event, transport, matcher: group.matcher ?? null })),
    client: done.client?.form ?? null,
    clientProgram: done.client?.program ?? null,
    backup: backup ?? null,
    approved: approval.approved,
    notApproved: approval.refused,
    notes,
    warnings,
    ...(dryRun ? { before: oldSettings(settings), after: maskTokens(settings.after) } : {}),
  });
}

/** The settings before the installation; null when there were none. */
function oldSettings({ created, before }: Done["installed"]["settings"]): string | null {
  return created ? null : maskTokens(before);
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Settings with every token masked; null when there are none. A reference to an environment variable is not a token. */
export function maskTokens(settings: string | null): string | null {
  return settings?.replace(/("Authorization"\s*:\s*"Bearer )(?!\$)(?:[^"\\]|\\.)+/gi, "$1…") ?? null;
}

export function uninstallText(
  done: Uninstalled,
  { settingsFile, scope }: ScopeFiles,
  { dryRun, purged, scopeNamed }: { dryRun: boolean; purged: readonly string[]; scopeNamed: boolean },
  style: Style,
): string {
  const file = escapeControls(settingsFile);
  const purgedLines = linesOf(
    purged.map((path) => {
      const reach = basename(path) === "log" ? " (of all projects)" : "";
      return `${dryRun ? "would remove" : "removed"}   ${escapeControls(path)}${reach}`;
    }),
  );
  if (!done.wasInstalled) return `Nothing is installed ${scopeNamed ? `in ${scope} scope` : "here"}.\n${purgedLines}`;
  if (dryRun) {
    const diff = unifiedDiff(settingsFile, maskTokens(done.before), maskTokens(done.after), style);
    return `${diff || `${file} would not change.\n`}${purgedLines}`;
  }
  const what = {
    restored: `the old content of ${file} was restored`,
    removed: `${file} was created by install and has been removed`,
    cut: `the entries of the app were removed from ${file}; everything else is unchanged`,
    nothing: `${file} no longer contained entries of the app and was not changed`,
  }[done.how];
  return `${style.green("uninstalled")}: ${what}\n${purgedLines}`;
}

export function uninstallJson(
  done: Uninstalled,
  { settingsFile, scope }: ScopeFiles,
  dryRun: boolean,
  purged: readonly string[],
): string {
  const { wasInstalled, how, before, after, hooksFile } = done;
  return jsonText({
    scope,
    settingsFile,
    hooksFile: hooksFile ?? null,
    wasInstalled,
    how,
    dryRun,
    purged,
    ...(dryRun ? { before: maskTokens(before), after: maskTokens(after) } : {}),
  });
}
