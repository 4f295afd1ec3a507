import { rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../files/internal.ts";
import { messageOf, Problem } from "../protocol/internal.ts";
import { buildFile } from "../sdk/internal.ts";
import { cutArchive, type TranscriptFile } from "../sessions/internal.ts";
import { hooksAt } from "./hooks-at-commit.ts";
import { type PastEvent, pastEventNames, type RefusedThen } from "./past-event.ts";
import { openPlayer, type Player } from "./player.ts";
import { pastEventsIn } from "./read-past-events.ts";
import type { ReplayReport } from "./replay-report.ts";
import { makeScratch } from "./sandbox.ts";
import {
  chosenTranscripts,
  type EventFilter,
  eventFilter,
  openKeySet,
  type WhichTranscripts,
} from "./select-events.ts";
import { openTally } from "./tally.ts";

export interface ReplayOptions extends WhichTranscripts, EventFilter {
  /** The hooks file. */
  readonly hooks: string;
  /** Another file, or `git:REF` for the same file as it was there. */
  readonly against?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly allowEffects?: boolean;
  /** Rows in each list of the report. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (progress: { readonly bytes: number; readonly of: number }) => void;
}

/**
 * An app over past sessions. Nothing is executed: no tool runs, and the app itself runs where it can change nothing.
 * The past is streamed; what is kept of it is counts and the rows of the report.
 */
export async function replay(options: ReplayOptions): Promise<ReplayReport> {
  const { signal = new AbortController().signal } = options;
  const isWanted = eventFilter(options);
  const scratch = await makeScratch();
  const players: Player[] = [];
  const open = async (hooks: string, name: string): Promise<Player> => {
    await prepare(hooks, options.env);
    const { cwd, env, allowEffects = false } = options;
    const player = await openPlayer({ hooks, cwd, env, scratch: join(scratch, name), allowEffects, signal });
    players.push(player);
    return player;
  };
  try {
    const now = await open(options.hooks, "now");
    const other = options.against === undefined ? undefined : await hooksAt(options.against, options, scratch);
    const before = other === undefined ? undefined : await open(other, "before");
    const unread: Unread[] = [];
    const files = await chosenTranscripts(options, (file, error) => unread.push({ file, why: messageOf(error) }));
    const tally = openTally(options.limit ?? 1_000);
    const read = { hooks: options.hooks, files: files.length, bytes: 0, repeated: 0, unreadableLines: 0, unread };
    const line = pipeline(async (event) => {
      const [said, saidBefore] = await Promise.all([now.ask(event), before?.ask(event)]);
      return () => tally.add(event, said, saidBefore);
    });
    for await (const event of everyEvent(files, read, options, signal)) {
      if (event.name === "refused-then") await line.add(async () => () => tally.refusedThen(event.toolUseId));
      else if (isWanted(event)) await line.push(event);
    }
    await line.end();
    const notReplayed = now.handlers.filter(({ event }) => !pastEventNames.some((name) => name === event));
    return tally.report({
      ...read,
      notReplayed,
      ...(options.against === undefined ? {} : { againstHooks: options.against }),
    });
  } finally {
    await Promise.all(players.map((player) => player.close()));
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The replaying process must not start programs, and building does. The build reports what is wrong with the file. */
async function prepare(hooks: string, env: ReplayOptions["env"]): Promise<void> {
  try {
    await buildFile(hooks, env);
  } catch (error) {
    // JavaScript runs as it is; a build is only for files that do not find this package by themselves.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "sdk/no-typescript" || /\.[mc]?tsx?$/.test(hooks)) throw error;
  }
}

type Unread = ReplayReport["unread"][number];

interface ReadSoFar {
  bytes: number;
  repeated: number;
  unreadableLines: number;
  readonly unread: Unread[];
}

async function* everyEvent(
  files: readonly TranscriptFile[],
  read: ReadSoFar,
  { progress }: ReplayOptions,
  signal: AbortSignal,
): AsyncGenerator<PastEvent | RefusedThen, undefined> {
  const seen = openKeySet();
  const of = files.reduce((sum, { size }) => sum + size, 0);
  for (const file of files) {
    const readTo = (offset: number) => progress?.({ bytes: read.bytes + Math.min(offset, file.size), of });
    for await (const event of orUnread(file, pastEventsIn(file, signal, readTo), read.unread)) {
      signal.throwIfAborted();
      if (event.name === "unreadable" && event.isCut === true) read.unread.push(cutFile(file.path));
      else if (event.name === "unreadable") read.unreadableLines += 1;
      else if (event.name === "refused-then") yield event;
      else if (seen.add(event.key)) yield event;
      else read.repeated += 1;
    }
    read.bytes += file.size;
  }
}

/** One file that cannot be read, or not to its end, does not end the replay of the others. A file that went meanwhile holds nothing. */
async function* orUnread<Past>(
  file: TranscriptFile,
  events: AsyncGenerator<Past, undefined>,
  unread: Unread[],
): AsyncGenerator<Past, undefined> {
  try {
    yield* events;
  } catch (error) {
    const code = error instanceof Problem ? error.code : errorCode(error);
    if (code !== "sessions/unreadable-file" && !/^E[A-Z]+$/.test(code ?? "")) throw error;
    if (code !== "ENOENT") unread.push({ file: file.path, why: messageOf(error) });
  }
}

function cutFile(file: string): Unread {
  return { file, why: cutArchive(file).message };
}

/** Events on their way at the same time: enough to keep both sides busy, few enough to be held. */
const mostOnTheWay = 16;

/** Answers are taken in the order of the events, however they come. */
function pipeline(work: (event: PastEvent) => Promise<() => void>) {
  const onTheWay: Promise<() => void>[] = [];
  const takeOne = async () => (await onTheWay.shift())?.();
  const add = async (begin: () => Promise<() => void>): Promise<void> => {
    const answer = begin();
    // Looked at when its turn comes; until then a failure is no stray.
    answer.catch(() => undefined);
    onTheWay.push(answer);
    if (onTheWay.length >= mostOnTheWay) await takeOne();
  };
  return {
    add,
    push: (event: PastEvent): Promise<void> => add(() => work(event)),
    async end(): Promise<void> {
      while (onTheWay.length > 0) await takeOne();
    },
  };
}
