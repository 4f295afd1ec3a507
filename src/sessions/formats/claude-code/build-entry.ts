import { each, isObject, isStringList } from "../../../protocol/internal.ts";
import type { Entry } from "../../model/entry.ts";
import type { JsonRecord } from "../../read/json-records.ts";
import { attachmentFields, type FieldTable, type FieldType, type KnownField } from "./known-fields.ts";

/** Copies the known fields of `object` to `into` under our names; what is left comes back as `extra`. */
export function takeKnownFields(
  object: Readonly<Record<string, unknown>>,
  fields: FieldTable,
  into: Record<string, unknown>,
  done: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let extra: Record<string, unknown> | undefined;
  // Objects come from JSON.parse: they have no inherited keys, and `for in` makes no list of them.
  for (const key in object) {
    if (done.has(key)) continue;
    const field = fields.get(key);
    const value = object[key];
    if (field !== undefined && fitsType(value, field.check))
      into[field.name] = field.check === "text" ? shared(field, value as string) : value;
    else extra = addExtra(extra, key, value);
  }
  return extra;
}

/** Neighbors name the same session, folder and prompt: one text serves them all, and a long session takes a fifth less memory. */
function shared(field: KnownField, value: string): string {
  if (value === field.last) return field.last;
  field.last = value;
  return value;
}

export function fitsType(value: unknown, check: FieldType): boolean {
  switch (check) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "any":
      return true;
  }
}

/** Adds a field under any name, `__proto__` included: names come from files. */
export function addExtra(
  rest: Record<string, unknown> | undefined,
  key: string,
  value: unknown,
): Record<string, unknown> {
  const into = rest ?? {};
  if (key !== "__proto__") into[key] = value;
  else Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  return into;
}

/** The first fields of every entry: its position and how it was read. */
export function startEntry(record: JsonRecord, kind: Entry["kind"]): Record<string, unknown> {
  const { file, offset, length, line, raw } = record;
  return setReadMarks({ kind, file, offset, length, line, raw }, record);
}

/**
 * Lines of the conversation are nearly all of a transcript, and nearly all of them have these fields. Naming them at once keeps an object
 * in one piece; fields added later would move it again and again. Both kinds have all fields, so that the engine sees one shape.
 */
export function startMessageEntry(record: JsonRecord, kind: "user" | "assistant"): Record<string, unknown> {
  const { file, offset, length, line, raw } = record;
  const entry = {
    kind,
    file,
    offset,
    length,
    line,
    raw,
    uuid: "",
    parentUuid: null,
    isSidechain: false,
    content: undefined,
    timestamp: undefined,
    sessionId: undefined,
    cwd: undefined,
    version: undefined,
    gitBranch: undefined,
    userType: undefined,
    entrypoint: undefined,
    role: undefined,
    promptId: undefined,
    toolUseResult: undefined,
    sourceToolAssistantUuid: undefined,
    stopReason: undefined,
    messageId: undefined,
    model: undefined,
    usage: undefined,
    requestId: undefined,
    messageExtra: undefined,
  };
  return setReadMarks(entry, record);
}

function setReadMarks(
  entry: Record<string, unknown>,
  { lossy, recovered, unterminated }: JsonRecord,
): Record<string, unknown> {
  if (lossy) entry["lossy"] = true;
  if (recovered) entry["recovered"] = true;
  if (unterminated) entry["unterminated"] = true;
  return entry;
}

/** Tells a whole record from an object nested inside one, where a damaged line leaves both possible. */
export function isTranscriptRecord(object: Readonly<Record<string, unknown>>): boolean {
  const { type, sessionId } = object;
  if (typeof type !== "string") return false;
  return typeof sessionId === "string" || type === "summary" || type.startsWith("file-history-");
}

/** Whatever carries these two is a node of the graph, whatever its type. */
export function hasGraphFields(object: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof object["uuid"] === "string" && (typeof object["parentUuid"] === "string" || object["parentUuid"] === null)
  );
}

/** A line of the conversation without a uuid stays readable; its uuid is empty and it is not a node of the graph. */
export function setGraphFields(entry: Record<string, unknown>, object: Readonly<Record<string, unknown>>): void {
  const { parentUuid } = object;
  entry["uuid"] = "";
  entry["parentUuid"] = typeof parentUuid === "string" ? lineBefore(parentUuid) : null;
  entry["isSidechain"] = false;
}

/** The parent of most lines is the line before: both share one text. */
function lineBefore(uuid: string): string {
  const last = attachmentFields.get("uuid")?.last;
  return uuid === last ? last : uuid;
}

/** Whether every known field of the metadata of a compaction has its type. If not, readers must do without the metadata. */
export function isCompactMetadata(value: Readonly<Record<string, unknown>>): boolean {
  const { preservedSegment = {}, preservedMessages = {} } = value;
  return (
    all(value, { trigger: "text" }) &&
    all(value, each("number", "preTokens", "postTokens", "durationMs", "cumulativeDroppedTokens")) &&
    isObject(preservedSegment) &&
    all(preservedSegment, each("text", "headUuid", "anchorUuid", "tailUuid")) &&
    isObject(preservedMessages) &&
    all(preservedMessages, { anchorUuid: "text" }) &&
    (preservedMessages["uuids"] === undefined || isStringList(preservedMessages["uuids"]))
  );
}

function all(value: Readonly<Record<string, unknown>>, checks: Readonly<Record<string, FieldType>>): boolean {
  return Object.entries(checks).every(([key, check]) => value[key] === undefined || fitsType(value[key], check));
}
