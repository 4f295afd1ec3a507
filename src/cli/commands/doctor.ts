import { diagnose, type Finding } from "../../engine/internal.ts";
import {
  clientsInUse,
  installFindings,
  isCodeAsInstalled,
  type Repair,
  repair,
  type Standpoint,
} from "../../install/internal.ts";
import { escapeControls } from "../../protocol/internal.ts";
import { approve } from "../approve-entries.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { installerFor, namedFolder } from "../options/install-options.ts";
import { settingsFrom, settingsOptions } from "../options/settings-options.ts";
import { counted } from "../print/figures.ts";
import { clientLabel } from "../print/install-status.ts";
import { jsonText } from "../print/json.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--cwd DIR] [--settings FILE]… [--plugin-dir DIR]… [--fix] [--json]",
  about: `Says what is wrong with the hooks that apply here: settings that cannot be read, programs and scripts that are not there or cannot
be started, matchers that never match, permission rules that cannot be read, hooks that are off, equal or not approved, files that others
may change; and of installed apps, entries that are gone, a package or bash that is missing, a port that somebody else has, handlers
that are slow. Says which client they call, compiled or script. Starts nothing.

--fix brings back what a lock file describes, as you installed it, and says what it did and what it could not do; it never installs
what was not installed.
The exit status is 0 when nothing is wrong, whatever notes there are, 3 when there is an error or a warning, and 1 when the call cannot
be made, or --fix found a file that cannot be read.`,
  mostArguments: 0,
  options: {
    ...settingsOptions,
    fix: { type: "boolean", about: "bring back what was installed" },
    json: { type: "boolean", about: "print one JSON object" },
  },
  examples: ["hookline doctor", "hookline doctor --fix", "hookline doctor --json"],
  async run(call, io) {
    namedFolder(call, io);
    const applying = settingsFrom(call, io);
    const { cwd } = applying;
    const repairs = call.flag("fix") ? await fixed(cwd, io) : [];
    const engine = await diagnose(applying);
    const findings = folded([...(await installFindings(standpointAt(cwd, io), installerFor(io))), ...engine]);
    const clients = await clientsInUse(standpointAt(cwd, io), installerFor(io));
    const problems = findings.filter(({ level }) => level !== "note").length;
    await io.out(
      call.flag("json")
        ? jsonText({ ok: problems === 0, findings, clients, ...repairsJson(repairs, call) })
        : repairsText(repairs, call) + doctorText(findings, problems, styleFor(io)) + clientsText(clients),
    );
    if (repairs.some(({ unreadable }) => unreadable === true)) return 1;
    return problems === 0 ? 0 : 3;
  },
};

function standpointAt(cwd: string, { home, env }: Io): Standpoint {
  return { cwd, home, env };
}

/** Entries with another port are new, and whoever repairs them means them; code that changed since the install is another matter. */
async function fixed(cwd: string, io: Io): Promise<readonly Repair[]> {
  const repairs = await repair(standpointAt(cwd, io), installerFor(io));
  for (const { wrote } of repairs) {
    if (wrote !== undefined && (await isCodeAsInstalled(wrote.places))) await approve(wrote.places, wrote.planned, io);
  }
  return repairs;
}

function repairsJson(repairs: readonly Repair[], call: Call): object {
  return call.flag("fix") ? { repairs: repairs.map(({ done, message }) => ({ done, message })) } : {};
}

function repairsText(repairs: readonly Repair[], call: Call): string {
  if (!call.flag("fix")) return "";
  if (repairs.length === 0) return "There was nothing to repair.\n";
  return repairs.map(({ done, message }) => `${done ? "repaired" : "not done"}  ${escapeControls(message)}\n`).join("");
}

function doctorText(findings: readonly Shown[], problems: number, style: Style): string {
  const told = problems === 0 ? "Nothing is wrong." : `${counted(problems, "problem")}.`;
  return `${[...findings.flatMap((finding) => findingLines(finding, style)), told].join("\n")}\n`;
}

function clientsText(clients: Awaited<ReturnType<typeof clientsInUse>>): string {
  return clients
    .map(({ scope, client, behindScript }) => `client   ${clientLabel(client, behindScript)} (${scope})\n`)
    .join("");
}

/** Equal findings about several places are one, with the first place. */
function folded(findings: readonly Shown[]): readonly Shown[] {
  const distinct = new Map<string, Shown>();
  for (const one of findings) {
    // An installed app's finding comes first and offers more.
    const key = one.code === "client-cannot-read" ? `${one.code} ${one.place}` : `${one.code} ${one.message}`;
    if (!distinct.has(key)) distinct.set(key, one);
  }
  return [...distinct.values()];
}

type Shown = Pick<Finding, "level" | "code" | "message" | "place">;

function findingLines({ level, code, message, place }: Shown, style: Style): readonly string[] {
  const paint = { error: style.red, warning: style.yellow, note: style.dim }[level];
  const where = place === undefined || message.includes(place) ? [] : [`         ${style.dim(escapeControls(place))}`];
  return [`${paint(level.padEnd(8))} ${code}: ${escapeControls(message)}`, ...where];
}
