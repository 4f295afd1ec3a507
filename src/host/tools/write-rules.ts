import { lstat } from "node:fs/promises";
import { unless } from "../../files/index.ts";
import { realPath } from "./paths.ts";
import { digestOf, readWhole, sayError, writeWhole } from "./text-file.ts";
import type { ToolContext } from "./tool.ts";

export const changedSinceRead =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

const mostBytes = 64 * 2 ** 20;

export type Writable =
  | { readonly bytes: Buffer }
  /** There is no file yet; the words are for a tool that needs one. */
  | { readonly missing: string }
  | { readonly refused: string };

/** Only what was read, and is still what it was, may be written over; and never through a link. */
export async function lookForWriting(given: string, context: ToolContext): Promise<Writable> {
  try {
    const link = await unless(["ENOENT", "ENOTDIR"], lstat(given));
    if (link?.isSymbolicLink()) {
      return {
        refused: `Refusing to write through symlink: ${given}. Resolve the symlink and pass the real target path explicitly.`,
      };
    }
    const path = realPath(given, context);
    const bytes = await readWhole(path, mostBytes);
    if (bytes === undefined) {
      return { missing: `File does not exist. Note: your current working directory is ${context.cwd()}.` };
    }
    const read = context.readState.get(path);
    if (read === undefined) return { refused: "File has not been read yet. Read it first before writing to it." };
    return read.digest === digestOf(bytes) ? { bytes } : { refused: changedSinceRead };
  } catch (error) {
    return { refused: sayError(error, given) };
  }
}

/** False when the file was no longer what it was looked at as. What is written counts as read. */
export async function saveText(
  path: string,
  text: string,
  before: Uint8Array | undefined,
  context: ToolContext,
): Promise<boolean> {
  const expect = before === undefined ? null : digestOf(before);
  if ((await writeWhole(path, text, expect)) === "changed") return false;
  context.readState.set(path, { digest: digestOf(text), by: "writing" });
  await context.fileTouched(path);
  return true;
}
