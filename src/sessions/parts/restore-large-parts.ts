import { basename, dirname } from "node:path";
import { sha256 } from "../../files/internal.ts";
import { isPartName, largestPartBytes, type PartExtent, readPart, type UnreadablePart } from "./part-files.ts";
import { type LargePart, largePartsIn, putAt, valueAt } from "./spill-large-parts.ts";

/**
 * The object of a transcript's line with its large parts in their places, for every reader of that transcript. A part that cannot be
 * restored keeps its placeholder text; `sessions validate` names it. The field `hookline` stays, since it names the files. With "start"
 * only the beginnings of texts are restored, and no data of images.
 */
export function withLargeParts(
  object: Readonly<Record<string, unknown>>,
  transcript: string,
  extent: PartExtent = "all",
): Readonly<Record<string, unknown>> {
  if (object["hookline"] === undefined || transcript === "" || largePartsIn(object).length === 0) return object;
  const { record } = restoreRecord(object, transcript, extent);
  return { ...record, hookline: object["hookline"] };
}

/** A part whose file is missing, changed or outside the session. */
interface MissingPart {
  readonly file: string;
  readonly why: string;
}

/** The parts of a transcript's line that cannot be restored, and why. */
export function missingParts(object: Readonly<Record<string, unknown>>, transcript: string): readonly MissingPart[] {
  return restoreRecord(object, transcript).gaps;
}

/** The parts of a session and of its subagents are in one folder, named after the session. */
function sessionFolderOf(transcript: string): string {
  const folder = dirname(transcript);
  return basename(folder) === "subagents" ? dirname(folder) : transcript.replace(/\.jsonl(?:\.gz)?$/, "");
}

/** All parts of a line take no more memory than this; a small one counts as much as the smallest that the store writes. */
const largestLineBytes = largestPartBytes;
const smallestPartBytes = 48 * 1024;

function restoreRecord(
  record: Readonly<Record<string, unknown>>,
  transcript: string,
  extent: PartExtent = "all",
): { record: Readonly<Record<string, unknown>>; gaps: readonly MissingPart[] } {
  const parts = largePartsIn(record);
  if (parts.length === 0) return { record, gaps: [] };
  const { hookline: _, ...rest } = record;
  const copy = structuredClone(rest);
  const sessionFolder = sessionFolderOf(transcript);
  const gaps: MissingPart[] = [];
  let left = largestLineBytes;
  // In reverse order of writing: a block must be in place before its parts.
  for (const part of parts.toReversed()) {
    left -= Math.max(part.sizeBytes, smallestPartBytes);
    const text =
      left < 0
        ? { why: `makes its line larger than ${largestLineBytes} bytes` }
        : textFor(copy, part, sessionFolder, extent);
    if (typeof text !== "string") {
      left += Math.max(part.sizeBytes, smallestPartBytes);
      gaps.push({ file: part.file, why: text.why });
      continue;
    }
    if (part.block !== undefined) putAt(copy, part.at.slice(0, -2), structuredClone(part.block));
    putAt(copy, part.at, text);
  }
  return { record: copy, gaps };
}

/** Only the text that names a file is replaced by it: a line cannot make us change its type, its links or the length of a list. */
function textFor(
  record: Readonly<Record<string, unknown>>,
  part: LargePart,
  sessionFolder: string,
  extent: PartExtent,
): string | UnreadablePart {
  if (!isPartName(part.file)) return { why: "names no file of this session" };
  const stand = valueAt(record, part.block === undefined ? part.at : [...part.at.slice(0, -2), "text"]);
  const names = typeof stand === "string" && stand.includes(basename(part.file));
  if (!names) return { why: "has no place in its line" };
  return extent === "all" ? textOf(part, sessionFolder) : startOf(part, sessionFolder);
}

function startOf(part: LargePart, sessionFolder: string): string | UnreadablePart {
  if (part.as === "base64") return "";
  const bytes = readPart(sessionFolder, part.file, part.sizeBytes, "start");
  if ("why" in bytes) return bytes;
  // The last character may be cut.
  const text = bytes.toString("utf8").replace(/\ufffd$/, "");
  return part.as === "text" ? text : startOfJson(text);
}

/** The beginning of a text that was kept as JSON, up to its last whole escape. */
function startOfJson(json: string): string | UnreadablePart {
  const body = /^"(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*/i.exec(json)?.[0];
  return body === undefined ? { why: "does not hold a text" } : (JSON.parse(`${body}"`) as string);
}

function textOf(part: LargePart, sessionFolder: string): string | UnreadablePart {
  const bytes = readPart(sessionFolder, part.file, part.sizeBytes);
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
