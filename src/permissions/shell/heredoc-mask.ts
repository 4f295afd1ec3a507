import { firstFrom } from "./first-from.ts";

/** A text with the bodies of quoted here-documents blotted out, so that what they hold costs nothing and hides nothing. */
export interface Masked {
  readonly text: string;
  /** Where each body begins. The tree must have a here-document at each of them, or the blots are wrong. */
  readonly bodies: readonly number[];
  /** How many characters were blotted out. */
  readonly hidden: number;
}

/** Stands for each character of a body. */
export const blot = ":";

const opener = /<<(-?)[ \t]*(?:'([\w.+-]+)'|"([\w.+-]+)"|\\([\w.+-]+))(?![\w.+'"\\$`-])/;

/**
 * Blots out, at the same length, what stands between `<<'E'` and the first line that is `E`. Whether `<<'E'` really opens a
 * here-document only the grammar knows: it may stand in quotes or in a comment. Whoever parses the result has to check.
 */
export function maskHeredocs(text: string): Masked {
  if (!text.includes("<<")) return { text, bodies: [], hidden: 0 };
  const bodies: number[] = [];
  const lines = lineIndex(text);
  let [masked, at, hidden] = ["", 0, 0];
  while (at < text.length) {
    const end = lineEnd(text, at);
    masked += text.slice(at, end);
    const body = bodyAfter(text.slice(at, end), end, lines);
    at = end;
    if (body === undefined) continue;
    bodies.push(end);
    const length = body - end;
    // One long line of a sign that no delimiter holds.
    masked += length === 0 ? "" : `${blot.repeat(length - 1)}\n`;
    hidden += length;
    at = body;
  }
  return { text: masked, bodies, hidden };
}

/** Where the body that a line opens ends, or undefined when it opens none, or more than one. */
function bodyAfter(line: string, start: number, lines: LineIndex): number | undefined {
  const found = opener.exec(line);
  if (found === null || line.indexOf("<<", found.index + 2) >= 0 || line.indexOf("<<") !== found.index) {
    return undefined;
  }
  const mark = found[2] ?? found[3] ?? found[4] ?? "";
  return firstFrom((found[1] === "-" ? lines.untabbed : lines.exact).get(mark), start);
}

/** Where lines that may end a here-document begin, by their text. */
interface LineIndex {
  readonly exact: ReadonlyMap<string, readonly number[]>;
  readonly untabbed: ReadonlyMap<string, readonly number[]>;
}

function lineIndex(text: string): LineIndex {
  const [exact, untabbed] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (let at = 0; at < text.length; at = lineEnd(text, at)) {
    const line = text.slice(at, lineEnd(text, at)).replace(/\n$/, "");
    const bare = line.replace(/^\t+/, "");
    if (!/^[\w.+-]+$/.test(bare)) continue;
    if (bare === line) note(exact, line, at);
    note(untabbed, bare, at);
  }
  return { exact, untabbed };
}

function note(places: Map<string, number[]>, line: string, at: number): void {
  const known = places.get(line);
  if (known) known.push(at);
  else places.set(line, [at]);
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}
