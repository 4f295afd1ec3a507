import { messageOf } from "../../../protocol/internal.ts";
/** JSON with comments and trailing commas, as a tree that knows where everything stands. */
export type JsonNode =
  | { readonly kind: "object"; readonly start: number; readonly end: number; readonly items: readonly JsonItem[] }
  | { readonly kind: "array"; readonly start: number; readonly end: number; readonly items: readonly JsonItem[] }
  | {
      readonly kind: "leaf";
      readonly start: number;
      readonly end: number;
      readonly value: string | number | boolean | null;
    };

/** A member of an object or an element of an array. */
export interface JsonItem {
  /** Absent in arrays. */
  readonly key?: string;
  /** Where the member begins: its key, or the value itself in an array. */
  readonly start: number;
  readonly value: JsonNode;
  /** Where the comma behind it stands, if there is one. */
  readonly comma?: number;
}

export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly why: string;
}

/** Deeper than any settings file, and far from the end of the stack. */
const deepest = 200;

/**
 * Reads one value; what it cannot read is a fault with its place.
 *
 * Contract: linear time, never throws. A duplicate key of an object is a fault: its author cannot
 * know which of the two counts.
 */
export function parseJsonc(text: string): { readonly tree: JsonNode } | { readonly fault: JsonFault } {
  const reader = new JsonReader(text);
  try {
    return { tree: reader.document() };
  } catch (error) {
    if (error instanceof Stop) return { fault: { ...placeIn(text, error.at), why: error.message } };
    throw error;
  }
}

/** The value a tree stands for. A key such as `__proto__` is a key like any other. */
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

/** Where the next token stands: behind blanks and comments. Stays in front of a comment that has no end. */
export function skipTrivia(text: string, from: number): number {
  for (let at = from; ; ) {
    const unit = text[at];
    if (unit === " " || unit === "\n" || unit === "\r" || unit === "\t") at += 1;
    else if (unit === "/" && text[at + 1] === "/") at = endOfLine(text, at);
    else if (unit === "/" && text[at + 1] === "*") {
      const end = text.indexOf("*/", at + 2);
      if (end === -1) return at;
      at = end + 2;
    } else return at;
  }
}

/** Where the line ends, in front of its break. */
export function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return at;
}

class Stop extends Error {
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

/** Holds the place in the text while the tree is built. */
class JsonReader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): JsonNode {
    if (this.text.startsWith("\ufeff")) this.at = 1;
    const tree = this.value(0);
    this.skip();
    if (this.at < this.text.length) throw new Stop(this.at, `${this.found()} behind the end of the value`);
    return tree;
  }

  private value(depth: number): JsonNode {
    this.skip();
    if (depth > deepest) throw new Stop(this.at, `nested more than ${deepest} deep`);
    const start = this.at;
    const sign = this.text[start];
    if (sign === "{" || sign === "[") {
      this.at += 1;
      const items = sign === "{" ? this.members(depth) : this.elements(depth);
      return { kind: sign === "{" ? "object" : "array", start, end: this.at, items };
    }
    const value = sign === '"' ? this.string() : this.word();
    return { kind: "leaf", start, end: this.at, value };
  }

  private members(depth: number): JsonItem[] {
    const keys = new Set<string>();
    return this.items("}", () => {
      const start = this.at;
      if (this.text[start] !== '"') throw new Stop(start, `expected a key in double quotes, found ${this.found()}`);
      const key = this.string();
      if (keys.has(key)) throw new Stop(start, `the key ${JSON.stringify(key)} is a duplicate`);
      keys.add(key);
      this.skip();
      if (this.text[this.at] !== ":") throw new Stop(this.at, `expected ":", found ${this.found()}`);
      this.at += 1;
      return { key, start, value: this.value(depth + 1) };
    });
  }

  private elements(depth: number): JsonItem[] {
    return this.items("]", () => ({ start: this.at, value: this.value(depth + 1) }));
  }

  private items(end: "}" | "]", next: () => JsonItem): JsonItem[] {
    const items: JsonItem[] = [];
    for (let comma = true; ; ) {
      this.skip();
      if (this.text[this.at] === end) {
        this.at += 1;
        return items;
      }
      if (!comma) throw new Stop(this.at, `expected "," or "${end}", found ${this.found()}`);
      const item = next();
      this.skip();
      comma = this.text[this.at] === ",";
      items.push(comma ? { ...item, comma: this.at } : item);
      if (comma) this.at += 1;
    }
  }

  private string(): string {
    const start = this.at;
    const end = endOfString(this.text, start);
    if (end === undefined) throw new Stop(start, "a text without its closing quote");
    const found = this.text.slice(start, end);
    this.at = end;
    try {
      return JSON.parse(found) as string;
    } catch (cause) {
      throw new Stop(start, `a text that is not valid JSON (${messageOf(cause)})`);
    }
  }

  private word(): number | boolean | null {
    const whole = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    whole.lastIndex = this.at;
    const found = whole.exec(this.text)?.[0];
    if (found === undefined || /[\w.]/.test(this.text[whole.lastIndex] ?? "")) {
      throw new Stop(this.at, `expected a value, found ${this.found()}`);
    }
    this.at += found.length;
    return JSON.parse(found) as number | boolean | null;
  }

  private skip(): void {
    this.at = skipTrivia(this.text, this.at);
    if (this.text.startsWith("/*", this.at)) throw new Stop(this.at, "a comment without its end");
  }

  private found(): string {
    const unit = this.text[this.at];
    return unit === undefined ? "the end of the file" : JSON.stringify(unit);
  }
}

/** Behind the closing quote; undefined when the line ends first. A loop, because a pattern would run out of room on long texts. */
export function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') return at + 1;
    if (unit === "\n" || unit === "\r") return undefined;
    if (unit === "\\") at += 1;
  }
  return undefined;
}
