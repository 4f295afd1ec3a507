import { escapeControls, Problem, plainLine } from "../../../protocol/internal.ts";
import {
  type CheckFinding,
  findRoots,
  findSessions,
  type RootOptions,
  type SessionPlace,
  type ValidationResult,
  validateSession,
} from "../../../sessions/internal.ts";
import type { Command } from "../../command-line/command.ts";
import {
  eachFileOnce,
  jsonOption,
  liveIds,
  namedSessions,
  rootOption,
  whereFrom,
} from "../../options/session-options.ts";
import { counted } from "../../print/figures.ts";
import { jsonText } from "../../print/json.ts";
import { type Style, styleFor } from "../../print/style.ts";

export const command: Command = {
  usage: "[SESSION…] [--all] [--json]",
  about: `Looks for everything that is wrong with a transcript, and changes nothing.

SESSION is an id, the beginning of one, "last" (the newest of this directory, and what is meant when nothing is named) or the path
of a file. It also tells what a reader would lose that merely follows parents from the end. The exit status is 1 when there are
errors, else 0.`,
  options: {
    all: { type: "boolean", about: "every session there is" },
    errors: { type: "boolean", about: "leave out warnings and notes" },
    root: rootOption,
    json: jsonOption,
  },
  examples: ["hookline sessions validate", "hookline sessions validate --all --errors --json"],
  async run(call, io) {
    const places = call.flag("all") ? await everySession(whereFrom(call, io)) : await namedSessions(call, io);
    const live = await liveIds(call, io);
    const sessions: Record<string, unknown>[] = [];
    let failed = false;
    for (const place of places) {
      const validation = await validateSession(place, { live: live.has(place.id) }).catch(async (error: unknown) => {
        if (places.length === 1 || !(error instanceof Problem)) throw error;
        await io.err(`${place.id} cannot be checked: ${plainLine(error.message)}\n`);
        return undefined;
      });
      if (validation === undefined) {
        failed = true;
        continue;
      }
      failed ||= validation.counts.error > 0;
      const shown = validation.findings.filter(({ severity }) => !call.flag("errors") || severity === "error");
      if (call.flag("json")) {
        const { counts, resume } = validation;
        sessions.push({
          session: place.id,
          file: place.file,
          live: live.has(place.id),
          counts,
          findings: shown,
          resume,
        });
      } else if (!call.flag("all") || shown.length > 0) {
        await io.out(validationText(place, validation, shown, styleFor(io)));
      }
    }
    if (call.flag("json")) await io.out(jsonText({ sessions }));
    else if (call.flag("all"))
      await io.out(`${counted(places.length, "session")} looked at${failed ? "" : ", no errors"}\n`);
    return failed ? 1 : 0;
  },
};

/** Each session once: what lies in the archive counts only when it is nowhere else. */
async function everySession(where: RootOptions): Promise<SessionPlace[]> {
  const places = new Map<string, SessionPlace>();
  for await (const place of findSessions(await findRoots(where))) {
    const key = `${place.project}/${place.id}`;
    if (!places.has(key) || place.root.origin !== "archive") places.set(key, place);
  }
  return eachFileOnce(places.values());
}

function validationText(
  place: SessionPlace,
  { counts, resume }: ValidationResult,
  findings: readonly CheckFinding[],
  style: Style,
): string {
  const colour = { error: style.red, warning: style.yellow, note: style.dim };
  const name = (file: string) =>
    escapeControls(file.startsWith(place.folder) ? file.slice(place.folder.length + 1) : file);
  const lines = findings.map(
    ({ severity, code, file, line, message }) =>
      `  ${colour[severity](severity.padEnd(7))}  ${code}  ${name(file)}:${line}  ${escapeControls(message)}`,
  );
  const { reached, missed, breaksAt } = resume;
  const lost = `  following parents from the end reaches ${reached.entries} of ${reached.entries + missed.entries} entries`;
  const of = `${counted(missed.prompts, "prompt")} and ${counted(missed.toolResults, "tool result")}`;
  return `${[
    `${style.bold(place.id)}  ${counted(counts.error, "error")}, ${counted(counts.warning, "warning")}, ${counted(counts.note, "note")}`,
    ...lines,
    ...(missed.entries === 0 ? [] : [`${lost} and misses ${of}`]),
    ...(breaksAt === undefined
      ? []
      : [`  it breaks at line ${breaksAt.line}: ${escapeControls(breaksAt.parentUuid)} is not there`]),
  ].join("\n")}\n`;
}
