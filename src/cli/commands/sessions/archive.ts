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
import { eachFileOnce, jsonOption, namedSessions, rootOption, whereFrom } from "../../options/session-options.ts";
import { counted } from "../../print/figures.ts";
import { jsonText } from "../../print/json.ts";

export const command: Command = {
  usage: "[SESSION…] [--due] [--json]",
  about: `Keeps sessions before their client deletes them, compressed, in Hookline's state folder. Sources are only read.

Without SESSION every session is taken. Run again, it adds what is new. Archived sessions are read by every other command.`,
  options: {
    due: { type: "boolean", about: "only those that are to be deleted within 7 days and are not archived" },
    root: rootOption,
    json: jsonOption,
  },
  examples: ["hookline sessions archive", "hookline sessions archive --due --json"],
  async run(call, io) {
    const where = whereFrom(call, io);
    const places = call.flag("due")
      ? (await expiringSessions(where)).map(({ place }) => place)
      : call.words.length > 0
        ? await namedSessions(call, io)
        : await sources(where);
    const done: ArchiveResult[] = [];
    const failed: { session: string; why: string }[] = [];
    for (const place of places) {
      io.signal.throwIfAborted();
      try {
        done.push(await archiveSession(place, { env: io.env, home: io.home }));
      } catch (error) {
        // One that went away or cannot be read must not keep the others from being saved.
        if (places.length === 1) throw error;
        failed.push({ session: place.id, why: messageOf(error) });
      }
      if (io.terminal.err && !call.flag("json")) await io.err(`\r${done.length} of ${places.length}`);
    }
    if (io.terminal.err && !call.flag("json") && done.length > 0) await io.err("\r\u001b[K");
    await report(done, call.flag("json"), io);
    for (const { session, why } of failed) await io.err(`Not archived: ${session}: ${plainLine(why)}\n`);
    return failed.length === 0 ? 0 : 1;
  },
};

async function sources(where: Parameters<typeof findRoots>[0]): Promise<SessionPlace[]> {
  const roots = (await findRoots(where)).filter(({ origin }) => origin !== "archive");
  const places: SessionPlace[] = [];
  for await (const place of findSessions(roots)) places.push(place);
  return eachFileOnce(places);
}

async function report(done: readonly ArchiveResult[], json: boolean, io: Io): Promise<void> {
  const addedBytes = done.reduce((sum, one) => sum + one.addedBytes, 0);
  const heldBytes = done.reduce((sum, one) => sum + one.heldBytes, 0);
  const changed = done.filter(({ files }) => files > 0).length;
  if (json) await io.out(jsonText({ sessions: done, addedBytes, heldBytes }));
  else
    await io.out(
      `${counted(done.length, "session")}, ${changed} with something new: ${addedBytes} bytes added, ${heldBytes} held\n`,
    );
}
