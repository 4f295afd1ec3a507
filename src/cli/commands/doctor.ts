import { diagnose, type Finding } from "../../engine/internal.ts";
import {
  type InstallRepair,
  type InstallReport,
  type InstallTarget,
  installReport,
  isCodeAsInstalled,
  repairInstall,
} from "../../install/internal.ts";
import { escapeControls } from "../../protocol/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { installContext, projectFolder } from "../options/install-options.ts";
import { engineSettings, settingsOptions } from "../options/settings-options.ts";
import { plural } from "../print/figures.ts";
import { clientLabel } from "../print/install-status.ts";
import { jsonText, type Style, styleFor } from "../print/terminal.ts";
import { approveEntries } from "./approve-entries.ts";

export const command: Command = {
  usage: "[--cwd DIR] [--settings FILE]… [--plugin-dir DIR]… [--fix] [--json]",
  about: `Reports problems with the hooks in effect: unreadable settings, programs and scripts that are missing or cannot be started, matchers
that never match, unreadable permission rules, hooks that are off, duplicate or not approved, and files that other users can change. For
installed apps: missing entries, a hooks file with a syntax error, a missing package or bash, a port in use by another program, and slow
handlers. Prints which client they use: compiled, Perl or none. Runs no hook and no code of an app.

--fix restores what a lock file describes, as you installed it, and reports what it did. It never installs anything new.
Exit status: 0 when there are no errors or warnings, 3 when there are, 1 on failure or when --fix finds an unreadable file.`,
  options: {
    ...settingsOptions,
    fix: { about: "restore what was installed" },
    json: { about: "print one JSON object" },
  },
  examples: ["hookline doctor", "hookline doctor --fix", "hookline doctor --json"],
  async run(call, io) {
    projectFolder(call, io);
    const settings = engineSettings(call, io);
    const target = { cwd: settings.cwd, home: io.home, env: io.env };
    const repairs = call.flag("fix") ? await repairAll(target, io) : [];
    const engine = await diagnose(settings);
    const { findings: installed, clients } = await installReport(target, installContext(io), settings.settings);
    const findings = withoutRepeats([...installed, ...engine]);
    const problems = countProblems(findings);
    await io.out(
      call.flag("json")
        ? jsonText({ ok: problems === 0, findings, clients: clientsJson(clients), ...repairsJson(repairs, call) })
        : repairsText(repairs, call) + doctorText(findings, styleFor(io)) + clientsText(clients) + totalText(problems),
    );
    if (repairs.some(({ unreadable }) => unreadable === true)) return 1;
    return problems === 0 ? 0 : 3;
  },
};

/** Approves repaired entries, unless the code has changed since it was installed. */
async function repairAll(target: InstallTarget, io: Io): Promise<readonly InstallRepair[]> {
  const repairs = await repairInstall(target, installContext(io));
  for (const { wrote } of repairs) {
    if (wrote !== undefined && (await isCodeAsInstalled(wrote.places)))
      await approveEntries(wrote.places, wrote.planned, io);
  }
  return repairs;
}

function repairsJson(repairs: readonly InstallRepair[], call: ParsedCall): object {
  return call.flag("fix") ? { repairs: repairs.map(({ done, message }) => ({ done, message })) } : {};
}

function repairsText(repairs: readonly InstallRepair[], call: ParsedCall): string {
  if (!call.flag("fix")) return "";
  if (repairs.length === 0) return "Nothing to repair.\n";
  return repairs.map(({ done, message }) => `${done ? "repaired" : "not done"}  ${escapeControls(message)}\n`).join("");
}

function doctorText(findings: readonly Shown[], style: Style): string {
  return findings.flatMap((finding) => findingLines(finding, style).map((line) => `${line}\n`)).join("");
}

function totalText(problems: number): string {
  return problems === 0 ? "No problems found.\n" : `${plural(problems, "problem")}.\n`;
}

function clientsText(clients: InstallReport["clients"]): string {
  return clients.map((client) => `client   ${clientLabel(client)} (${client.scope})\n`).join("");
}

function clientsJson(clients: InstallReport["clients"]): readonly object[] {
  return clients.map(({ scope, form, program, behindScript }) => ({
    scope,
    client: form,
    clientProgram: program,
    behindScript,
  }));
}

/** Keeps one of equal findings about several places: the first. */
function withoutRepeats(findings: readonly Shown[]): readonly Shown[] {
  const distinct = new Map<string, Shown>();
  for (const one of findings) {
    // The finding about an installed app comes first and says more.
    const key = one.code === "client-cannot-read" ? `${one.code} ${one.place}` : `${one.code} ${one.message}`;
    if (!distinct.has(key)) distinct.set(key, one);
  }
  return [...distinct.values()];
}

/** A file that neither Hookline nor Claude Code can read is one problem. */
function countProblems(findings: readonly Shown[]): number {
  const unread = (code: string) => findings.flatMap((one) => (one.code === code ? [one.place] : []));
  const both = unread("settings-unreadable").filter((place) => unread("client-cannot-read").includes(place));
  return findings.filter(({ level }) => level !== "note").length - both.length;
}

type Shown = Pick<Finding, "level" | "code" | "message" | "place">;

function findingLines({ level, code, message, place }: Shown, style: Style): readonly string[] {
  const paint = { error: style.red, warning: style.yellow, note: style.dim }[level];
  const where = place === undefined || message.includes(place) ? [] : [`         ${style.dim(escapeControls(place))}`];
  return [`${paint(level.padEnd(8))} ${code}: ${escapeControls(message)}`, ...where];
}
