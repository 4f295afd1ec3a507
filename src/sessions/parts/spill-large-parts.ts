import { basename, dirname, join } from "node:path";
import { ensureFolder, type Fs, ignoringErrors, replaceFile, sha256 } from "../../files/internal.ts";
import { fieldOf, isObject, textField } from "../../protocol/internal.ts";
import type { RecordDraft } from "../formats/claude-code/write-record.ts";
import { isSafeId, realPathBelow } from "../safe-paths.ts";

/** From a record to a place in it, key by key. */
type ValuePath = readonly (string | number)[];

/** A part of a record in a file of its own, and its place in the record. */
export interface LargePart {
  readonly at: ValuePath;
  /** Below the session's folder. */
  readonly file: string;
  readonly as: "text" | "json" | "base64";
  readonly sizeBytes: number;
  /** The original block without its data; a text block takes its place. */
  readonly block?: Readonly<Record<string, unknown>>;
}

/** A part of more bytes than this gets its own file. */
export const largePartBytes: number = 64 * 1024;

/**
 * Writes the large parts of a draft to their own files: long tool results as readable text, everything else named by its hash. The
 * returned draft has a text in their place that names the file, so every reader can use it; `hookline.parts` describes how to restore
 * them. Contract: nothing is written outside of `root`.
 */
export async function spillLargeParts(
  draft: RecordDraft,
  root: string,
  sessionFolder: string,
  fs: Fs,
): Promise<RecordDraft> {
  const parts: LargePart[] = [];
  // Data of images last: the whole block is replaced then, and its other large parts must be marked in it before.
  const found = largeStrings(draft).sort((a, b) => Number(isMediaData(a.at)) - Number(isMediaData(b.at)));
  if (found.length === 0) return draft;
  await realPathBelow(root, sessionFolder);
  const copy = structuredClone(draft) as Record<string, unknown>;
  for (const large of found) {
    const spill = toolResultAt(draft, large.at) ? spillToolResult : spillBlob;
    parts.push(await spill(copy, large, sessionFolder, fs));
  }
  return { ...copy, type: draft.type, hookline: { parts } };
}

interface LargeString {
  readonly at: ValuePath;
  readonly text: string;
}

function largeStrings(value: unknown, at: ValuePath = []): LargeString[] {
  if (typeof value === "string") {
    // A unit is one to three bytes, so most strings need no counting.
    if (value.length * 3 <= largePartBytes) return [];
    return value.length > largePartBytes || Buffer.byteLength(value) > largePartBytes ? [{ at, text: value }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, n) => largeStrings(item, [...at, n]));
  return Object.entries(value).flatMap(([key, item]) => largeStrings(item, [...at, key]));
}

/** True when `at` is the text of a tool result: `message.content[n].content`, or a text block in it. */
function toolResultAt(draft: RecordDraft, at: ValuePath): boolean {
  const [message, content, , inner, , text] = at;
  if (message !== "message" || content !== "content" || inner !== "content") return false;
  if (at.length !== 4 && !(at.length === 6 && text === "text")) return false;
  return fieldOf(valueAt(draft, at.slice(0, 3)), "type") === "tool_result";
}

/** Moves a large text of the record to a file in the session's folder. */
type Spill = (record: Record<string, unknown>, large: LargeString, sessionFolder: string, fs: Fs) => Promise<LargePart>;

const spillToolResult: Spill = async (record, { at, text }, sessionFolder, fs) => {
  const { bytes, as } = encode(text, "text");
  const id = (valueAt(record, at.slice(0, 3)) as Record<string, unknown>)["tool_use_id"];
  const path = await writeText(join(sessionFolder, "tool-results"), id, bytes, fs);
  const preview = text.slice(0, 2_000).replace(/[\ud800-\udbff]$/, "");
  const size = `${(bytes.length / 1024).toFixed(1)}KB`;
  const stand = `Output too large (${size}). Full output saved to: ${path}\n\nPreview (first 2KB):\n${preview}\n...`;
  putAt(record, at, `<persisted-output>\n${stand}\n</persisted-output>`);
  const result = record["toolUseResult"] ?? {};
  if (isObject(result)) {
    record["toolUseResult"] = { ...result, persistedOutputPath: path, persistedOutputSize: bytes.length };
  }
  return { at, file: `tool-results/${basename(path)}`, as, sizeBytes: bytes.length };
};

