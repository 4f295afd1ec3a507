/**
 * A file of ours that cannot be used as it is. This module imports nothing, so it has its own error;
 * the shape and the name are those of `Problem`, and whoever prints problems prints it alike.
 */
export class FileProblem extends Error {
  override readonly name = "Problem";
  readonly code: FileProblemCode;
  readonly about: Readonly<Record<string, unknown>>;

  constructor(
    code: FileProblemCode,
    message: string,
    options: { about?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.about = options.about ?? {};
  }
}

export type FileProblemCode =
  /** Another live process has the lock; `about.owner` says which. */
  | "file/locked"
  /** A link, or something that is no file or folder, lies where ours should. */
  | "file/not-ours"
  /** Others own it or may write it. */
  | "file/unsafe"
  /** The state folder is named by a relative path. */
  | "file/relative-home"
  /** A record with a line break in it cannot be a line. */
  | "file/line-break";
