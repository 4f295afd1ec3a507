import { textField } from "../../../protocol/internal.ts";
import type { TranscriptItem } from "../../model/entry.ts";
import { attachmentInner } from "./known-fields.ts";

/** Record types and fields of one version of Claude Code that Hookline does not know, with the number of occurrences. */
export interface FormatDrift {
  readonly version: string;
  readonly unknownTypes: Readonly<Record<string, number>>;
  /** Named `type.field`; fields of a message are `type.message.field`. */
  readonly unknownFields: Readonly<Record<string, number>>;
}

/** Counts over any number of entries. An empty list means the format is the one we know. */
export function formatDriftOf(items: Iterable<TranscriptItem>): FormatDrift[] {
  const byVersion = new Map<string, { types: Map<string, number>; fields: Map<string, number> }>();
  // Bare records do not say which version wrote them; the last threaded one before them does.
  let version = "unknown";
  const at = () => {
    const found = byVersion.get(version) ?? { types: new Map(), fields: new Map() };
    byVersion.set(version, found);
    return found;
  };
  for (const item of items) {
    if (item.kind === "unreadable") continue;
    if (item.version !== undefined) version = item.version;
    if (item.kind === "other") {
      if (item.why === undefined) add(at().types, item.name);
      else add(at().fields, `${item.name} (${item.why})`);
      continue;
    }
    const name = nameOf(item);
    for (const key of Object.keys(item.extra ?? {})) add(at().fields, `${name}.${key}`);
    if (item.kind === "attachment") {
      for (const key of Object.keys(item.fields)) {
        if (!attachmentInner[item.type].includes(key)) add(at().fields, `${name}.attachment.${key}`);
      }
    }
    if (item.kind !== "user" && item.kind !== "assistant") continue;
    for (const key of Object.keys(item.messageExtra ?? {})) {
      if (!knownMessageFields.includes(key)) add(at().fields, `${name}.message.${key}`);
    }
    for (const block of item.content) {
      if (block.type === "unknown")
        add(at().types, `${name} block ${textField(block.unknown, "type") ?? "without type"}`);
      else for (const key of Object.keys(block.extra ?? {})) add(at().fields, `${name} block ${block.type}.${key}`);
    }
  }
  return [...byVersion]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([of, { types, fields }]) => ({ version: of, unknownTypes: sorted(types), unknownFields: sorted(fields) }));
}

/** Known, and of no use to any reader here: they stay in `messageExtra`. */
const knownMessageFields: readonly string[] = ["container", "context_management", "diagnostics", "stop_details"];

function nameOf(item: Exclude<TranscriptItem, { kind: "unreadable" | "other" }>): string {
  if (item.kind === "system") return `system/${item.subtype}`;
  return item.kind === "attachment" ? `attachment/${item.type}` : item.kind;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
