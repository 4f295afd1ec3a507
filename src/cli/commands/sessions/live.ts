import { plainLine } from "../../../protocol/internal.ts";
import { type LiveSession, liveSessions, watchLive } from "../../../sessions/internal.ts";
import type { Command, Io } from "../../command-line/command.ts";
import { sessionOptions, sessionSearch } from "../../options/session-options.ts";
import { timeText } from "../../print/figures.ts";
import { type Column, tableText } from "../../print/table.ts";
import { jsonText, styleFor } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[--all] [--watch] [--json]",
  about: `Lists running sessions with their status: idle, busy, or waiting for the user.

A session is live if its process runs and has the start time in the registry. With --json: { sessions: [{ pid, sessionId, status, waitingFor,
cwd, headless, live, name, version, startedAtMs, … }] }; with --watch one object { kind, session, before } per line.`,
  options: {
    all: { about: "include sessions whose process has ended" },
    watch: { about: "keep running and print every change until Ctrl-C" },
    ...sessionOptions,
  },
  examples: ["hookline sessions live", "hookline sessions live --watch --json"],
  async run(call, io) {
    const options = { ...sessionSearch(call, io), all: call.flag("all") };
    if (!call.flag("watch")) {
      const sessions = await liveSessions(options);
      await io.out(call.flag("json") ? jsonText({ sessions }) : liveText(sessions, io));
      return 0;
    }
    const style = styleFor(io);
    for await (const change of watchLive({ ...options, signal: io.signal })) {
      const { kind, session } = change;
      const parts = [
        style.dim(kind.padEnd(7)),
        style.cyan(plainLine(session.sessionId).slice(0, 8)),
        statusOf(session),
        plainLine(session.cwd ?? ""),
      ];
      await io.out(call.flag("json") ? jsonText(change, 0) : `${parts.join("  ")}\n`);
    }
    return 0;
  },
};

function liveText(sessions: readonly LiveSession[], io: Io): string {
  if (sessions.length === 0) return "No sessions are running.\n";
  const style = styleFor(io);
  const columns: readonly Column<LiveSession>[] = [
    { header: "pid", text: ({ pid }) => String(pid), align: "right" },
    { header: "session", text: ({ sessionId }) => plainLine(sessionId).slice(0, 8), paint: style.cyan },
    { header: "status", text: (session) => `${statusOf(session)}${endings[session.live]}`, flexible: true },
    { header: "since", text: ({ startedAtMs }) => timeText(startedAtMs) },
    { header: "directory", text: ({ cwd }) => plainLine(cwd ?? ""), flexible: true },
    { header: "name", text: ({ name }) => plainLine(name ?? ""), flexible: true },
  ];
  return tableText(columns, sessions, style, io.terminal.columns);
}

const endings = { yes: "", no: " (ended)", unknown: " (maybe ended)" } as const;

function statusOf({ status, waitingFor, headless }: LiveSession): string {
  const doing = status === "waiting" && waitingFor !== undefined ? `waiting: ${plainLine(waitingFor)}` : status;
  return headless ? `${doing}, headless` : doing;
}
