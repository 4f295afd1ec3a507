import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isObject, messageOf, Problem } from "../../protocol/internal.ts";
import type { Io } from "./command.ts";

/** Reads a JSON object from a file, from standard input (`-`), or from the argument when it looks like JSON. */
export async function readObject(argument: string, what: string, io: Io): Promise<Record<string, unknown>> {
  const text = await readText(argument, what, io);
  const value = parse(text, argument, what);
  if (isObject(value)) return value;
  const found = Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
  throw new Problem("cli/bad-input", `${what} (${place(argument)}) must be a JSON object, not ${found}.`);
}

/** Reads text from a file, from standard input (`-`), or from the argument when it looks like JSON. */
export async function readText(argument: string, what: string, io: Io): Promise<string> {
  if (isJson(argument)) return argument;
  if (argument === "-") return readAll(io);
  const path = resolve(io.cwd, argument);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "the file does not exist" : String(cause);
    const message = `${what} cannot be read from ${path}: ${why}. Pass a file, JSON, or - for standard input.`;
    throw new Problem("cli/bad-input", message, { cause });
  }
}

function parse(text: string, argument: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const why = messageOf(cause);
    throw new Problem("cli/bad-input", `${what} (${place(argument)}) is not valid JSON: ${why}`, { cause });
  }
}

function place(argument: string): string {
  if (argument === "-") return "standard input";
  return isJson(argument) ? "on the command line" : argument;
}

/** A file name does not begin like this. */
function isJson(argument: string): boolean {
  return /^\s*[{["]/.test(argument);
}

/** Reads standard input to its end. Throws the reason of the signal when the command is interrupted. */
export async function readAll({ stdin, signal }: Pick<Io, "stdin" | "signal">): Promise<string> {
  signal.throwIfAborted();
  const stop = (): void => void stdin.destroy?.(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The lines of standard input as they arrive. `node:readline` would also end a line at U+2028, which a JSON text can contain. */
export async function* inputLines({ stdin }: Pick<Io, "stdin">): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stdin) {
    const [first = "", ...others] = decoder.decode(Buffer.from(chunk), { stream: true }).split("\n");
    const last = others.pop();
    if (last === undefined) rest += first;
    else {
      yield* [rest + first, ...others];
      rest = last;
    }
  }
  yield rest + decoder.decode();
}

/** Where a hooks file is expected, in this order. */
const defaultFiles = ["ts", "mts", "js", "mjs"].map((ending) => `.claude/hooks.${ending}`);

/** The hooks file of a project, relative to it: the first that exists, or the first name when none does. */
export function defaultHooksFile(cwd: string): string {
  return defaultFiles.find((name) => existsSync(resolve(cwd, name))) ?? (defaultFiles[0] as string);
}

/** Adds to the problem of a payload without a tool how to name one. */
export function withToolHint(error: unknown, hint: string): unknown {
  if (!(error instanceof Problem) || error.code !== "event/bad-payload" || error.about["field"] !== "tool_name")
    return error;
  return new Problem(error.code, `${error.message} ${hint}`, { about: error.about, cause: error });
}
