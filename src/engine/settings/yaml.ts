import { parseJsonc, plainValue } from "./jsonc.ts";

/**
 * The part of YAML that hooks in frontmatter are written in: block mappings and lists, plain and quoted scalars, block texts, and
 * lists or objects in JSON's own spelling. Anchors, tags, merge keys and texts that run over lines are refused, not guessed at.
 *
 * Contract: linear, never throws, whatever the lines.
 */
export function readYaml(lines: readonly YamlLine[]): { readonly value: unknown } | { readonly fault: YamlFault } {
  const reader = new YamlReader(lines);
  try {
    return { value: reader.document() };
  } catch (error) {
    if (error instanceof Refusal) return { fault: { line: error.line, why: error.message } };
    throw error;
  }
}

export interface YamlLine {
  /** Counts from 1, in the file. */
  readonly number: number;
  readonly text: string;
}

export interface YamlFault {
  readonly line: number;
  readonly why: string;
}

class Refusal extends Error {
  readonly line: number;

  constructor(line: number, why: string) {
    super(why);
    this.line = line;
  }
}

/** A line with its indent taken off; `rest` may be what follows a dash. */
interface Row {
  readonly number: number;
  readonly indent: number;
  readonly rest: string;
}

const deepest = 50;
const longestLine = 10_000;

class YamlReader {
  private at = 0;
  private readonly lines: readonly YamlLine[];
  /** What follows a dash is a row of its own, one step further in. */
  private pending: Row | undefined;

  constructor(lines: readonly YamlLine[]) {
    this.lines = lines;
  }

  document(): unknown {
    const first = this.peek();
    if (first === undefined) return null;
    const value = this.block(first.indent, 0);
    const left = this.peek();
    if (left !== undefined) throw new Refusal(left.number, "this line is indented less than what stands before it");
    return value;
  }

  private block(indent: number, depth: number): unknown {
    const row = this.peek();
    if (row === undefined || row.indent < indent) return null;
    if (depth > deepest) throw new Refusal(row.number, `nested more than ${deepest} deep`);
    return row.rest === "-" || row.rest.startsWith("- ")
      ? this.list(row.indent, depth)
      : this.mapping(row.indent, depth);
  }

