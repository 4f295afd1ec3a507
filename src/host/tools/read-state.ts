/** What a thread has read and what it was then, by real path: only what was read, and is still the same, may be edited. */
export interface ReadState {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord): void;
  /** After compaction the model no longer knows the files. */
  clear(): void;
  /** A copy that goes on by itself: what a forked thread starts with. */
  copy(): ReadState;
}

export interface ReadRecord {
  /** SHA-256 of the file's bytes. */
  readonly digest: string;
  readonly mtimeMs: number;
  /** The window that was shown; absent when all of it was. */
  readonly window?: { readonly offset: number; readonly limit: number | undefined };
}

export function openReadState(from: Iterable<readonly [string, ReadRecord]> = []): ReadState {
  const records = new Map(from);
  return {
    get: (path) => records.get(path),
    set: (path, record) => void records.set(path, record),
    clear: () => records.clear(),
    copy: () => openReadState(records),
  };
}
