import { plainLine } from "../../../protocol/internal.ts";
import type { EntryBlock, TranscriptItem } from "../../../sessions/internal.ts";
import { timeText } from "../../print/figures.ts";
import type { Style } from "../../print/style.ts";
import { cut, pad } from "../../print/table.ts";

/** One entry on one line: when, what, and its first words. */
export function entryLine(item: TranscriptItem, style: Style, limit: number | undefined): string {
  const time = pad(item.kind === "unreadable" ? "" : timeText(item.timestamp), 16);
  const name = nameOf(item);
  const words = plainLine(wordsOf(item));
  const room = limit === undefined ? undefined : limit - 16 - name.length - 4;
  const paint = item.kind === "unreadable" ? style.red : style.cyan;
  return `${style.dim(time)}  ${paint(name)}  ${room === undefined ? words : cut(words, Math.max(room, 0))}`.trimEnd();
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

function wordsOf(item: TranscriptItem): string {
  switch (item.kind) {
    case "unreadable":
      return `${item.why}, ${item.length} bytes at ${item.offset}`;
    case "user":
    case "assistant":
      return item.content.map(blockWords).filter(Boolean).join(" ");
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

function blockWords(block: EntryBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return `(thinking) ${block.thinking}`;
    case "tool_use":
      return `${block.name} ${JSON.stringify(block.input ?? {})}`;
    case "tool_result":
      return block.content.map(blockWords).join(" ");
    default:
      return `[${block.type}]`;
  }
}
