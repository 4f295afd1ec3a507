import { escapeJson } from "../../protocol/internal.ts";

/** One JSON value for a terminal or a pipe, with control characters escaped. */
export function jsonText(value: unknown, indent: number | undefined = 2): string {
  return `${escapeJson(JSON.stringify(value, null, indent))}\n`;
}
