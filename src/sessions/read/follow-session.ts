import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type SessionPlace, sessionFilesOf } from "../find/session-files.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { checkMs, checkSessionPlace, checkWord } from "../option-checks.ts";
import type { Cursor } from "./byte-source.ts";
import { readEntries } from "./read-entries.ts";

/** What happens to a session while it is watched. `agentId` is absent for the main transcript. */
export type FollowEvent =
  | { readonly kind: "entry"; readonly entry: TranscriptItem; readonly file: string; readonly agentId?: string }
  | { readonly kind: "agent"; readonly file: string; readonly agentId: string }
  /** The file was cut or replaced: what follows is read from its beginning. */
  | { readonly kind: "reset"; readonly file: string; readonly agentId?: string }
  | { readonly kind: "removed"; readonly file: string; readonly agentId?: string };

export interface FollowOptions {
  /** `"end"` (default): only what is written from now on. `"start"`: everything there is first. Or continue from cursors. */
  readonly from?: "start" | "end" | Readonly<Record<string, Cursor>>;
  /** Ends the iteration, quietly. */
  readonly signal?: AbortSignal;
  /** How often files are looked at when nothing wakes us. */
  readonly pollMs?: number;
}

export interface Following extends AsyncIterable<FollowEvent> {
  /** Where each file has been read to, by path: hand it to the next `followSession`. */
  cursors(): Readonly<Record<string, Cursor>>;
}

/** New entries of a session's main transcript and of every agent's, those that begin later included. */
export function followSession(
  session: SessionPlace | { readonly place: SessionPlace },
  options: FollowOptions = {},
): Following {
  const place = typeof session === "object" && session !== null && "place" in session ? session.place : session;
  checkSessionPlace(place);
  if (typeof options.from !== "object" && options.from !== undefined) checkWord("from", options.from, ["start", "end"]);
  checkMs("pollMs", options.pollMs);
  const followed = new Map<string, Followed>();
  return {
    cursors: () =>
      Object.fromEntries([...followed].flatMap(([file, { cursor }]) => (cursor === undefined ? [] : [[file, cursor]]))),
    [Symbol.asyncIterator]: () => events(place, options, followed),
  };
}

interface Followed {
  cursor: Cursor | undefined;
  /** Identity, size and time at the last check; empty while the file does not exist. */
  stamp: string;
}

async function* events(
  place: SessionPlace,
  { from = "end", signal, pollMs = 250 }: FollowOptions,
  followed: Map<string, Followed>,
): AsyncGenerator<FollowEvent, undefined> {
  const own = join(place.folder, place.id);
  const alarm = wakeOn([place.folder, own, join(own, "subagents")], signal);
  try {
    for (let first = true; signal?.aborted !== true; first = false) {
      for (const { file, agentId } of await filesNow(place)) {
        const isNew = !followed.has(file);
        const state = followed.get(file) ?? { cursor: typeof from === "object" ? from[file] : undefined, stamp: "" };
        followed.set(file, state);
        if (first && from === "end") {
          await skipToEnd(file, state);
          continue;
        }
        if (isNew && !first && agentId !== undefined) yield { kind: "agent", file, agentId };
        for await (const event of newIn(file, agentId, state)) {
          yield event;
          if (signal?.aborted) return;
        }
      }
      await alarm.next(pollMs);
    }
  } finally {
    alarm.close();
  }
}

async function filesNow(place: SessionPlace): Promise<{ file: string; agentId?: string }[]> {
  const { agents } = await sessionFilesOf(place);
  return [{ file: place.file }, ...agents.map(({ file, id }) => ({ file, agentId: id }))];
}

async function* newIn(
  file: string,
  agentId: string | undefined,
  state: Followed,
): AsyncGenerator<FollowEvent, undefined> {
  const whose = { file, ...(agentId === undefined ? {} : { agentId }) };
  const stamp = await stampOf(file);
  if (stamp === state.stamp) return;
  if (stamp === "") {
    state.stamp = "";
    yield { kind: "removed", ...whose };
    return;
  }
  const reader = readEntries(file, { from: state.cursor, tail: "keep" });
  let isReported = false;
  for await (const batch of reader) {
    if (reader.reset && !isReported) yield { kind: "reset", ...whose };
    isReported = true;
    for (const entry of batch) yield { kind: "entry", entry, ...whose };
  }
  if (reader.reset && !isReported) yield { kind: "reset", ...whose };
  state.cursor = reader.cursor;
  state.stamp = stamp;
}

async function skipToEnd(file: string, state: Followed): Promise<void> {
  const stamp = await stampOf(file);
  if (stamp === "") return;
  const reader = readEntries(file, { tail: "keep" });
  for await (const _ of reader);
  state.cursor = reader.cursor;
  state.stamp = stamp;
}

async function stampOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(file);
    return [dev, ino, size, mtimeMs].join(" ");
  } catch {
    // Removed, or not there yet: both are states of a session, not errors.
    return "";
  }
}

export interface Alarm {
  /** Resolves on a change, on abort, or after `pollMs`. */
  next(pollMs: number): Promise<void>;
  close(): void;
}

/** Watching only wakes us earlier: some file systems say nothing, and the poll finds what they kept to themselves. */
export function wakeOn(paths: readonly string[], signal: AbortSignal | undefined): Alarm {
  let wake: (() => void) | undefined;
  let woken = false;
  const ring = () => {
    woken = true;
    wake?.();
  };
  const watchers = new Map<string, FSWatcher>();
  const add = (path: string) => {
    if (watchers.has(path)) return;
    try {
      const watcher = watch(path, { persistent: false }, ring);
      watcher.on("error", () => {
        watcher.close();
        watchers.delete(path);
      });
      watchers.set(path, watcher);
    } catch {
      // Not there yet, or no more watches to be had: the poll is enough.
    }
  };
  signal?.addEventListener("abort", ring, { once: true });
  return {
    async next(pollMs: number): Promise<void> {
      for (const path of paths) add(path);
      if (!woken && signal?.aborted !== true) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, pollMs);
          wake = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      woken = false;
      wake = undefined;
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      signal?.removeEventListener("abort", ring);
    },
  };
}
