import { existsSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Problem } from "../../protocol/internal.ts";
import {
  cutArchive,
  findSession,
  liveSessions,
  type RootOptions,
  type SessionModel,
  type SessionPlace,
} from "../../sessions/internal.ts";
import type { Call, Io } from "../command-line/command.ts";

/** Where commands look for sessions: in the usual places, or in the folders named by --root. */
export function whereFrom(call: Call, io: Io): RootOptions {
  const roots = rootsFrom(call, io);
  return { env: io.env, home: io.home, ...(roots.length === 0 ? {} : { roots }) };
}

/** The folders named by --root. One that holds no sessions is an error: an empty answer would look like nothing was ever done. */
export function rootsFrom(call: Call, io: Io): readonly string[] {
  return call.texts("root").map((text) => {
    const path = resolve(io.cwd, text);
    if (basename(path) === "projects" ? isFolder(path) : isFolder(join(path, "projects"))) return path;
    const why = isFolder(path)
      ? "it has no folder projects/ in it"
      : existsSync(path)
        ? "it is not a folder"
        : "there is no such folder";
    throw new Problem("cli/usage", `--root ${text} cannot be used: ${why}. Name a folder such as ~/.claude.`, {
      about: { root: path },
    });
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or below something that is no folder
  }
}

/** The sessions named on the command line; the newest of this directory when none is. */
export async function namedSessions(call: Call, io: Io): Promise<SessionPlace[]> {
  const words = call.words.length === 0 ? ["last"] : call.words;
  const where = whereFrom(call, io);
  return Promise.all(words.map((word) => findSession(word, { ...where, cwd: io.cwd })));
}

/** A project folder may be a link to another; then each of its sessions is found twice, and counts once. */
export async function eachFileOnce(places: Iterable<SessionPlace>): Promise<SessionPlace[]> {
  const byFile = new Map<string, SessionPlace>();
  for (const place of places) {
    const folder = await realpath(place.folder).catch(() => place.folder);
    byFile.set(join(folder, basename(place.file)), place);
  }
  return [...byFile.values()];
}

/** Says on stderr which archives of a session are cut off: what is shown of it is not all of it. */
export async function tellCutArchives({ unreadable }: Pick<SessionModel, "unreadable">, io: Io): Promise<void> {
  for (const { file, why } of unreadable) {
    if (why === "cut-archive") await io.err(`${cutArchive(file).message}. What is there is shown.\n`);
  }
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
