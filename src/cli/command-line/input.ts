import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isObject, messageOf, Problem } from "../../protocol/internal.ts";
import type { Io } from "./command.ts";

/** A JSON object from a file, from standard input (`-`) or from the word itself when it looks like JSON. */
export async function readObject(word: string, what: string, io: Io): Promise<Record<string, unknown>> {
  const text = await readText(word, what, io);
  const value = parse(text, word, what);
  if (isObject(value)) return value;
  const found = Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
  throw new Problem("cli/bad-input", `${what} (${place(word)}) must be a JSON object, not ${found}.`);
}

/** The text itself: from a file, from standard input (`-`), or the word when it looks like JSON. */
export async function readText(word: string, what: string, io: Io): Promise<string> {
  if (isJson(word)) return word;
  if (word === "-") return readAll(io);
  const path = resolve(io.cwd, word);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : String(cause);
    throw new Problem(
      "cli/bad-input",
      `${what} cannot be read from ${path}: ${why}. Give a file, JSON, or - for standard input.`,
      {
        cause,
      },
    );
  }
}

function parse(text: string, word: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const why = messageOf(cause);
    throw new Problem("cli/bad-input", `${what} (${place(word)}) is no JSON: ${why}`, { cause });
  }
}

function place(word: string): string {
  if (word === "-") return "standard input";
  return isJson(word) ? "on the command line" : word;
}

/** No file is called like this, and somebody who writes it means JSON. */
function isJson(word: string): boolean {
  return /^\s*[{["]/.test(word);
}

/** Standard input to its end. Contract: an interruption ends the wait for it, with the reason of the signal. */
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

/** Where a project's hooks lie when nobody says so, the first that is there. */
const usual = ["ts", "mts", "js", "mjs"].map((ending) => `.claude/hooks.${ending}`);

/** The usual hooks file of a folder, as a person would name it there; the first of the names when there is none. */
export function usualHooksFile(cwd: string): string {
  return usual.find((name) => existsSync(resolve(cwd, name))) ?? (usual[0] as string);
}
