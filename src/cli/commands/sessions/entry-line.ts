import { plainLine } from "../../../protocol/internal.ts";
import type { EntryBlock, TranscriptItem } from "../../../sessions/internal.ts";
import { timeText } from "../../print/figures.ts";
import type { Style } from "../../print/style.ts";
import { pad, truncate } from "../../print/table.ts";

/** One entry on one line: its time, its kind and the beginning of its text. */
export function entryLine(item: TranscriptItem, style: Style, limit: number | undefined): string {
  const time = pad(item.kind === "unreadable" ? "" : timeText(item.timestamp), 16);
  const name = nameOf(item);
  const text = plainLine(textOf(item));
  const room = limit === undefined ? undefined : limit - 16 - name.length - 4;
  const paint = item.kind === "unreadable" ? style.red : style.cyan;
  return `${style.dim(time)}  ${paint(name)}  ${room === undefined ? text : truncate(text, Math.max(room, 0))}`.trimEnd();
}

function nameOf(item: TranscriptItem): string {
  switch (item.kind) {
    case "user":
      return item.role;
    case "system":
      return `system ${item.subtype}`;
    case "attachment":
      return item.type;
    case "other":
      return plainLine(item.name) || "other";
    default:
      return item.kind;
  }
}

function textOf(item: TranscriptItem): string {
  switch (item.kind) {
    case "unreadable":
      return `${item.why}, ${item.length} bytes at ${item.offset}`;
    case "user":
    case "assistant":
      return item.content.map(blockText).filter(Boolean).join(" ");
    case "attachment":
      return JSON.stringify(item.fields);
    case "bridge-session":
      return "";
    case "other":
      return JSON.stringify(item.object);
    default:
      return typeof item.content === "string" ? item.content : "";
  }
}

function blockText(block: EntryBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return `(thinking) ${block.thinking}`;
    case "tool_use":
      return `${block.name} ${JSON.stringify(block.input ?? {})}`;
    case "tool_result":
      return block.content.map(blockText).join(" ");
    default:
      return `[${block.type}]`;
  }
}
