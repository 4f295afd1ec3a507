import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { findRoots } from "../find/session-roots.ts";
import { type LiveOptions, type LiveSession, liveSessions } from "./live-sessions.ts";

export interface LiveChange {
  readonly kind: "started" | "changed" | "ended";
  readonly session: LiveSession;
  /** How it was before, of a change: `/clear` gives a process another session. */
  readonly before?: LiveSession;
}

/** Changes of the registry from now on; those that run already come first, as started. Ends with the signal. */
export async function* watchLive(
  options: LiveOptions & { signal?: AbortSignal; pollMs?: number } = {},
): AsyncGenerator<LiveChange, undefined> {
  const { signal, pollMs = 250 } = options;
  let known = new Map<string, LiveSession>();
  let ring: (() => void) | undefined;
  const watchers = await watchersFor(options, () => ring?.());
  const leave = () => ring?.();
  signal?.addEventListener("abort", leave);
  try {
    while (signal?.aborted !== true) {
      const now = new Map((await liveSessions(options)).map((session) => [session.file, session]));
      for (const [file, session] of now) {
        const before = known.get(file);
        if (before === undefined) yield { kind: "started", session };
        else if (JSON.stringify(before) !== JSON.stringify(session)) yield { kind: "changed", session, before };
      }
      for (const [file, session] of known) if (!now.has(file)) yield { kind: "ended", session };
      known = now;
      if (signal?.aborted) return;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, pollMs);
        ring = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    for (const watcher of watchers) watcher.close();
  }
}

async function watchersFor(options: LiveOptions, ring: () => void): Promise<FSWatcher[]> {
  return (await findRoots(options)).flatMap(({ path }) => {
    try {
      const watcher = watch(join(path, "sessions"), { persistent: false }, ring);
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      // No such folder yet: the poll looks there too.
      return [];
    }
  });
}
