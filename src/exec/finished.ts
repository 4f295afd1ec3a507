/** What a run came to. Whatever a process does, and even if there never was one, it is told as this value and never thrown. */
export interface Finished {
  readonly ended: Ended;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly durationMs: number;
  /** Processes of an ended tree that may still live; on a normal end only when `reportLeftBehind` asks for those it left behind. */
  readonly leaked: readonly Leak[];
}

/** How a process ended. `afterMs` is the limit that was in force, `why` a sentence for people, `code` the system's error code. */
export type Ended =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: string }
  | { readonly by: "timeout"; readonly afterMs: number }
  | { readonly by: "cancelled" }
  | { readonly by: "not-started"; readonly why: string; readonly code?: string };

/** The beginning of a stream as text, up to the cap, and how many bytes came after it and were thrown away. */
export interface Output {
  readonly text: string;
  readonly droppedBytes: number;
}

/**
 * A process that outlived the end of its tree: `survived` every signal or was `left-behind` by one that ended by itself, belongs to someone else (`not-permitted`),
 * or is known only because somebody unknown still `holds-output`.
 */
export type Leak =
  | { readonly why: "survived" | "not-permitted" | "left-behind"; readonly pid: number; readonly name: string }
  | { readonly why: "holds-output" };
