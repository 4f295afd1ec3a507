import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { checkOf, isObject } from "../../protocol/internal.ts";
import { type SessionPlace, type SessionTranscript, transcriptsOf } from "../find/session-files.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { checkArgument, checkCallOptions, checkSessionPlace } from "../option-checks.ts";
import type { Cursor } from "./byte-source.ts";
import { readEntries } from "./read-entries.ts";
import { readLines } from "./read-lines.ts";

/** A change of a session that is followed. `agentId` is absent for the main transcript. */
export type FollowEvent =
  | { readonly kind: "entry"; readonly entry: TranscriptItem; readonly file: string; readonly agentId?: string }
  | { readonly kind: "agent"; readonly file: string; readonly agentId: string }
  /** The file was cut or replaced. The next entries are from its beginning. */
  | { readonly kind: "reset"; readonly file: string; readonly agentId?: string }
  | { readonly kind: "removed"; readonly file: string; readonly agentId?: string };

/** Options of `followSession`. */
export interface FollowOptions {
  /** `"end"` (default): only new entries. `"start"`: existing entries first. Or the cursors of an earlier run. */
  readonly from?: "start" | "end" | Readonly<Record<string, Cursor>>;
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** How often files are checked when no file event arrives. Default: 250. */
  readonly pollMs?: number;
}

/** The result of `followSession`: an async iterable of events, such as new entries. */
export interface Following extends AsyncIterable<FollowEvent> {
  /** How far each file has been read, by path. Pass it as `from` to continue later. */
  cursors(): Readonly<Record<string, Cursor>>;
}

/** Yields new entries of a session: of its main transcript and of all agents, including agents that start later. */
export function followSession(
  session: SessionPlace | { readonly place: SessionPlace },
  options: FollowOptions = {},
): Following {
  const place = typeof session === "object" && session !== null && "place" in session ? session.place : session;
  checkSessionPlace(place);
  checkCallOptions("followSession", options, ["from", "signal", "pollMs"]);
  checkArgument("from", options.from, fromCheck);
  const followed = new Map<string, FollowedFile>();
  return {
    cursors: () =>
      Object.fromEntries([...followed].flatMap(([file, { cursor }]) => (cursor === undefined ? [] : [[file, cursor]]))),
    [Symbol.asyncIterator]: () => events(place, options, followed),
  };
}

const fromCheck = checkOf(
  '"start", "end" or cursors',
  (from) => from === undefined || from === "start" || from === "end" || isObject(from),
);

interface FollowedFile {
  cursor: Cursor | undefined;
  /** Identity, size and time at the last check; empty while the file does not exist. */
  stamp: string;
}

async function* events(
  place: SessionPlace,
  { from = "end", signal, pollMs = 250 }: FollowOptions,
  followed: Map<string, FollowedFile>,
): AsyncGenerator<FollowEvent, undefined> {
  const own = join(place.folder, place.id);
  const changes = watchFiles([place.folder, own, join(own, "subagents")], signal);
  try {
    for (let first = true; signal?.aborted !== true; first = false) {
      for (const transcript of await transcriptsOf(place)) {
        const { file, agentId } = transcript;
        const isNew = !followed.has(file);
        const state = followed.get(file) ?? { cursor: typeof from === "object" ? from[file] : undefined, stamp: "" };
        followed.set(file, state);
        if (first && from === "end") {
          await skipToEnd(file, state);
          continue;
        }
        if (isNew && !first && agentId !== undefined) yield { kind: "agent", file, agentId };
        for await (const event of newEvents(transcript, state)) {
          yield event;
          if (signal?.aborted) return;
        }
      }
      await changes.next(pollMs);
    }
  } finally {
    changes.close();
  }
}

async function* newEvents(source: SessionTranscript, state: FollowedFile): AsyncGenerator<FollowEvent, undefined> {
  const { file } = source;
  const stamp = await stampOf(file);
  if (stamp === state.stamp) return;
  if (stamp === "") {
    state.stamp = "";
    yield { kind: "removed", ...source };
    return;
  }
  const reader = readEntries(file, { from: state.cursor, tail: "keep" });
  const { lines } = reader;
  let isReported = false;
  for await (const batch of reader) {
    if (lines.reset && !isReported) yield { kind: "reset", ...source };
    isReported = true;
    for (const entry of batch) yield { kind: "entry", entry, ...source };
  }
  if (lines.reset && !isReported) yield { kind: "reset", ...source };
  state.cursor = lines.cursor;
  state.stamp = stamp;
}

async function skipToEnd(file: string, state: FollowedFile): Promise<void> {
  const stamp = await stampOf(file);
  if (stamp === "") return;
  const lines = readLines(file);
  for await (const _ of lines);
  state.cursor = lines.cursor;
  state.stamp = stamp;
}

async function stampOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined); // removed, or not created yet
  return found === undefined ? "" : [found.dev, found.ino, found.size, found.mtimeMs].join(" ");
}

/** File events only shorten the wait: some file systems report none, and then polling finds the change. */
export function watchFiles(paths: readonly string[], signal: AbortSignal | undefined) {
  let wake: (() => void) | undefined;
  let hasChanged = false;
  const onChange = () => {
    hasChanged = true;
    wake?.();
  };
  const watchers = new Map<string, FSWatcher>();
  const add = (path: string) => {
    if (watchers.has(path)) return;
    try {
      const watcher = watch(path, { persistent: false }, onChange);
      watcher.on("error", () => {
        watcher.close();
        watchers.delete(path);
      });
      watchers.set(path, watcher);
    } catch {
      // The folder does not exist yet, or the limit of watches is reached: polling is enough.
    }
  };
  signal?.addEventListener("abort", onChange, { once: true });
  return {
    /** Resolves on a change, on abort, or after `pollMs`. */
    async next(pollMs: number): Promise<void> {
      for (const path of paths) add(path);
      if (!hasChanged && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasChanged = false;
      wake = undefined;
    },
    close(): void {
      for (const watcher of watchers.values()) watcher.close();
      signal?.removeEventListener("abort", onChange);
    },
  };
}
