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
  liveSessionIds,
  namedSessions,
  sessionOptions,
  sessionSearch,
  withoutDuplicates,
} from "../../options/session-options.ts";
import { plural } from "../../print/figures.ts";
import { jsonText, type Style, styleFor } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[SESSION…] [--all] [--json]",
  about: `Checks a transcript for errors without changing it.

SESSION is an id, the beginning of an id, "last" (the newest session of this directory, the default) or the path of a transcript. Also
reports entries that cannot be reached from the end by following parents. Exit status: 1 when there are errors, else 0.`,
  mostArguments: "any",
  options: {
    all: { about: "check every session" },
    errors: { about: "omit warnings and notes" },
    ...sessionOptions,
  },
  examples: ["hookline sessions validate", "hookline sessions validate --all --errors --json"],
  async run(call, io) {
    const places = call.flag("all") ? await everySession(sessionSearch(call, io)) : await namedSessions(call, io);
    const live = await liveSessionIds(call, io);
    const sessions: Record<string, unknown>[] = [];
    let failed = false;
    for (const place of places) {
      const isLive = live.has(place.id);
      const validation = await validateSession(place, { live: isLive }).catch(async (error: unknown) => {
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
        sessions.push({ session: place.id, file: place.file, live: isLive, counts, findings: shown, resume });
      } else if (!call.flag("all") || shown.length > 0) {
        await io.out(validationText(place, validation, shown, styleFor(io)));
      }
    }
    if (call.flag("json")) await io.out(jsonText({ sessions }));
    else if (call.flag("all"))
      await io.out(`${plural(places.length, "session")} checked${failed ? "" : ", no errors"}\n`);
    return failed ? 1 : 0;
  },
};

/** Every session once. An archived copy is used only when there is no other. */
async function everySession(where: RootOptions): Promise<SessionPlace[]> {
  const places = new Map<string, SessionPlace>();
  for (const place of findSessions(await findRoots(where))) {
    const key = `${place.project}/${place.id}`;
    if (!places.has(key) || place.root.origin !== "archive") places.set(key, place);
  }
  return withoutDuplicates(places.values());
}

function validationText(
  place: SessionPlace,
  { counts, resume }: ValidationResult,
  findings: readonly CheckFinding[],
  style: Style,
): string {
  const color = { error: style.red, warning: style.yellow, note: style.dim };
  const name = (file: string) =>
    escapeControls(file.startsWith(place.folder) ? file.slice(place.folder.length + 1) : file);
  const lines = findings.map(
    ({ severity, code, file, line, message }) =>
      `  ${color[severity](severity.padEnd(7))}  ${code}  ${name(file)}:${line}  ${escapeControls(message)}`,
  );
  const { reached, missed, breaksAt } = resume;
  const reach = `  following parents from the end reaches ${reached.entries} of ${reached.entries + missed.entries} entries`;
  const of = `${plural(missed.prompts, "prompt")} and ${plural(missed.toolResults, "tool result")}`;
  return `${[
    `${style.bold(place.id)}  ${plural(counts.error, "error")}, ${plural(counts.warning, "warning")}, ${plural(counts.note, "note")}`,
    ...lines,
    ...(missed.entries === 0 ? [] : [`${reach} and misses ${of}`]),
    ...(breaksAt === undefined
      ? []
      : [
          `  the chain ends at line ${breaksAt.line}: its parent ${escapeControls(breaksAt.parentUuid)} does not exist`,
        ]),
  ].join("\n")}\n`;
}
