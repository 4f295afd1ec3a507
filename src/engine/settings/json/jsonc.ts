import { messageOf } from "../../../protocol/internal.ts";

/** JSON with comments and trailing commas, as a tree that knows the position of every value. */
export type JsonNode = JsonContainer | JsonLeaf;

/** Characters of a text, from `start` to before `end`. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface JsonContainer extends TextRange {
  readonly kind: "object" | "array";
  readonly items: readonly JsonItem[];
}

interface JsonLeaf extends TextRange {
  readonly kind: "leaf";
  readonly value: string | number | boolean | null;
}

/** A member of an object or an element of an array. */
export interface JsonItem {
  /** Absent in arrays. */
  readonly key?: string;
  /** The start of its key, or of the value in an array. */
  readonly start: number;
  readonly value: JsonNode;
  /** The position of the comma after it, if there is one. */
  readonly comma?: number;
}

interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly why: string;
}

/** Deeper than any settings file, and far below the limit of the stack. */
const maxDepth = 200;

/**
 * Reads one value. Contract: linear time, never throws. A duplicate key of an object is a fault: its author cannot know which of the
 * two counts.
 */
export function parseJsonc(text: string): { readonly tree: JsonNode } | { readonly fault: JsonFault } {
  try {
    return { tree: readDocument(text) };
  } catch (error) {
    if (error instanceof Stop) return { fault: { ...placeIn(text, error.at), why: error.message } };
    throw error;
  }
}

/** The fault in a message. */
export function faultText({ line, column, why }: JsonFault): string {
  return `line ${line}, column ${column}: ${why}`;
}

/** The value of a tree. A key such as `__proto__` is a key like any other. */
export function plainValue(node: JsonNode): unknown {
  if (node.kind === "leaf") return node.value;
  if (node.kind === "array") return node.items.map(({ value }) => plainValue(value));
  return Object.fromEntries(node.items.map(({ key, value }) => [key, plainValue(value)]));
}

/** Lines and columns count from 1, as editors do. */
export function placeIn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}

/** The position of the next token, after blanks and comments. A comment that does not end is not skipped. */
function skipTrivia(text: string, from: number): number {
  for (let at = from; ; ) {
    const unit = text[at];
    const isBlank = unit === " " || unit === "\n" || unit === "\r" || unit === "\t";
    const end = isBlank ? at + 1 : endOfComment(text, at);
    if (end === undefined) return at;
    at = end;
  }
}

/** The end of the comment at a position, before the line break; undefined when there is none, or when it does not end. */
export function endOfComment(text: string, from: number): number | undefined {
  if (text.startsWith("/*", from)) {
    const close = text.indexOf("*/", from + 2);
    return close === -1 ? undefined : close + 2;
  }
  if (!text.startsWith("//", from)) return undefined;
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return at;
}

/** A part of a text that is legal in JSONC and not in JSON. */
export interface JsoncPart extends TextRange {
  readonly kind: "comment" | "trailing comma";
}

/** Every comment and trailing comma, in order. The text must be readable JSONC. */
export function jsoncParts(text: string): readonly JsoncPart[] {
  const parts: JsoncPart[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = (text[start] === '"' ? endOfString(text, start) : endOfComment(text, start)) ?? start + 1;
    if (text[start] === "/") parts.push({ kind: "comment", start, end });
    if (text[start] === "," && /[}\]]/.test(text[skipTrivia(text, end)] ?? ""))
      parts.push({ kind: "trailing comma", start, end });
  }
  return parts;
}

class Stop extends Error {
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

function readDocument(text: string): JsonNode {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const tree = readValue(0);
  skip();
  if (at < text.length) throw new Stop(at, `${found()} behind the end of the value`);
  return tree;

  function readValue(depth: number): JsonNode {
    skip();
    if (depth > maxDepth) throw new Stop(at, `nested more than ${maxDepth} deep`);
    const start = at;
    const sign = text[start];
    if (sign === "{" || sign === "[") {
      at += 1;
      const items =
        sign === "{" ? readMembers(depth) : readItems("]", () => ({ start: at, value: readValue(depth + 1) }));
      return { kind: sign === "{" ? "object" : "array", start, end: at, items };
    }
    const value = sign === '"' ? readString() : readWord();
    return { kind: "leaf", start, end: at, value };
  }

  function readMembers(depth: number): JsonItem[] {
    const keys = new Set<string>();
    return readItems("}", () => {
      const start = at;
      if (text[start] !== '"') throw new Stop(start, `expected a key in double quotes, found ${found()}`);
      const key = readString();
      if (keys.has(key)) throw new Stop(start, `the key ${JSON.stringify(key)} is a duplicate`);
      keys.add(key);
      skip();
      if (text[at] !== ":") throw new Stop(at, `expected ":", found ${found()}`);
      at += 1;
      return { key, start, value: readValue(depth + 1) };
    });
  }

  function readItems(end: "}" | "]", next: () => JsonItem): JsonItem[] {
    const items: JsonItem[] = [];
    for (let comma = true; ; ) {
      skip();
      if (text[at] === end) {
        at += 1;
        return items;
      }
      if (!comma) throw new Stop(at, `expected "," or "${end}", found ${found()}`);
      const item = next();
      skip();
      comma = text[at] === ",";
      items.push(comma ? { ...item, comma: at } : item);
      if (comma) at += 1;
    }
  }

  function readString(): string {
    const start = at;
    const end = endOfString(text, start);
    if (end === undefined) throw new Stop(start, "a text without its closing quote");
    at = end;
    try {
      return JSON.parse(text.slice(start, end)) as string;
    } catch (cause) {
      throw new Stop(start, `a text that is not valid JSON (${messageOf(cause)})`);
    }
  }

  function readWord(): number | boolean | null {
    const whole = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    whole.lastIndex = at;
    const word = whole.exec(text)?.[0];
    if (word === undefined || /[\w.]/.test(text[whole.lastIndex] ?? ""))
      throw new Stop(at, `expected a value, found ${found()}`);
    at += word.length;
    return JSON.parse(word) as number | boolean | null;
  }

  function skip(): void {
    at = skipTrivia(text, at);
    if (text.startsWith("/*", at)) throw new Stop(at, "a comment without its end");
  }

  function found(): string {
    const unit = text[at];
    return unit === undefined ? "the end of the file" : JSON.stringify(unit);
  }
}

/** The end of a string; undefined when the line ends first. A loop, because a regular expression overflows the stack on long texts. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') return at + 1;
    if (unit === "\n" || unit === "\r") return undefined;
    if (unit === "\\") at += 1;
  }
  return undefined;
}
