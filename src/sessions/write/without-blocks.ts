import { withField } from "./edit-line.ts";

/** A line without some blocks of its message; every other field keeps its bytes. */
export function withoutBlocks(line: Uint8Array, blocks: ReadonlySet<number>): { line: Buffer; removed: unknown[] } {
  const { message } = JSON.parse(Buffer.from(line).toString("utf8")) as { message: { content: unknown[] } };
  const content = message.content.filter((_, n) => !blocks.has(n));
  const removed = message.content.filter((_, n) => blocks.has(n));
  return { line: withField(line, "message", { ...message, content }), removed };
}
