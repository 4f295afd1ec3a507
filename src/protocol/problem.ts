import type { ProblemCode } from "./problem-codes.ts";

/**
 * A wrong call: the one error class Hookline throws. What a hook or a file does wrong is a value, never a throw.
 *
 * `code` is stable and lists as `area/what`; `about` holds the facts the message was made from.
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly about: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, message: string, options: { about?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.about = options.about ?? {};
  }

  /** By name: some doors are bundled into one file each, so a program may hold several copies of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "Problem";
  }
}
