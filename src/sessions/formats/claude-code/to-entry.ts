import { each, isObject } from "../../../protocol/internal.ts";
import type {
  AssistantEntry,
  AttachmentEntry,
  AttachmentType,
  Entry,
  StandaloneEntry,
  StandaloneKind,
  SystemEntry,
  UnknownEntry,
  UserEntry,
} from "../../model/entry.ts";
import type { PartExtent } from "../../parts/part-files.ts";
import { withLargeParts } from "../../parts/restore-large-parts.ts";
import type { JsonRecord } from "../../read/json-records.ts";
import {
  addExtra,
  fitsType,
  hasGraphFields,
  isCompactMetadata,
  setGraphFields,
  startEntry,
  startMessageEntry,
  takeKnownFields,
} from "./build-entry.ts";
import {
  assistantFields,
  attachmentFields,
  attachmentInner,
  type FieldType,
  requiredFields,
  standaloneFields,
  systemFields,
  systemSubtypes,
  userFields,
} from "./known-fields.ts";
import { promptSourceOf, roleOf, toBlocks } from "./read-message.ts";

/**
 * A record of a transcript as an entry, with large parts that our store keeps in files of their own in their places. Contract: never
 * throws and drops nothing, whatever the object holds. With "start" only the beginnings of those parts are read.
 */
export function toEntry(line: JsonRecord, parts: PartExtent = "all"): Entry {
  const object = withLargeParts(line.object, line.file, parts);
  const record = object === line.object ? line : { ...line, object };
  const type = record.object["type"];
  switch (type) {
    case "user":
      return userEntry(record);
    case "assistant":
      return assistantEntry(record);
    case "system":
      return systemEntry(record);
    case "attachment":
      return attachmentEntry(record);
    default:
      return standaloneEntry(record, typeof type === "string" ? type : "");
  }
}

const placeKeys: ReadonlySet<string> = new Set(["type", "parentUuid"]);
const messageKeys: ReadonlySet<string> = new Set([...placeKeys, "message"]);
const systemKeys: ReadonlySet<string> = new Set([...placeKeys, "subtype"]);
const attachmentKeys: ReadonlySet<string> = new Set([...placeKeys, "attachment"]);

function userEntry(record: JsonRecord): UserEntry | UnknownEntry {
  const { object } = record;
  const message = object["message"];
  if (!isObject(message)) return unknownEntry(record, "user", "message is not an object");
  const content = toBlocks(message["content"]);
  if (content === undefined) return unknownEntry(record, "user", "message.content is neither text nor a list");
  const entry = startMessageEntry(record, "user");
  entry["content"] = content;
  if (typeof message["content"] === "string") entry["contentWasText"] = true;
  setGraphFields(entry, object);
  finish(entry, takeKnownFields(object, userFields, entry, messageKeys), restOf(message, userMessage, "user"));
  const user = entry as unknown as UserEntry;
  const role = roleOf(user);
  entry["role"] = role;
  if (role === "prompt") entry["source"] = promptSourceOf(user);
  return user;
}

function assistantEntry(record: JsonRecord): AssistantEntry | UnknownEntry {
  const { object } = record;
  const message = object["message"];
  if (!isObject(message)) return unknownEntry(record, "assistant", "message is not an object");
  const entry = startMessageEntry(record, "assistant");
  const { id, model, content, stop_reason: stopReason, stop_sequence: stopSequence, usage } = message;
  const blocks = toBlocks(content);
  entry["content"] = blocks ?? [];
  if (typeof content === "string") entry["contentWasText"] = true;
  entry["stopReason"] = typeof stopReason === "string" ? stopReason : null;
  if (typeof id === "string") entry["messageId"] = id;
  if (typeof model === "string") entry["model"] = model;
  if (typeof stopSequence === "string") entry["stopSequence"] = stopSequence;
  if (isObject(usage)) entry["usage"] = usage;
  setGraphFields(entry, object);
  let rest = restOf(message, assistantMessage, "assistant");
  if (blocks === undefined && content !== undefined) rest = addExtra(rest, "content", content);
  finish(entry, takeKnownFields(object, assistantFields, entry, messageKeys), rest);
  return entry as unknown as AssistantEntry;
}

const subtypes: ReadonlySet<string> = new Set(systemSubtypes);

