/**
 * A line with one top-level field set to another value; every other byte stays. JSON that is parsed and printed again
 * would not do: long numbers, escapes and repeated keys would come out changed.
 */
export function setField(line: Uint8Array, key: string, value: unknown): Buffer {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const json = Buffer.from(JSON.stringify(value));
  const { open, field, empty } = find(bytes, key);
  if (field !== undefined) return Buffer.concat([bytes.subarray(0, field.from), json, bytes.subarray(field.to)]);
  const name = Buffer.from(`${JSON.stringify(key)}:`);
  const rest = bytes.subarray(open + 1);
  return Buffer.concat([bytes.subarray(0, open + 1), name, json, Buffer.from(empty ? "" : ","), rest]);
}

interface Place {
  /** Of the opening brace. */
  readonly open: number;
  /** The value's bytes; of a repeated key the last one's, which is the one that counts. */
  readonly field: { readonly from: number; readonly to: number } | undefined;
  readonly empty: boolean;
}

/** Contract: `bytes` is one valid JSON object. */
function find(bytes: Buffer, key: string): Place {
  const open = skip(bytes, 0);
  if (bytes[open] !== code("{")) throw new TypeError("a line that is not a JSON object cannot be edited");
  let field: Place["field"];
  let at = skip(bytes, open + 1);
  const empty = bytes[at] === code("}");
  while (bytes[at] === code('"')) {
    const nameEnd = endOfText(bytes, at);
    const name: unknown = JSON.parse(bytes.toString("utf8", at, nameEnd));
    const from = skip(bytes, skip(bytes, nameEnd) + 1);
    const to = endOfValue(bytes, from);
    if (name === key) field = { from, to };
    at = skip(bytes, to);
    if (bytes[at] !== code(",")) break;
    at = skip(bytes, at + 1);
  }
  return { open, field, empty };
}

function code(character: string): number {
  return character.charCodeAt(0);
}

function skip(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1;
  return at;
}

/** One past the closing quote. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    if (bytes[at] === code("\\")) at += 1;
    else if (bytes[at] === code('"')) return at + 1;
  }
  return bytes.length;
}

function endOfValue(bytes: Buffer, from: number): number {
  if (bytes[from] === code('"')) return endOfText(bytes, from);
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === code('"')) {
      at = endOfText(bytes, at);
      continue;
    }
    if (byte === code("{") || byte === code("[")) depth += 1;
    else if (byte === code("}") || byte === code("]")) {
      if (depth === 0) return trimmed(bytes, at);
      depth -= 1;
    } else if (byte === code(",") && depth === 0) return trimmed(bytes, at);
    at += 1;
  }
  return at;
}

function trimmed(bytes: Buffer, to: number): number {
  let at = to;
  while (bytes[at - 1] === 0x20 || bytes[at - 1] === 0x09) at -= 1;
  return at;
}

/** A line without some blocks of its message; every other field keeps its bytes. */
export function withoutBlocks(line: Uint8Array, blocks: ReadonlySet<number>): { line: Buffer; removed: unknown[] } {
  const { message } = JSON.parse(Buffer.from(line).toString("utf8")) as { message: { content: unknown[] } };
  const content = message.content.filter((_, n) => !blocks.has(n));
  const removed = message.content.filter((_, n) => blocks.has(n));
  return { line: setField(line, "message", { ...message, content }), removed };
}
