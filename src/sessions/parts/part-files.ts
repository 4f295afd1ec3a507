import { fstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import {
  ensureFolder,
  errorCode,
  type Fs,
  isInside,
  openFlags,
  replaceFile,
  withFileSync,
} from "../../files/internal.ts";
import { Problem, plainLine, textField } from "../../protocol/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import type { GraphEntry } from "../model/entry-graph.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import { readFullySync } from "../read/byte-source.ts";
import { unpack, zlib } from "../read/gzip-source.ts";
import { cutDeep } from "../read/json-records.ts";
import { isSafeId, realPathBelow } from "../safe-paths.ts";
import { setField } from "../write/edit-line.ts";
import { largePartsIn } from "./spill-large-parts.ts";

/** A file that a line names and that cannot be read. */
export interface UnreadablePart {
  readonly why: string;
  /** There is no such file, neither as it is nor compressed. */
  readonly missing?: true;
}

/** A file of more bytes than this is not taken into memory. */
export const largestPartBytes: number = 256 * 1024 * 1024;

/** True for the names that large parts and long outputs have below their session's folder. */
export function isPartName(file: string): boolean {
  const [folder, name, ...more] = file.split("/");
  return (folder === "blobs" || folder === "tool-results") && more.length === 0 && name !== undefined && isSafeId(name);
}

/** How much of a part is read: all of it, or its first bytes, for callers that show only the beginning. */
export type PartExtent = "all" | "start";

const startBytes = 16 * 1024;
/** Unpacks to no more than a thousand times its size. */
const packedStartBytes = 8 * 1024;

/**
 * The bytes of a file that a line names, `blobs/…` or `tool-results/…` below the folder of its session; an archived session keeps it
 * compressed. Anyone may have written the name: links that leave the folder, pipes, devices and files that are larger than `atMost` are
 * not read. Contract: never throws, never waits.
 */
export function readPart(
  sessionFolder: string,
  file: string,
  atMost: number = largestPartBytes,
  extent: PartExtent = "all",
): Buffer | UnreadablePart {
  if (!isPartName(file)) return { why: "names no file of this session" };
  const isStart = extent === "start";
  const plain = readInside(sessionFolder, file, atMost, isStart ? startBytes : atMost);
  if (!("missing" in plain)) return plain;
  const packed = isStart
    ? readInside(sessionFolder, `${file}.gz`, largestPartBytes, packedStartBytes)
    : readInside(sessionFolder, `${file}.gz`, atMost + 1024);
  if ("missing" in packed) return plain;
  if ("why" in packed) return packed;
  try {
    if (isStart) return unpack(packed).subarray(0, startBytes);
    return zlib().gunzipSync(packed, { maxOutputLength: Math.max(atMost, 1) });
  } catch (error) {
    return { why: `cannot be unpacked: ${String(error)}` };
  }
}

function readInside(sessionFolder: string, file: string, atMost: number, wanted = atMost): Buffer | UnreadablePart {
  try {
    const folder = realpathSync(sessionFolder);
    const real = realpathSync(join(sessionFolder, file));
    const home = join(realpathSync(dirname(sessionFolder)), basename(sessionFolder));
    if (folder !== home || !isInside(real, folder)) return { why: "leads out of the session's folder" };
    // A pipe is opened without waiting for its writer, and then rejected.
    return withFileSync(real, openFlags.reading, (descriptor) => {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) return { why: "is not a file" };
      if (stat.size > atMost) return { why: `has ${stat.size} bytes, more than ${atMost}` };
      const bytes = Buffer.alloc(Math.min(stat.size, wanted));
      return bytes.subarray(0, readFullySync(descriptor, bytes, 0));
    });
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
    return { why: String(error), ...(isMissing ? { missing: true } : {}) };
  }
}

/**
 * The whole output of a tool where its line holds only the beginning. The path in the record is not trusted: only a file of
 * that name in this session's own folder is opened, wherever that folder is now.
 */
export async function readSpilledOutput(
  { root, folder, id }: SessionPlace,
  tool: SessionToolCall,
): Promise<string | undefined> {
  if (tool.spilled === undefined) return undefined;
  const name = basename(tool.spilled.path.replaceAll("\\", "/"));
  if (!isSafeId(name)) throw unsafe(tool.spilled.path);
  const home = join(folder, id);
  const file = `tool-results/${name}`;
  for (const path of [join(home, file), join(home, `${file}.gz`)]) {
    await realPathBelow(root.path, await realPathBelow(join(home, "tool-results"), path));
  }
  const bytes = readPart(home, file);
  return "why" in bytes ? undefined : bytes.toString("utf8");
}

function unsafe(path: string): Problem {
  const message = `a record names ${JSON.stringify(path)} as its output. That is not a file of this session.`;
  return new Problem("sessions/unsafe-id", message, { about: { path } });
}

/**
 * The bytes of an entry for another session, whose folder is given copies of the files that the entry names. Files are
 * opened below their own session's folder only, so a path in a line that leads elsewhere stays as it is.
 */
export async function copyReferencedFiles(
  entry: GraphEntry,
  from: SessionPlace,
  to: SessionPlace,
  fs: Fs,
): Promise<Uint8Array> {
  const line = entry.raw();
  const result =
    entry.kind === "user" && textField(entry.toolUseResult, pathField) !== undefined ? asWritten(line) : undefined;
  const path = textField(result, pathField);
  for (const part of largePartsIn({ hookline: entry.hookline })) await copy(part.file, from, to, fs);
  const home = join(from.folder, from.id);
  if (path === undefined || !isInside(path, home)) return line;
  const name = relative(home, path).split(sep).join("/");
  const copied = await copy(name, from, to, fs);
  if (copied === undefined) return line;
  return setField(line, "toolUseResult", { ...(result as Record<string, unknown>), persistedOutputPath: copied });
}

/** The entry has its large parts in it; what goes into the new line must not. */
function asWritten(line: Uint8Array): unknown {
  const record = JSON.parse(Buffer.from(line).toString("utf8")) as Readonly<Record<string, unknown>>;
  cutDeep(record);
  return record["toolUseResult"];
}

const pathField = "persistedOutputPath";

/** The path of the copy; undefined when there is nothing to copy. Readers of the fork report that too. */
async function copy(name: string, from: SessionPlace, to: SessionPlace, fs: Fs): Promise<string | undefined> {
  if (!isPartName(name)) return undefined;
  const home = join(from.folder, from.id);
  await realPathBelow(from.root.path, home);
  const bytes = readPart(home, name);
  if ("why" in bytes) {
    if (bytes.missing) return undefined;
    const path = join(home, name);
    const message = plainLine(`${path} cannot be copied: ${bytes.why}`);
    throw new Problem("sessions/unreadable-file", message, { about: { path } });
  }
  const target = join(to.folder, to.id, name);
  await ensureFolder(dirname(target), fs);
  await replaceFile(target, bytes, { fs });
  return target;
}