  private list(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let row = this.peek(); row !== undefined && row.indent >= indent; row = this.peek()) {
      if (row.indent > indent || !(row.rest === "-" || row.rest.startsWith("- "))) {
        throw new Refusal(row.number, 'expected another "- " at the same indent');
      }
      this.next();
      const rest = withoutComment(row.rest.slice(1));
      const inside = rest.trimStart();
      if (inside === "") items.push(this.block(indent + 1, depth + 1));
      else if (isMember(inside) || inside === "-" || inside.startsWith("- ")) {
        this.pending = { number: row.number, indent: indent + 1 + (rest.length - inside.length), rest: inside };
        items.push(this.block(this.pending.indent, depth + 1));
      } else items.push(this.scalar(inside, row, depth));
    }
    return items;
  }

  private mapping(indent: number, depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    for (let row = this.peek(); row !== undefined && row.indent >= indent; row = this.peek()) {
      if (row.indent > indent) throw new Refusal(row.number, "this line is indented more than its neighbours");
      const member = memberIn(row);
      if (members.has(member.key))
        throw new Refusal(row.number, `the key ${JSON.stringify(member.key)} stands here a second time`);
      this.next();
      members.set(member.key, member.rest === "" ? this.below(indent, depth) : this.scalar(member.rest, row, depth));
    }
    return Object.fromEntries(members);
  }

  /** What stands under a key. A list may stand at the key's own indent. */
  private below(indent: number, depth: number): unknown {
    const row = this.peek();
    if (row === undefined || row.indent < indent) return null;
    if (row.indent > indent) return this.block(row.indent, depth + 1);
    return row.rest === "-" || row.rest.startsWith("- ") ? this.list(indent, depth + 1) : null;
  }

  private scalar(text: string, row: Row, depth: number): unknown {
    if (/^[|>][+-]?$/.test(text)) return this.blockText(text, row.indent);
    if (depth > deepest) throw new Refusal(row.number, `nested more than ${deepest} deep`);
    const value = scalarOf(text, row.number);
    const next = this.peek();
    if (next !== undefined && next.indent > row.indent) {
      throw new Refusal(
        next.number,
        "a text may not run over several lines here; put it in quotes on one line, or use |",
      );
    }
    return value;
  }

  private blockText(sign: string, indent: number): string {
    const lines: string[] = [];
    while (this.at < this.lines.length) {
      const text = this.lines[this.at]?.text ?? "";
      if (text.trim() !== "" && indentOf(text) <= indent) break;
      lines.push(text);
      this.at += 1;
    }
    const inner = lines.reduce(
      (least, line) => (line.trim() === "" ? least : Math.min(least, indentOf(line))),
      longestLine,
    );
    const cut = lines.map((line) => line.slice(inner));
    while (cut.length > 0 && cut.at(-1)?.trim() === "") cut.pop();
    const body = sign.startsWith("|")
      ? cut.join("\n")
      : cut
          .join("\n")
          .replace(/(?<!\n)\n(?!\n| )/g, " ")
          .replace(/\n\n/g, "\n");
    return sign.endsWith("-") || body === "" ? body : `${body}\n`;
  }

  /** The next row with something on it. */
  private peek(): Row | undefined {
    if (this.pending !== undefined) return this.pending;
    for (; this.at < this.lines.length; this.at++) {
      const line = this.lines[this.at];
      if (line !== undefined && line.text.length > longestLine) {
        throw new Refusal(line.number, `a line of more than ${longestLine} characters`);
      }
      if (line === undefined || /^\s*(?:#|$)/.test(line.text)) continue;
      const indent = indentOf(line.text);
      if (line.text[indent] === "\t") throw new Refusal(line.number, "tabs cannot indent");
      return { number: line.number, indent, rest: line.text.slice(indent).trimEnd() };
    }
    return undefined;
  }

  private next(): void {
    if (this.pending !== undefined) this.pending = undefined;
    else this.at += 1;
  }
}

function indentOf(text: string): number {
  let indent = 0;
  while (text[indent] === " ") indent += 1;
  return indent;
}

/** A key and its colon. Each part ends at a sign the next one begins with, so no line is tried twice. */
const keyPattern = /^(?:"(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^\s"'#&*!|>%@`{}[\],?:-][^:#]*):(?=\s|$)/;

function isMember(text: string): boolean {
  return keyPattern.test(text);
}

function memberIn({ rest, number }: Row): { key: string; rest: string } {
  const found = keyPattern.exec(rest)?.[0];
  if (found === undefined) throw new Refusal(number, 'expected "key: value"');
  const key = found.slice(0, -1).trim();
  if (key === "<<") throw new Refusal(number, "merge keys are not read here");
  return {
    key: /^["']/.test(key) ? String(scalarOf(key, number)) : key,
    rest: withoutComment(rest.slice(found.length)).trim(),
  };
}

/** Without a `#` that begins a comment: at the start or behind a blank, and in no quotes. */
function withoutComment(text: string): string {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] ?? "";
    if (quote !== "") {
      if (unit === "\\" && quote === '"') at += 1;
      else if (unit === quote) quote = "";
    } else if ((unit === '"' || unit === "'") && /^[\s,[{:]?$/.test(text[at - 1] ?? "")) quote = unit;
    else if (unit === "#" && /^\s?$/.test(text[at - 1] ?? "")) return text.slice(0, at).trimEnd();
  }
  return text;
}

function scalarOf(text: string, line: number): unknown {
  if (text.startsWith('"') || text.startsWith("[") || text.startsWith("{")) {
    const parsed = parseJsonc(text);
    if ("fault" in parsed) throw new Refusal(line, `${text.slice(0, 40)} is not valid: ${parsed.fault.why}`);
    return plainValue(parsed.tree);
  }
  if (text.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(text)) throw new Refusal(line, "a text without its closing quote");
    return text.slice(1, -1).replaceAll("''", "'");
  }
  if (/^[&*!%@`|>]/.test(text))
    throw new Refusal(line, `${JSON.stringify(text[0])} is not read here; put the text in quotes`);
  if (/: |:$| #/.test(text)) throw new Refusal(line, 'a text with ": " needs quotes');
  if (/^(?:null|~)$/.test(text)) return null;
  if (/^(?:true|false)$/.test(text)) return text === "true";
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
