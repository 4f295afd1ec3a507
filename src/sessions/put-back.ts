import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Part, putAt, valueAt } from "./aside.ts";
import { liesUnder, realInside } from "./inside.ts";
import { isSafeId } from "./session-id.ts";
import { sha256 } from "./sha256.ts";

export interface PutBack {
  readonly record: Readonly<Record<string, unknown>>;
  /** Parts whose file is gone, changed or outside the session: their stand-in text is still in the record. */
  readonly gaps: readonly { readonly file: string; readonly why: string }[];
}

/** A record as it was handed to the store, with its large parts in their places. Other records are given back as they are. */
export async function putBack(
  record: Readonly<Record<string, unknown>>,
  root: string,
  sessionFolder: string,
): Promise<PutBack> {
  if (partsOf(record).length > 0) await realInside(root, sessionFolder);
  return restored(record, sessionFolder);
}

/**
 * The object of a transcript's line with its large parts in their places, for every reader of that transcript. A part that cannot be
 * had keeps the text that stands in for it; `sessions validate` names it. The mark `hookline` stays, since it names the files.
 */
export function withParts(
  object: Readonly<Record<string, unknown>>,
  transcript: string,
): Readonly<Record<string, unknown>> {
  if (object["hookline"] === undefined || transcript === "" || partsOf(object).length === 0) return object;
  const { record } = restored(object, sessionFolderOf(transcript));
  return { ...record, hookline: object["hookline"] };
}

/** The parts of a session and of its subagents lie in one folder, which is named after the session. */
function sessionFolderOf(transcript: string): string {
  const folder = dirname(transcript);
  return basename(folder) === "subagents" ? dirname(folder) : transcript.replace(/\.jsonl(?:\.gz)?$/, "");
}

function restored(record: Readonly<Record<string, unknown>>, sessionFolder: string): PutBack {
  const parts = partsOf(record);
  if (parts.length === 0) return { record, gaps: [] };
  const { hookline: _, ...rest } = record;
  const copy = structuredClone(rest) as Record<string, unknown>;
  const gaps: { file: string; why: string }[] = [];
  // In reverse order of writing: a block must be in place before its parts.
  for (const part of parts.toReversed()) {
    const text = textOf(part, sessionFolder);
    if (typeof text !== "string") gaps.push({ file: part.file, why: text.why });
    else if (part.block === undefined) putAt(copy, part.at, text);
    else putMedia(copy, part, part.block, text);
  }
  return { record: gaps.length === 0 ? copy : { ...copy, hookline: { gaps } }, gaps };
}

function putMedia(copy: Record<string, unknown>, part: Part, block: NonNullable<Part["block"]>, text: string): void {
  putAt(copy, part.at.slice(0, -2), structuredClone(block));
  putAt(copy, part.at, text);
}

function textOf(part: Part, sessionFolder: string): string | { why: string } {
  if (!isPlainPlace(part.file)) return { why: "names no file of this session" };
  const bytes = bytesOf(join(sessionFolder, part.file), sessionFolder);
  if ("why" in bytes) return bytes;
  if (bytes.length !== part.sizeBytes) return { why: `has ${bytes.length} bytes, not ${part.sizeBytes}` };
  const isBlob = part.file.startsWith("blobs/");
  if (isBlob && sha256(bytes) !== basename(part.file)) return { why: "was changed" };
  if (part.as === "base64") return bytes.toString("base64");
  if (part.as === "text") return bytes.toString("utf8");
  try {
    const text: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof text === "string" ? text : { why: "does not hold a text" };
  } catch (error) {
    return { why: String(error) };
  }
}

/** An archived session keeps its files compressed. */
function bytesOf(path: string, sessionFolder: string): Buffer | { why: string } {
  let missing = "";
  for (const [name, unpack] of [[path, (bytes: Buffer) => bytes] as const, [`${path}.gz`, gunzipSync] as const]) {
    try {
      const real = realpathSync(name);
      if (!liesUnder(realpathSync(sessionFolder), real)) return { why: "leads out of the session's folder" };
      return unpack(readFileSync(real));
    } catch (error) {
      missing ||= String(error);
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return { why: String(error) };
    }
  }
  return { why: missing };
}

function isPlainPlace(file: string): boolean {
  const [folder, name, ...more] = file.split("/");
  return (folder === "blobs" || folder === "tool-results") && more.length === 0 && name !== undefined && isSafeId(name);
}

/** The parts a record says it has; what is not shaped like one is not one. */
export function partsOf(record: Readonly<Record<string, unknown>>): Part[] {
  const parts = valueAt(record, ["hookline", "parts"]);
  return Array.isArray(parts) ? parts.filter(isPart) : [];
}

function isPart(value: unknown): value is Part {
  if (typeof value !== "object" || value === null) return false;
  const { at, file, as, sizeBytes, block } = value as Record<string, unknown>;
  const way =
    Array.isArray(at) && at.length > 0 && at.every((key) => typeof key === "string" || typeof key === "number");
  const kind = as === "text" || as === "json" || as === "base64";
  const stood = block === undefined || (typeof block === "object" && block !== null);
  return way && kind && stood && typeof file === "string" && typeof sizeBytes === "number";
}
