import { messageOf, plainLine } from "../../../protocol/internal.ts";
import {
  type ArchiveResult,
  archiveSession,
  expiringSessions,
  findRoots,
  findSessions,
  type SessionPlace,
} from "../../../sessions/internal.ts";
import type { Command, Io } from "../../command-line/command.ts";
import { namedSessions, sessionOptions, sessionSearch, withoutDuplicates } from "../../options/session-options.ts";
import { plural } from "../../print/figures.ts";
import { jsonText, progressLine } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[SESSION…] [--due] [--json]",
  about: `Archives sessions before Claude Code deletes them, compressed, in Hookline's state directory. Transcripts are not changed.

Without SESSION all sessions are archived. Running it again adds what is new. Every other command also reads archived sessions.`,
  mostArguments: "any",
  options: {
    due: { about: "only sessions that will be deleted within 7 days and are not archived" },
    ...sessionOptions,
  },
  examples: ["hookline sessions archive", "hookline sessions archive --due --json"],
  async run(call, io) {
    const where = sessionSearch(call, io);
    const places = call.flag("due")
      ? (await expiringSessions(where)).map(({ place }) => place)
      : call.operands.length > 0
        ? await namedSessions(call, io)
        : await sources(where);
    const progress = progressLine("archiving", io);
    const done: ArchiveResult[] = [];
    const failed: { session: string; why: string }[] = [];
    for (const place of places) {
      io.signal.throwIfAborted();
      try {
        done.push(await archiveSession(place, { env: io.env, home: io.home }));
      } catch (error) {
        // An unreadable session must not prevent the others from being archived.
        if (places.length === 1) throw error;
        failed.push({ session: place.id, why: messageOf(error) });
      }
      progress.show(`${done.length} of ${places.length}`);
    }
    await progress.end();
    await report(done, call.flag("json"), io);
    for (const { session, why } of failed) await io.err(`Not archived: ${session}: ${plainLine(why)}\n`);
    return failed.length === 0 ? 0 : 1;
  },
};

async function sources(where: Parameters<typeof findRoots>[0]): Promise<SessionPlace[]> {
  const roots = (await findRoots(where)).filter(({ origin }) => origin !== "archive");
  return withoutDuplicates(findSessions(roots));
}

async function report(done: readonly ArchiveResult[], json: boolean, io: Io): Promise<void> {
  const addedBytes = done.reduce((sum, one) => sum + one.addedBytes, 0);
  const heldBytes = done.reduce((sum, one) => sum + one.heldBytes, 0);
  const changed = done.filter(({ files }) => files > 0).length;
  const text = `${plural(done.length, "session")}, ${changed} with new content: ${addedBytes} bytes added, ${heldBytes} in the archive\n`;
  await io.out(json ? jsonText({ sessions: done, addedBytes, heldBytes }) : text);
}
