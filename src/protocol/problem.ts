import type { ProblemCode } from "./problem-codes.ts";
import type { Warning } from "./warning-codes.ts";

/**
 * A wrong call: the one error class Hookline throws. What a hook or a file does wrong is a value, never a throw.
 *
 * `code` is stable and has the form `area/name`; `about` holds the values that the message was built from.
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

  /** By name: some entry points are bundled into one file each, so a program may hold several copies of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "Problem";
  }
}

/**
 * What was thrown, in words and at a bounded length.
 * Contract: never throws, whatever the value does when it is read.
 */
export function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  } catch {
    return "something that cannot be printed"; // a getter or toString of its own that throws
  }
}

const maxChars = 2_000;

/** What a user can do about an error of the file system. */
const advice: Readonly<Record<string, string>> = {
  EACCES: "Permission denied. Check the owner and the mode (ls -ld).",
  EPERM: "Operation not permitted. Check the owner (ls -ld).",
  EROFS: "The file system is read-only. Choose another directory.",
  ENOSPC: "The disk is full. Free some space and try again.",
  EDQUOT: "Disk quota exceeded. Free some space and try again.",
  EIO: "I/O error. Check the disk and try again.",
  ELOOP: "Too many levels of symbolic links. Remove the circular link.",
  ENOTDIR: "A component of the path is not a directory. Move it away.",
  EISDIR: "The path is a directory; a file was expected. Move it away.",
  ENAMETOOLONG: "The path is too long for this file system. Choose a shorter one.",
  EMFILE: "Too many open files. Raise the limit (ulimit -n) and try again.",
  ENFILE: "Too many open files on this machine. Try again later.",
};

/** The message for an error of the operating system, with advice; undefined for any other error. */
export function systemErrorMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") return "The current directory no longer exists. Change to another directory and try again.";
  if (syscall === undefined || code === undefined || !Object.hasOwn(advice, code)) return undefined;
  return `${error.message}. ${advice[code]}`;
}

/** Loads an optional package, or reports which one to install. `load` is the `import()` itself, so that its types are the package's. */
export async function loadPackage<Package>(
  name: string,
  needed: string,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    throw missingPackageProblem(name, needed, cause);
  }
}

/**
 * What to say when an optional package could not be loaded: a `Problem` that names the package to install, or the error itself when the
 * package is there and something else went wrong.
 */
function missingPackageProblem(name: string, needed: string, cause: unknown): unknown {
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  const named = String(message).includes(`'${name}'`) || String(message).includes(`"${name}"`);
  if (!named || (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND")) return cause;
  return new Problem(
    "package/missing",
    `${needed} needs the package ${name}, which is not installed. Install it with: npm install ${name}`,
    { about: { package: name }, cause },
  );
}

/** A value as a message shows it, cut to a few words. Contract: never throws, whatever a program hands over. */
export function showValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return `a ${typeof value}`;
  const text = written(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // A circle, a BigInt inside, or a getter that throws.
    return `a value that cannot be written as JSON (${messageOf(error).split("\n")[0]})`;
  }
}

/**
 * Calls code of the host without waiting for it. Contract: what it throws, at once or as a rejected promise, goes to `onThrow`
 * and affects nothing else.
 */
export function callHost(call: () => unknown, onThrow: (error: unknown) => void): void {
  try {
    const result = call();
    if (result instanceof Promise) result.catch(onThrow);
  } catch (error) {
    onThrow(error);
  }
}

/** An observer whose errors affect nothing. The first one is reported; later events still reach the observer. */
export function guardedObserver<Event extends { readonly kind: string }>(
  observe: ((event: Event) => void) | undefined,
  report: (warning: Warning & { readonly code: "observer-threw" }) => void,
): (event: Event) => void {
  let threw = false;
  return (event) =>
    callHost(
      () => observe?.(event),
      (error) => {
        if (threw) return;
        threw = true;
        const message = `The observer of this run threw at "${event.kind}": ${messageOf(error)}`;
        report({ code: "observer-threw", message });
      },
    );
}
