import { stat } from "node:fs/promises";
import {
  type Call,
  callsOf,
  type Entry,
  findSession,
  findTranscriptsOf,
  readEntries,
  type Where,
} from "../../sessions/index.ts";
import type { SessionCall } from "./session-call.ts";

/** How far a session had been written when a run began: what lies behind is the run's own. */
export interface TranscriptMark {
  readonly sizes: ReadonlyMap<string, number>;
  /** Answers of the session a fork is a copy of; they are in the copy too. */
  readonly copied: ReadonlySet<string>;
}

export async function markTranscript({ resume, fork }: SessionCall, where: Where): Promise<TranscriptMark> {
  if (resume === undefined) return { sizes: new Map(), copied: new Set() };
  const { file } = await findSession(resume, { ...where, idsOnly: true });
  const files = findTranscriptsOf(file);
  if (!fork) return { sizes: new Map(files.map(({ path, size }) => [path, size])), copied: new Set() };
  const entries = await Promise.all(files.map(({ path }) => entriesFrom(path, 0)));
  return { sizes: new Map(), copied: new Set(callsOf(entries.flat()).map(({ key }) => key)) };
}

export interface NewCalls {
  /** Of the main conversation. */
  readonly main: readonly Call[];
  /** Of it and of all subagents. */
  readonly all: readonly Call[];
  /** Those from before the run as well. */
  readonly whole: () => Promise<readonly Call[]>;
}

/** The answers a run has added to a session. */
export async function callsSince(file: string, mark: TranscriptMark): Promise<NewCalls> {
  const added = async (path: string): Promise<readonly Call[]> =>
    callsOf(await entriesFrom(path, mark.sizes.get(path) ?? 0)).filter(({ key }) => !mark.copied.has(key));
  const main = await added(file);
  const agents = findTranscriptsOf(file).filter(({ agent }) => agent !== undefined);
  return {
    main,
    all: [...main, ...(await Promise.all(agents.map(({ path }) => added(path)))).flat()],
    async whole() {
      const entries = await Promise.all([file, ...agents.map(({ path }) => path)].map((path) => entriesFrom(path, 0)));
      return entries.flatMap((some) => callsOf(some));
    },
  };
}

async function entriesFrom(path: string, offset: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const batch of readEntries(path, { at: { offset, line: 1 } })) {
    for (const item of batch) if (item.kind !== "unreadable") entries.push(item);
  }
  return entries;
}

/** The session's transcript: where its hooks said it is, else where the agent's sessions lie. */
export async function findTranscript(sessionId: string, said: unknown, where: Where): Promise<string | undefined> {
  if (typeof said === "string" && (await isFile(said))) return said;
  try {
    return (await findSession(sessionId, { ...where, idsOnly: true })).file;
  } catch (error) {
    if ((error as { code?: unknown }).code === "sessions/not-found") return undefined;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // whatever is wrong with a path that the agent told, no transcript lies there
  }
}
