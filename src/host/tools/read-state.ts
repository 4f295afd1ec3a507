/** What a thread has read and what it was then, by real path: only what was read, and is still the same, may be written over. */
export interface ReadState {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord): void;
  /** After compaction the model no longer knows the files. */
  clear(): void;
  /** A copy that goes on by itself: what a forked thread starts with. */
  copy(): ReadState;
}

/** `digest` is the SHA-256 of the file's bytes. What the model wrote itself it knows too, but was not shown with numbers. */
export type ReadRecord =
  | { readonly by: "reading"; readonly digest: string; readonly offset?: number; readonly limit?: number }
  | { readonly by: "writing"; readonly digest: string };

export function openReadState(from: Iterable<readonly [string, ReadRecord]> = []): ReadState {
  const records = new Map(from);
  return {
    get: (path) => records.get(path),
    set: (path, record) => void records.set(path, record),
    clear: () => records.clear(),
    copy: () => openReadState(records),
  };
}
