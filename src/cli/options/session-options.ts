import { existsSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { attempt, Problem } from "../../protocol/internal.ts";
import {
  cutArchive,
  findSession,
  liveSessions,
  type RootOptions,
  type SessionModel,
  type SessionPlace,
} from "../../sessions/internal.ts";
import type { Io, ParsedCall } from "../command-line/command.ts";
import { optionTexts } from "./option-values.ts";

/** Where commands look for sessions: in the default places, or in the directories named by --root. */
export function sessionSearch(call: ParsedCall, io: Io): RootOptions {
  const roots = sessionRoots(call, io);
  return { env: io.env, home: io.home, ...(roots.length === 0 ? {} : { roots }) };
}

/** The directories named by --root. One without sessions is an error, since an empty result would be misleading. */
export function sessionRoots(call: ParsedCall, io: Io): readonly string[] {
  return call.texts("root").map((text) => {
    const path = resolve(io.cwd, text);
    if (basename(path) === "projects" ? isFolder(path) : isFolder(join(path, "projects"))) return path;
    const why = isFolder(path)
      ? "it does not contain projects/"
      : existsSync(path)
        ? "it is not a directory"
        : "it does not exist";
    throw new Problem("cli/usage", `--root ${text} cannot be used: ${why}. Pass a directory such as ~/.claude.`);
  });
}

function isFolder(path: string): boolean {
  return attempt(() => statSync(path))?.isDirectory() === true; // not when a parent is not a directory
}

/** The sessions named on the command line; without any, the newest one of this directory. */
export async function namedSessions(call: ParsedCall, io: Io): Promise<SessionPlace[]> {
  const names = call.operands.length === 0 ? ["last"] : call.operands;
  const search = sessionSearch(call, io);
  return Promise.all(names.map((name) => findSession(name, { ...search, cwd: io.cwd })));
}

/** The one session named on the command line; without one, the newest of this directory. */
export async function namedSession(call: ParsedCall, io: Io): Promise<SessionPlace> {
  return findSession(call.operands[0] ?? "last", { ...sessionSearch(call, io), cwd: io.cwd });
}

/** Removes duplicates: when a project directory is a link to another one, each of its sessions is found twice. */
export async function withoutDuplicates(places: Iterable<SessionPlace>): Promise<SessionPlace[]> {
  const byFile = new Map<string, SessionPlace>();
  for (const place of places) {
    const folder = await realpath(place.folder).catch(() => place.folder);
    byFile.set(join(folder, basename(place.file)), place);
  }
  return [...byFile.values()];
}

/** Warns on stderr about archives of a session that are truncated. */
export async function warnTruncatedArchives({ unreadable }: Pick<SessionModel, "unreadable">, io: Io): Promise<void> {
  for (const { file, why } of unreadable) {
    if (why === "cut-archive") await io.err(`${cutArchive(file).message}. The output is incomplete.\n`);
  }
}

/** The ids of sessions that a process is, or may be, still writing. */
export async function liveSessionIds(call: ParsedCall, io: Io): Promise<ReadonlySet<string>> {
  return new Set((await liveSessions(sessionSearch(call, io))).map(({ sessionId }) => sessionId));
}

export const rootOption = {
  value: "DIR",
  multiple: true,
  about: "directory that contains projects/, instead of the default ones; can be repeated",
} as const;

export const jsonOption = { about: "print one JSON object" } as const;

/** Options of commands that print what a session contains. */
export const contentOptions = {
  subagents: { about: "include subagents" },
  thinking: { about: "include thinking" },
  results: { about: "include tool results" },
  branch: { value: "UUID", about: "the branch that ends at this entry (default: the active branch)" },
} as const;

/** What `contentOptions` select. */
export function includedContent(call: ParsedCall) {
  return {
    agents: call.flag("subagents"),
    thinking: call.flag("thinking"),
    results: call.flag("results"),
    ...optionTexts(call, { leaf: "branch" }),
  };
}

/** Options that the commands for sessions share. */
export const sessionOptions = { root: rootOption, json: jsonOption };
