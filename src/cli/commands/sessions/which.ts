import { findSession, liveSessions, type SessionPlace, type Where } from "../../../sessions/index.ts";
import type { Call, Io } from "../../command.ts";

/** Where the commands that check, mend and keep sessions look: everywhere, or in the roots named by --root. */
export function whereFrom(call: Call, io: Io): Where {
  const roots = call.texts("root");
  return { env: io.env, home: io.home, ...(roots.length === 0 ? {} : { roots }) };
}

/** The sessions named on the command line; the newest of this directory when none is. */
export async function namedSessions(call: Call, io: Io): Promise<SessionPlace[]> {
  const words = call.words.length === 0 ? ["last"] : call.words;
  const where = whereFrom(call, io);
  return Promise.all(words.map((word) => findSession(word, { ...where, cwd: io.cwd })));
}

/** Ids of sessions that a process may still be writing; one we cannot be sure about counts. */
export async function liveIds(call: Call, io: Io): Promise<ReadonlySet<string>> {
  return new Set((await liveSessions(whereFrom(call, io))).map(({ sessionId }) => sessionId));
}

export const rootOption = {
  type: "string",
  value: "DIR",
  multiple: true,
  about: "look in this folder (it has projects/ in it) instead of the usual ones; may be given again",
} as const;

export const jsonOption = { type: "boolean", about: "print one JSON object" } as const;