/** A name that is taken by other bytes is never written over. */
async function writeText(folder: string, id: unknown, bytes: Buffer, fs: Fs): Promise<string> {
  await ensureFolder(folder, fs);
  const sha = sha256(bytes);
  const name = typeof id === "string" && isSafeId(id) ? id : sha.slice(0, 24);
  for (const path of [join(folder, `${name}.txt`), join(folder, `${name}-${sha.slice(0, 16)}.txt`)]) {
    if ((await replaceFile(path, bytes, { fs, expect: null })) === "replaced") return path;
    if ((await replaceFile(path, bytes, { fs, expect: bytes })) === "replaced") return path;
  }
  throw new Error(`${folder} holds another text under the name of a tool result`);
}

const spillBlob: Spill = async (record, { at, text }, sessionFolder, fs) => {
  const { bytes, as } = encode(text, "base64");
  const sha = sha256(bytes);
  const file = `blobs/${sha}`;
  const path = join(sessionFolder, "blobs", sha);
  await ensureFolder(dirname(path), fs);
  const there = await ignoringErrors(["ENOENT"], fs.lstat(path));
  if (there?.size !== bytes.length || !there.isFile()) await replaceFile(path, bytes, { fs });
  const mediaAt = mediaBlockAt(record, at);
  const part = { at, file, as, sizeBytes: bytes.length };
  if (mediaAt === undefined) {
    putAt(record, at, `[${bytes.length} bytes of text, kept in ${file}]`);
    return part;
  }
  putAt(record, at, "");
  const block = valueAt(record, mediaAt) as Record<string, unknown>;
  const kind = textField(block["source"], "media_type") ?? String(block["type"]);
  putAt(record, mediaAt, { type: "text", text: `[${kind}, ${bytes.length} bytes, kept in ${file}]` });
  return { ...part, block };
};

/** The image or document block with the data at `at`. The whole block is replaced, so that no reader finds an incomplete image. */
function mediaBlockAt(record: unknown, at: ValuePath): ValuePath | undefined {
  if (!isMediaData(at)) return undefined;
  const blockAt = at.slice(0, -2);
  return textField(valueAt(record, blockAt), "type") === undefined ? undefined : blockAt;
}

function isMediaData(at: ValuePath): boolean {
  return at[0] === "message" && at.at(-1) === "data" && at.at(-2) === "source";
}

/** Exactly reversible. Text stays readable; base64 may be stored as the decoded bytes. */
function encode(text: string, want: "text" | "base64"): { bytes: Buffer; as: LargePart["as"] } {
  if (/\p{Surrogate}/u.test(text)) return { bytes: Buffer.from(JSON.stringify(text)), as: "json" };
  if (want === "text") return { bytes: Buffer.from(text), as: "text" };
  const decoded = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
  if (decoded !== undefined && decoded.toString("base64") === text) return { bytes: decoded, as: "base64" };
  return { bytes: Buffer.from(text), as: "text" };
}

export function valueAt(value: unknown, at: ValuePath): unknown {
  return at.reduce<unknown>((inner, key) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, key)) return undefined;
    return (inner as Record<string | number, unknown>)[key];
  }, value);
}

export function putAt(root: Record<string, unknown>, at: ValuePath, value: unknown): void {
  const holder = valueAt(root, at.slice(0, -1));
  const key = at.at(-1);
  if (typeof holder !== "object" || holder === null || key === undefined) return;
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The parts that a record names. Values of another shape are ignored. */
export function largePartsIn(record: Readonly<Record<string, unknown>>): LargePart[] {
  const parts = valueAt(record, ["hookline", "parts"]);
  return Array.isArray(parts) ? parts.filter(isLargePart) : [];
}

function isLargePart(value: unknown): value is LargePart {
  if (typeof value !== "object" || value === null) return false;
  const { at, file, as, sizeBytes, block } = value as Record<string, unknown>;
  const way =
    Array.isArray(at) && at.length > 0 && at.every((key) => typeof key === "string" || typeof key === "number");
  const kind = as === "text" || as === "json" || as === "base64";
  const stood = block === undefined || (typeof block === "object" && block !== null);
  return way && kind && stood && typeof file === "string" && Number.isSafeInteger(sizeBytes) && Number(sizeBytes) >= 0;
}
