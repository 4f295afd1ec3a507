import type { Entry } from "../../model/entry.ts";
import type { JsonRecord } from "../../read/json-records.ts";
import { attachmentFields } from "./known-fields.ts";

/** The beginning of every entry: where it lies and how it was read. */
export function place(record: JsonRecord, kind: Entry["kind"]): Record<string, unknown> {
  const { file, offset, length, line, raw } = record;
  return mark({ kind, file, offset, length, line, raw }, record);
}

/**
 * Lines of the conversation are nearly all of a transcript, and nearly all of them have these fields. Naming them at once
 * keeps an object in one piece; fields added later would move it again and again.
 */
export function placeUser(record: JsonRecord): Record<string, unknown> {
  const { file, offset, length, line, raw } = record;
  const entry = {
    kind: "user",
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
  };
  return mark(entry, record);
}

export function placeAssistant(record: JsonRecord): Record<string, unknown> {
  const { file, offset, length, line, raw } = record;
  const entry = {
    kind: "assistant",
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
    stopReason: null,
    messageId: undefined,
    model: undefined,
    usage: undefined,
    requestId: undefined,
    messageExtra: undefined,
  };
  return mark(entry, record);
}

function mark(entry: Record<string, unknown>, { lossy, recovered, unterminated }: JsonRecord): Record<string, unknown> {
  if (lossy) entry["lossy"] = true;
  if (recovered) entry["recovered"] = true;
  if (unterminated) entry["unterminated"] = true;
  return entry;
}

/** Whatever carries these two is a node of the graph, whatever its type. */
export function isLinked(object: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof object["uuid"] === "string" && (typeof object["parentUuid"] === "string" || object["parentUuid"] === null)
  );
}

/** A threaded line without a uuid of its own stays readable; its uuid is empty and it hangs nowhere. */
export function thread(entry: Record<string, unknown>, object: Readonly<Record<string, unknown>>): void {
  const { parentUuid } = object;
  entry["uuid"] = "";
  entry["parentUuid"] = typeof parentUuid === "string" ? lineBefore(parentUuid) : null;
  entry["isSidechain"] = false;
}

/** Most lines hang on the one before them: its text serves both. */
function lineBefore(uuid: string): string {
  const last = attachmentFields.get("uuid")?.last;
  return uuid === last ? last : uuid;
}