function systemEntry(record: JsonRecord): SystemEntry | UnknownEntry {
  const { object } = record;
  const subtype = object["subtype"];
  if (typeof subtype !== "string") return unknownEntry(record, "system", "subtype is not text");
  if (!subtypes.has(subtype)) return unknownEntry(record, `system/${subtype}`);
  const entry = startEntry(record, "system");
  entry["subtype"] = subtype;
  setGraphFields(entry, object);
  let extra = takeKnownFields(object, systemFields, entry, systemKeys);
  const { compactMetadata } = entry;
  if (isObject(compactMetadata) && !isCompactMetadata(compactMetadata)) {
    entry["compactMetadata"] = undefined;
    extra = addExtra(extra, "compactMetadata", compactMetadata);
  }
  finish(entry, extra);
  return entry as unknown as SystemEntry;
}

function attachmentEntry(record: JsonRecord): AttachmentEntry | UnknownEntry {
  const { object } = record;
  const attachment = object["attachment"];
  if (!isObject(attachment)) return unknownEntry(record, "attachment", "attachment is not an object");
  const { type, hookName, hookEvent, toolUseID: toolUseId, ...fields } = attachment;
  if (typeof type !== "string") return unknownEntry(record, "attachment", "attachment.type is not text");
  if (!Object.hasOwn(attachmentInner, type)) return unknownEntry(record, `attachment/${type}`);
  const entry = startEntry(record, "attachment");
  entry["type"] = type as AttachmentType;
  if (typeof hookName === "string") entry["hookName"] = hookName;
  if (typeof hookEvent === "string") entry["hookEvent"] = hookEvent;
  if (typeof toolUseId === "string") entry["toolUseId"] = toolUseId;
  entry["fields"] = fields;
  setGraphFields(entry, object);
  finish(entry, takeKnownFields(object, attachmentFields, entry, attachmentKeys));
  return entry as unknown as AttachmentEntry;
}

function standaloneEntry(record: JsonRecord, type: string): StandaloneEntry | UnknownEntry {
  const fields = standaloneFields.get(type);
  if (fields === undefined) return unknownEntry(record, type);
  const need = fields.get(requiredFields[type] ?? "");
  if (need !== undefined && !fitsType(record.object[need.name], need.check)) {
    return unknownEntry(record, type, `${need.name} is not ${need.check}`);
  }
  const entry = startEntry(record, type as StandaloneKind);
  if (hasGraphFields(record.object)) setGraphFields(entry, record.object);
  finish(entry, takeKnownFields(record.object, fields, entry, placeKeys));
  return entry as unknown as StandaloneEntry;
}

function unknownEntry(record: JsonRecord, name: string, why?: string): UnknownEntry {
  const entry = startEntry(record, "other");
  const { object } = record;
  entry["name"] = name;
  if (why !== undefined) entry["why"] = why;
  entry["object"] = object;
  if (hasGraphFields(object)) {
    setGraphFields(entry, object);
    takeKnownFields(object, attachmentFields, entry, placeKeys);
  }
  return entry as unknown as UnknownEntry;
}

function finish(
  entry: Record<string, unknown>,
  extra: Record<string, unknown> | undefined,
  messageExtra?: Record<string, unknown> | undefined,
): void {
  if (extra !== undefined) entry["extra"] = extra;
  if (messageExtra !== undefined) entry["messageExtra"] = messageExtra;
}

const userMessage: ReadonlyMap<string, FieldType> = new Map([["content", "any"]]);
const assistantMessage: ReadonlyMap<string, FieldType> = new Map(
  Object.entries({ ...each("text", "id", "model", "stop_reason", "stop_sequence"), content: "any", usage: "object" }),
);

/** The other fields of a message, and known ones of an unexpected type, without `role` and `type` when they repeat the type of the record. */
function restOf(
  message: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, FieldType>,
  role: string,
): Record<string, unknown> | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in message) {
    const value = message[key];
    const check = known.get(key);
    if (check !== undefined && (value === null || fitsType(value, check))) continue;
    if ((key === "role" && value === role) || (key === "type" && value === "message")) continue;
    rest = addExtra(rest, key, value);
  }
  return rest;
}

/** The answer of a subagent that older versions copied into a `progress` line of its parent. */
export function answerIn(entry: Entry): AssistantEntry | undefined {
  if (entry.kind !== "progress" || !isObject(entry.data)) return undefined;
  const object = entry.data["message"];
  if (!isObject(object) || object["type"] !== "assistant") return undefined;
  const { timestamp, file, offset, length, line, raw } = entry;
  const copied = timestamp === undefined ? object : { timestamp, ...object };
  const copy = toEntry({ kind: "record", file, offset, length, line, raw, object: copied });
  return copy.kind === "assistant" ? copy : undefined;
}
