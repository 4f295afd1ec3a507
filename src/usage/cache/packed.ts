import type { Names } from "../calls/names.ts";
import { openNames } from "../calls/names.ts";
import { type CallTable, figure, mark, word } from "../calls/table.ts";
import { noParts, type RecordPart, type UsageRecord } from "../record.ts";

/** The rows of one file, small: counts in as few bytes as they need, names and parts of calls once, at the end. */
export function packRows(table: CallTable, from: number, to: number, names: Names): Buffer {
  const own = openNames();
  const parts: [number, readonly RecordPart[]][] = [];
  const out = byteWriter((to - from) * 64 + 64);
  let at = 0;
  let offset = 0;
  for (let row = from; row < to; row++) {
    const { words, figures } = table;
    const w = row * word.size;
    const f = row * figure.size;
    const flags = flagsOf(figures[f + figure.at] as number, figures[f + figure.written] as number);
    out.word(words[w + word.keyA] as number);
    out.word(words[w + word.keyB] as number);
    out.word(words[w + word.requestA] as number);
    out.word(words[w + word.requestB] as number);
    out.number((words[w + word.rank] as number) * 4 + flags);
    out.number(words[w + word.marks] as number);
    out.number(words[w + word.odd] as number);
    out.number(own.numberOf(names.texts[words[w + word.model] as number] ?? ""));
    out.number(own.numberOf(names.texts[words[w + word.agent] as number] ?? ""));
    for (let place = 0; place < figure.at; place++) out.number(figures[f + place] as number);
    // Times and places grow from row to row, mostly.
    if (flags & undatedFlag) out.number(0);
    else {
      out.difference((figures[f + figure.at] as number) - at);
      at = figures[f + figure.at] as number;
    }
    out.difference((figures[f + figure.offset] as number) - offset);
    offset = figures[f + figure.offset] as number;
    if (flags & writtenFlag) out.number(figures[f + figure.written] as number);
    const asides = table.partsOf(row);
    if (asides.length > 0) parts.push([row - from, asides]);
  }
  const rest = Buffer.from(JSON.stringify({ names: own.texts, parts }));
  const head = byteWriter(32);
  head.number(to - from);
  head.number(rest.length);
  return Buffer.concat([head.done(), rest, out.done()]);
}

/** Puts packed rows back into a table, as rows of file `file`. Throws on bytes that are not what `packRows` wrote. */
export function unpackRows(bytes: Buffer, file: number, table: CallTable, names: Names, record: UsageRecord): void {
  const input = byteReader(bytes);
  const count = input.number();
  const { names: own, parts } = JSON.parse(input.text(input.number())) as {
    names: readonly string[];
    parts: readonly [number, readonly RecordPart[]][];
  };
  const numbers = own.map((text) => names.numberOf(text));
  const asides = new Map(parts);
  let at = 0;
  let offset = 0;
  for (let row = 0; row < count; row++) {
    record.key.a = input.word();
    record.key.b = input.word();
    record.request.a = input.word();
    record.request.b = input.word();
    const ranked = input.number();
    record.rank = (ranked >> 2) as UsageRecord["rank"];
    const marks = input.number();
    record.stopped = (marks & mark.stopped) !== 0;
    record.fast = (marks & mark.fast) !== 0;
    record.batch = (marks & mark.batch) !== 0;
    record.us = (marks & mark.us) !== 0;
    record.apiError = (marks & mark.apiError) !== 0;
    record.odd = input.number();
    record.model = numbers[input.number()] ?? 0;
    record.agent = numbers[input.number()] ?? 0;
    record.input = input.number();
    record.output = input.number();
    record.thinking = input.number();
    record.cacheWrite5m = input.number();
    record.cacheWrite1h = input.number();
    record.cacheRead = input.number();
    record.webSearches = input.number();
    record.prompt = input.number();
    record.assumed5m = input.number();
    const time = input.difference();
    if (ranked & undatedFlag) record.at = Number.NaN;
    else {
      at += time;
      record.at = at;
    }
    offset += input.difference();
    record.written = ranked & writtenFlag ? input.number() : Number.NaN;
    record.parts = asides.get(row) ?? noParts;
    table.insert(file, record, offset);
  }
}

const undatedFlag = 1;
const writtenFlag = 2;

function flagsOf(at: number, written: number): number {
  return (Number.isNaN(at) ? undatedFlag : 0) | (Number.isNaN(written) ? 0 : writtenFlag);
}

function byteWriter(size: number) {
  let bytes = Buffer.allocUnsafe(size);
  let length = 0;
  function room(count: number): void {
    if (length + count <= bytes.length) return;
    const larger = Buffer.allocUnsafe(bytes.length * 2 + count);
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  }
  /** Seven bits per byte, lowest first. Contract: a whole number from 0 to 2^53. */
  function number(value: number): void {
    room(8);
    let rest = value;
    while (rest >= 0x80) {
      bytes[length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[length++] = rest;
  }
  return {
    number,
    difference: (value: number) => number(value < 0 ? -value * 2 - 1 : value * 2),
    word(value: number): void {
      room(4);
      length = bytes.writeUInt32LE(value, length);
    },
    done: () => bytes.subarray(0, length),
  };
}

function byteReader(bytes: Buffer) {
  let at = 0;
  function number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("packed rows end too early");
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }
  return {
    number,
    difference(): number {
      const value = number();
      return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    },
    word(): number {
      at += 4;
      return bytes.readUInt32LE(at - 4);
    },
    text(length: number): string {
      at += length;
      return bytes.toString("utf8", at - length, at);
    },
  };
}
