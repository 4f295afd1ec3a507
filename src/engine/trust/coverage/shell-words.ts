/** A piece of a word as the shell would expand it. */
export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  /** `$NAME`, `${NAME}` or `${NAME:-operand}`. */
  | { readonly kind: "variable"; readonly name: string; readonly operator: string; readonly operand: string }
  /** `$(…)` and backticks: what the script prints. */
  | { readonly kind: "output"; readonly script: string };

export interface TextWord {
  readonly pieces: readonly Piece[];
  readonly raw: string;
}

/** One command of a shell text, keywords included. */
export interface TextCommand {
  readonly words: readonly TextWord[];
  /** Files that standard input comes from, and here-strings. */
  readonly reads: readonly TextWord[];
  /** Bodies of here-documents. */
  readonly bodies: readonly string[];
  /** Whether it reads what the command before it prints. */
  readonly piped: boolean;
  /** Whether it is a pattern of `case` and not a command. */
  readonly pattern: boolean;
}

export interface ShellText {
  readonly commands: readonly TextCommand[];
  /** Scripts inside words and here-documents: `$(…)`, backticks, `<(…)` and `>(…)`. */
  readonly scripts: readonly string[];
}

/** The position of the bracket that closes the one at `from`; the end of the text when there is none. */
export function closing(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\") at += 1;
    else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end > 0) at = end;
    } else if (char === open) depth += 1;
    else if (char === close && --depth === 0) return at;
  }
  return text.length;
}

/** The lines of a here-document, and the position after it. */
export function heredocBody(text: string, from: number, end: string): readonly [body: string, after: number] {
  for (let at = from; at < text.length; ) {
    const lineEnd = text.indexOf("\n", at);
    const stop = lineEnd < 0 ? text.length : lineEnd;
    if (text.slice(at, stop).replace(/^\t+/, "") === end)
      return [text.slice(from, at), Math.min(stop + 1, text.length)];
    at = stop + 1;
  }
  return [text.slice(from), text.length];
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  v: "\v",
};

/** The text of `$'…'` with its escapes decoded. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|[\s\S])/g,
    (_, code: string) => {
      if (/^[xuU]./.test(code)) return fromCode(Number.parseInt(code.slice(1), 16));
      if (/^[0-7]/.test(code)) return fromCode(Number.parseInt(code, 8));
      return escapes[code] ?? code;
    },
  );
}

/** The character of a code point; empty when it is invalid. */
export function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
