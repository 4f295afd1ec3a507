import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Part, putAt, valueAt } from "./aside.ts";
import { realInside } from "./inside.ts";
import { isSafeId } from "./session-id.ts";
import { sha256 } from "./sha256.ts";

export interface PutBack {
  readonly record: Readonly<Record<string, unknown>>;
  /** Parts whose file is gone, changed or outside the session: their stand-in text is still in the record. */
  readonly gaps: readonly { readonly file: string; readonly why: string }[];
}

/** A record as it was handed to the store, with the parts that went aside in their places. Other records are given back as they are. */
export async function putBack(
  record: Readonly<Record<string, unknown>>,
  root: string,
  sessionFolder: string,
): Promise<PutBack> {
  const parts = partsOf(record);
  if (parts.length === 0) return { record, gaps: [] };
  const { hookline: _, ...rest } = record;
  const copy = structuredClone(rest) as Record<string, unknown>;
  const gaps: { file: string; why: string }[] = [];
  // Last aside, first back: a block must stand before its parts.
  for (const part of parts.toReversed()) {
    const text = await textOf(part, root, sessionFolder).catch((error: unknown) => ({ why: String(error) }));
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

async function textOf(part: Part, root: string, sessionFolder: string): Promise<string | { why: string }> {
  if (!isPlainPlace(part.file)) return { why: "names no file of this session" };
  const path = await realInside(root, join(sessionFolder, part.file));
  const bytes = await readFile(path);
  if (bytes.length !== part.sizeBytes) return { why: `has ${bytes.length} bytes, not ${part.sizeBytes}` };
  const isBlob = part.file.startsWith("blobs/");
  if (isBlob && sha256(bytes) !== basename(part.file)) return { why: "was changed" };
  if (part.as === "base64") return bytes.toString("base64");
  if (part.as === "text") return bytes.toString("utf8");
  const text: unknown = JSON.parse(bytes.toString("utf8"));
  return typeof text === "string" ? text : { why: "is no text" };
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
