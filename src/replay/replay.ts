import { rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../files/internal.ts";
import { defined, messageOf } from "../protocol/internal.ts";
import { buildFile } from "../sdk/internal.ts";
import { cutArchive, type TranscriptFile } from "../sessions/internal.ts";
import { hooksAt } from "./hooks-at-commit.ts";
import { type PastEvent, pastEventNames, type RefusedCall } from "./past-event.ts";
import { openPlayer, type Player } from "./player.ts";
import { pastEventsIn } from "./read-past-events.ts";
import type { ReplayReport } from "./replay-report.ts";
import { makeScratch } from "./sandbox.ts";
import {
  type EventFilter,
  eventFilter,
  firstTimeTest,
  selectTranscripts,
  type TranscriptFilter,
  toolsNotFound,
} from "./select-events.ts";
import { openTally } from "./tally.ts";

export interface ReplayOptions extends TranscriptFilter, EventFilter {
  /** The hooks file. */
  readonly hooks: string;
  /** Another hooks file, or `git:REF` for the same file in that commit. */
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
 * Runs an app on the events of past sessions. No tool runs, and the app runs in a sandbox without effects.
 * Transcripts are streamed: memory holds only counts and the rows of the report.
 */
export async function replay(options: ReplayOptions): Promise<ReplayReport> {
  const { signal = new AbortController().signal } = options;
  const isSelected = eventFilter(options);
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
    const unread: UnreadFile[] = [];
    const files = await selectTranscripts(options, (file, error) => unread.push({ file, why: messageOf(error) }));
    const tally = openTally(options.limit ?? 1_000);
    const totals = { hooks: options.hooks, files: files.length, bytes: 0, repeated: 0, unreadableLines: 0, unread };
    const queue = orderedQueue();
    const tools = new Set<string>();
    for await (const event of allEvents(files, totals, options, signal)) {
      if (event.name === "refused-call") {
        await queue.add(async () => () => tally.markRefused(event.toolUseId));
        continue;
      }
      if (event.tool !== undefined) tools.add(event.tool);
      if (isSelected(event)) {
        await queue.add(async () => {
          const [answer, answerBefore] = await Promise.all([now.ask(event), before?.ask(event)]);
          return () => tally.add(event, answer, answerBefore);
        });
      }
    }
    await queue.end();
    const notReplayed = now.handlers.filter(({ event }) => !pastEventNames.some((name) => name === event));
    const notFound = defined({ toolsNotFound: toolsNotFound(options, tools) });
    return tally.report({ ...totals, notReplayed, ...notFound }, now.handlers, options.against);
  } finally {
    await Promise.all(players.map((player) => player.close()));
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Builds the hooks file. The sandbox cannot do that, because a build starts a program. */
async function prepare(hooks: string, env: ReplayOptions["env"]): Promise<void> {
  try {
    await buildFile(hooks, env);
  } catch (error) {
    // JavaScript can run without a build.
    if (errorCode(error) !== "sdk/no-typescript" || /\.[mc]?tsx?$/.test(hooks)) throw error;
  }
}

type UnreadFile = ReplayReport["unread"][number];

interface ReadTotals {
  bytes: number;
  repeated: number;
  unreadableLines: number;
  readonly unread: UnreadFile[];
}

/** The events of all files, each once. Counts in `totals` what it leaves out. */
async function* allEvents(
  files: readonly TranscriptFile[],
  totals: ReadTotals,
  { progress }: ReplayOptions,
  signal: AbortSignal,
): AsyncGenerator<PastEvent | RefusedCall, undefined> {
  const isFirstTime = firstTimeTest();
  const of = files.reduce((sum, { size }) => sum + size, 0);
  for (const file of files) {
    const onOffset = (offset: number) => progress?.({ bytes: totals.bytes + Math.min(offset, file.size), of });
    for await (const event of orUnread(file, pastEventsIn(file, signal, onOffset), totals.unread)) {
      signal.throwIfAborted();
      if (event.name === "unreadable" && event.isCut === true) {
        totals.unread.push({ file: file.path, why: cutArchive(file.path).message });
      } else if (event.name === "unreadable") totals.unreadableLines += 1;
      else if (event.name === "refused-call") yield event;
      else if (isFirstTime(event.key)) yield event;
      else totals.repeated += 1;
    }
    totals.bytes += file.size;
  }
}

/** Records a file that cannot be read, or only in part, and continues with the next one. A file that was deleted is ignored. */
async function* orUnread<Item>(
  file: TranscriptFile,
  events: AsyncGenerator<Item, undefined>,
  unread: UnreadFile[],
): AsyncGenerator<Item, undefined> {
  try {
    yield* events;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code !== "sessions/unreadable-file" && !/^E[A-Z]+$/.test(code)) throw error;
    if (code !== "ENOENT") unread.push({ file: file.path, why: messageOf(error) });
  }
}

/** Enough events in flight to keep reader and app busy, few enough to hold in memory. */
const mostInFlight = 16;

/** Starts work at once and applies the results in the order in which the work was added. */
function orderedQueue() {
  const inFlight: Promise<() => void>[] = [];
  const applyFirst = async () => (await inFlight.shift())?.();
  return {
    async add(work: () => Promise<() => void>): Promise<void> {
      const result = work();
      // A failure is thrown by `applyFirst`; until then it must not count as an unhandled rejection.
      result.catch(() => undefined);
      inFlight.push(result);
      if (inFlight.length >= mostInFlight) await applyFirst();
    },
    async end(): Promise<void> {
      while (inFlight.length > 0) await applyFirst();
    },
  };
}
