import type { SessionPlace } from "./find/session-files.ts";
import { type Session, sessionAt } from "./session.ts";

/** Opened sessions kept for the next asker, up to a bound. */
export interface SessionCache {
  /** The session, with everything that was written since it was last given out. */
  get(place: SessionPlace): Promise<Session>;
  /** A pinned session stays, however full the cache is. Gives back the way to let it go. */
  pin(place: SessionPlace): Promise<() => void>;
  clear(): void;
  readonly figures: {
    readonly sessions: number;
    readonly bytes: number;
    readonly hits: number;
    readonly misses: number;
    readonly evictions: number;
  };
}

/** What a byte of transcript takes in memory once it is a model: measured at 1.5 to 2. */
const memoryPerByte = 2;

export function sessionCache({ maxBytes = 64 * 1024 * 1024 }: { maxBytes?: number } = {}): SessionCache {
  /** In the order of use, the longest unused first. */
  const held = new Map<string, Session>();
  const pins = new Map<string, number>();
  let hits = 0;
  let misses = 0;
  let evictions = 0;

  const sizeOf = (session: Session) => session.heldBytes * memoryPerByte;
  const total = () => [...held.values()].reduce((sum, session) => sum + sizeOf(session), 0);

  function shrink(): void {
    let bytes = total();
    for (const [file, session] of held) {
      if (bytes <= maxBytes) return;
      if (pins.has(file)) continue;
      held.delete(file);
      bytes -= sizeOf(session);
      evictions++;
    }
  }

  async function get(place: SessionPlace): Promise<Session> {
    const known = held.get(place.file);
    const session = known ?? sessionAt(place);
    held.delete(place.file);
    held.set(place.file, session);
    if (known === undefined) misses++;
    else hits++;
    // Concurrent askers of a session that is not loaded yet share its first load.
    if (session.loaded) await session.refresh();
    else await session.load();
    shrink();
    return session;
  }

  return {
    get,
    async pin(place) {
      pins.set(place.file, (pins.get(place.file) ?? 0) + 1);
      await get(place);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        const left = (pins.get(place.file) ?? 1) - 1;
        if (left > 0) pins.set(place.file, left);
        else pins.delete(place.file);
        shrink();
      };
    },
    clear: () => held.clear(),
    get figures() {
      return { sessions: held.size, bytes: total(), hits, misses, evictions };
    },
  };
}
