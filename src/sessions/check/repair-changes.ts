import type { Item } from "../model/entry.ts";

/** One thing that is put right. */
export interface Mend {
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly uuid?: string;
  readonly message: string;
}

/** What is to become of one line. */
export interface LineChange {
  /** Its new bytes; null takes it out. */
  bytes: Buffer | null;
  /** Lines to follow it. */
  readonly after: Buffer[];
  /** What was taken out of it, to be kept aside. */
  readonly aside: Aside[];
}

export interface Aside {
  readonly why: string;
  readonly content: Uint8Array | unknown;
}

/** Where a repair is worked out before anything is written. Lines nobody asks for keep their bytes. */
export interface Desk {
  readonly mends: readonly Mend[];
  readonly changes: ReadonlyMap<Item, LineChange>;
  change(item: Item): LineChange;
  say(item: Item, code: string, message: string): void;
}

export function openDesk(): Desk {
  const mends: Mend[] = [];
  const changes = new Map<Item, LineChange>();
  return {
    mends,
    changes,
    change(item) {
      const bytes = () => Buffer.from(item.kind === "unreadable" ? item.bytes() : item.raw());
      const known = changes.get(item) ?? { bytes: bytes(), after: [], aside: [] };
      changes.set(item, known);
      return known;
    },
    say(item, code, message) {
      const { file, line } = item;
      const uuid = item.kind === "unreadable" ? undefined : item.uuid;
      mends.push({ code, file, line, ...(uuid ? { uuid } : {}), message });
    },
  };
}
