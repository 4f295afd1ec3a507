import { defined, plainLine } from "../../../protocol/internal.ts";
import { expiringSessions, lastActivity, listSessions, type SessionSummary } from "../../../sessions/internal.ts";
import type { Command, Io } from "../../command-line/command.ts";
import { pointInTime, wholeNumber } from "../../options/option-values.ts";
import { sessionOptions, sessionSearch } from "../../options/session-options.ts";
import { homePath, plural, sizeText, timeText } from "../../print/figures.ts";
import { type Column, tableText } from "../../print/table.ts";
import { jsonText, styleFor } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[--here | --project DIR] [--since TIME] [--limit N] [--json]",
  about: `Lists sessions of all agents on this machine, Hookline's own and archived ones included, latest activity first.
The time is that of the last entry. With more sessions than --limit, those whose files changed last are listed.

With --json: { sessions: [{ id, project, cwd, title, firstPrompt, startedAt, lastAt, sizeBytes, version, branch, agents, live, origin,
goneAtSource, file }], due: [{ id, dueAt }] }; due lists sessions that Claude Code will delete within 7 days and that are not archived.`,
  options: {
    here: { excludes: ["project"], about: "only sessions of the current directory" },
    project: { value: "DIR", about: "only sessions of this directory" },
    since: { value: "TIME", about: "only sessions with activity since this time: 2026-01-31, 90m, 2h, 7d" },
    limit: { value: "N", about: "maximum number (default: 50; 0 for all)" },
    ...sessionOptions,
  },
  examples: ["hookline sessions ls --here", "hookline sessions ls --since 7d --json"],
  async run(call, io) {
    const where = sessionSearch(call, io);
    const limit = wholeNumber(call, "limit") ?? 50;
    const cwd = call.flag("here") ? io.cwd : call.text("project");
    const sessions: SessionSummary[] = [];
    const options = { ...where, signal: io.signal, ...defined({ cwd, sinceMs: pointInTime(call, "since") }) };
    for await (const session of listSessions(options)) {
      sessions.push(session);
      if (sessions.length === limit) break;
    }
    sessions.sort((a, b) => lastActivity(b) - lastActivity(a));
    const due = (await expiringSessions(where)).map(({ place, dueAt }) => ({ id: place.id, dueAt }));
    const rows = sessions.map(({ place, alsoUsedFor, modifiedMs, lastPrompt, ...row }) => ({
      ...row,
      file: place.file,
    }));
    await io.out(call.flag("json") ? jsonText({ sessions: rows, due }) : listText(sessions, io));
    if (!call.flag("json") && due.length > 0) {
      const sessionsDueText = `${plural(due.length, "session")} will be deleted within 7 days`;
      await io.err(`${sessionsDueText} without an archive. Run hookline sessions archive --due to keep them.\n`);
    }
    return 0;
  },
};

function listText(sessions: readonly SessionSummary[], io: Io): string {
  if (sessions.length === 0) return "No sessions.\n";
  const style = styleFor(io);
  const columns: readonly Column<SessionSummary>[] = [
    { header: "last activity", text: (session) => timeText(lastActivity(session)) },
    { header: "session", text: ({ id }) => id.slice(0, 8), paint: style.cyan },
    { header: "project", text: ({ project }) => plainLine(homePath(project, io.home)), flexible: true },
    { header: "size", text: ({ sizeBytes }) => sizeText(sizeBytes), align: "right" },
    { header: "subagents", text: ({ agents }) => (agents === 0 ? "" : String(agents)), align: "right" },
    { header: "", text: stateOf, paint: style.green },
    { header: "title", text: ({ title }) => plainLine(title ?? ""), flexible: true },
  ];
  return tableText(columns, sessions, style, io.terminal.columns);
}

function stateOf({ live, goneAtSource, origin }: SessionSummary): string {
  if (live === "yes") return "live";
  if (goneAtSource) return "archived";
  return origin === "hookline" ? "own" : "";
}
