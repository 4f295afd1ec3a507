import { chmod, copyFile, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { closeAfter, errorCode, openFlags } from "../../../files/internal.ts";
import { analyseShell, type ShellPart } from "../../../permissions/internal.ts";
import type { ToolPaths } from "../tool.ts";

const maxChars = 30_000;
const previewChars = 2_000;
const errorChars = 10_000;

/** Reads what is shown and removes the file; a longer output is moved next to the transcript, to `saved`. */
export async function readOutput(outputPath: string, paths: ToolPaths) {
  const { text, sizeBytes } = await beginningOf(outputPath);
  if (text.length <= maxChars && sizeBytes <= maxChars * 4) {
    await rm(outputPath, { force: true });
    return { text };
  }
  await mkdir(paths.toolResults, { recursive: true, mode: 0o700 });
  const path = join(paths.toolResults, basename(outputPath).replace(/\.output$/, ".txt"));
  await moveFile(outputPath, path);
  return { text: text.slice(0, maxChars), saved: { path, sizeBytes } };
}

/** Reads what is shown of a failure's output and removes the file. */
export async function discardOutput(outputPath: string): Promise<string> {
  const { text } = await beginningOf(outputPath);
  await rm(outputPath, { force: true });
  return text.slice(0, maxChars);
}

/** What the model sees of an output that was saved to a file. */
export function persistedText(text: string, path: string, sizeBytes: number): string {
  const start = text.slice(0, previewChars);
  const cut = start.lastIndexOf("\n");
  const preview = text.length > previewChars && cut > 0 ? start.slice(0, cut) : start;
  return `<persisted-output>\nOutput too large (${readableSize(sizeBytes)}). Full output saved to: ${path}\n\nPreview (first 2KB):\n${preview}\n...\n</persisted-output>`;
}

/** The text of a failure: a long one loses its middle. */
export function shortenError(text: string): string {
  if (text.length <= errorChars) return text;
  const half = errorChars / 2;
  return `${text.slice(0, half)}\n\n... [${text.length - errorChars} characters truncated] ...\n\n${text.slice(-half)}`;
}

/** The text without empty lines in front and blanks behind, and the size of the whole file. */
async function beginningOf(path: string): Promise<{ text: string; sizeBytes: number }> {
  const sizeBytes = (await stat(path)).size;
  // The command may have put something else in its place: a link leads elsewhere, and a pipe would block forever.
  const file = await open(path, openFlags.reading);
  return closeAfter(file, async () => {
    // No character has more than four bytes.
    const bytes = Buffer.alloc(Math.min(sizeBytes, maxChars * 4));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const text = bytes.toString("utf8", 0, bytesRead);
    return { text: text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd(), sizeBytes };
  });
}

async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    await copyFile(from, to);
    await chmod(to, 0o600);
    await rm(from, { force: true });
  }
}

/** A readable size: `512 bytes`, `29.3KB`, `4MB`. */
export function readableSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** power).toFixed(1).replace(/\.0$/, "")}${["", "KB", "MB", "GB"][power]}`;
}

const silentPrograms = new Set("mv cp rm mkdir rmdir chmod chown chgrp touch ln cd export unset wait".split(" "));

/** `silent`: all programs of the command print nothing when they succeed. `last`: the program whose exit code is that of the whole. */
export function shellTraits(command: string, cwd: string) {
  const { parts, problems } = analyseShell(command, { cwd, home: cwd });
  const heads = parts.flatMap(headOf);
  // Text that bash evaluates twice does not matter here: the program is the same.
  const known = heads.length > 0 && problems.every(({ code }) => code === "second-evaluation");
  return { silent: known && heads.every((head) => silentPrograms.has(head)), last: known ? (heads.at(-1) ?? "") : "" };
}

/** What exit code 1 of a program means, where it is an answer and not a failure. */
export const meaningsOfOne: ReadonlyMap<string, string> = new Map([
  ["grep", "No matches found"],
  ["rg", "No matches found"],
  ["find", "Some directories were inaccessible"],
  ["diff", "Files differ"],
  ["test", "Condition is false"],
  ["[", "Condition is false"],
]);

function headOf(part: ShellPart): string[] {
  // An assignment is a part too, named after the variable; it prints nothing.
  if (part.kind === "state") return part.text === part.head && !silentPrograms.has(part.head) ? [] : [part.head];
  if (part.kind !== "command") return [];
  const [piece, ...more] = part.words[0]?.pieces ?? [];
  return [typeof piece === "string" && more.length === 0 ? piece : ""];
}
