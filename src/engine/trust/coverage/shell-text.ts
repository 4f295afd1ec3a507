import {
  closing,
  heredocBody,
  type Piece,
  type ShellText,
  type TextCommand,
  type TextWord,
  unescaped,
} from "./shell-words.ts";

/**
 * The commands of a shell text, flat and in order. It is more permissive than a shell and never fails:
 * an unclosed quote or bracket ends with the text. Linear time.
 */
export function readShellText(text: string): ShellText {
  const reader = new Reader(text);
  reader.readAll();
  return { commands: reader.commands, scripts: reader.scripts };
}

type Use = "word" | "written" | "read" | "heredoc";

class Reader {
  readonly commands: TextCommand[] = [];
  readonly scripts: string[] = [];
  private at = 0;
  private pieces: Piece[] | undefined;
  private wordStart = 0;
  private use: Use = "word";
  private command = emptyCommand(false);
  private open = 0;
  private heredocs: { readonly end: string; readonly command: ReturnType<typeof emptyCommand> }[] = [];

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  readAll(): void {
    while (this.at < this.text.length) this.step(this.text[this.at] ?? "");
    this.endCommand(false);
  }

  private step(char: string): void {
    const next = this.text[this.at + 1] ?? "";
    if (char === "\n") this.endLine();
    else if (/\s/.test(char)) this.skip(1, () => this.endWord());
    else if (char === "#" && this.pieces === undefined) this.comment();
    else if (char === ";") this.skip(1, () => this.endCommand(false));
    else if (char === "(" || char === ")") this.skip(1, () => this.bracket(char));
    else if (char === "|") this.skip(next === "|" || next === "&" ? 2 : 1, () => this.endCommand(next !== "|"));
    else if (char === "&" && next !== ">") this.skip(next === "&" ? 2 : 1, () => this.endCommand(false));
    else if (char === "<" || char === ">" || char === "&") this.redirection(char, next);
    else this.piece(char, next);
  }

  private piece(char: string, next: string): void {
    if (this.pieces === undefined) this.wordStart = this.at;
    this.pieces ??= [];
    if (char === "\\") {
      if (next !== "\n") this.add(next, true);
      this.at += 2;
    } else if (char === "'") this.singleQuoted();
    else if (char === '"') this.doubleQuoted();
    else if (char === "$") this.dollar(false);
    else if (char === "`") this.backticks();
    else {
      this.add(char, false);
      this.at += 1;
    }
  }

  private singleQuoted(): void {
    const end = this.text.indexOf("'", this.at + 1);
    this.add(this.text.slice(this.at + 1, end < 0 ? undefined : end), true);
    this.at = end < 0 ? this.text.length : end + 1;
  }

  private doubleQuoted(): void {
    this.add("", true);
    for (this.at += 1; this.at < this.text.length; ) {
      const char = this.text[this.at] ?? "";
      const next = this.text[this.at + 1] ?? "";
      if (char === '"') {
        this.at += 1;
        return;
      }
      if (char === "\\" && '"\\$`\n'.includes(next) && next !== "") {
        if (next !== "\n") this.add(next, true);
        this.at += 2;
      } else if (char === "$") this.dollar(true);
      else if (char === "`") this.backticks();
      else {
        this.add(char, true);
        this.at += 1;
      }
    }
  }

  private dollar(quoted: boolean): void {
    const next = this.text[this.at + 1] ?? "";
    if (next === "'" && !quoted) {
      // In `$'…'` a backslash begins an escape.
      this.at += 1;
      this.add(unescaped(this.takeQuoted("'")), true);
    } else if (next === "(") this.output(this.takeBracket("(", ")"));
    else if (next === "{") this.variable(this.takeBracket("{", "}"));
    else this.plainVariable(quoted);
  }

  /** The text in the brackets after the next character. Continues after them. */
  private takeBracket(open: string, close: string): string {
    const start = this.at + 2;
    const end = closing(this.text, this.at + 1, open, close);
    this.at = end + 1;
    return this.text.slice(start, end);
  }

  /** The text up to the next `sign` without a backslash before it. Continues after it. */
  private takeQuoted(sign: string): string {
    const start = this.at + 1;
    let end = start;
    while (end < this.text.length && this.text[end] !== sign) end += this.text[end] === "\\" ? 2 : 1;
    this.at = end + 1;
    return this.text.slice(start, end);
  }

  private plainVariable(quoted: boolean): void {
    variableName.lastIndex = this.at + 1;
    const name = variableName.exec(this.text)?.[0];
    if (name === undefined) this.add("$", quoted);
    else this.push({ kind: "variable", name, operator: "", operand: "" });
    this.at += 1 + (name?.length ?? 0);
  }

  private variable(inside: string): void {
    const [, mark = "", name = "", rest = ""] = /^([!#]?)(\w+|[@*#?$!-])([\s\S]*)$/.exec(inside) ?? [];
    const [, operator = "", operand = ""] = /^(?:\[[^\]]*\])?(:?[-=+?]|%%?|##?|[\s\S])?([\s\S]*)$/.exec(rest) ?? [];
    this.push({ kind: "variable", name: mark === "" ? name : "", operator, operand });
    if (/\$\(|`/.test(operand)) this.scripts.push(operand);
  }

  private backticks(): void {
    this.output(this.takeQuoted("`").replace(/\\([`\\$])/g, "$1"));
  }

  private output(script: string): void {
    this.scripts.push(script);
    this.push({ kind: "output", script });
  }

  private redirection(char: string, next: string): void {
    if (next === "(" && char !== "&") {
      // `<(…)` and `>(…)` are arguments of the command.
      if (this.pieces === undefined) this.wordStart = this.at;
      this.scripts.push(this.takeBracket("(", ")"));
      this.use = "word";
      return;
    }
    const only = this.pieces?.length === 1 ? this.pieces[0] : undefined;
    if (only?.kind === "text" && !only.quoted && /^\d+$/.test(only.text)) this.pieces = undefined;
    this.endWord();
    const sign = /^(?:<<<|<<-?|<>|<&|<|&>>?|>>|>\||>&|>)/.exec(this.text.slice(this.at, this.at + 3))?.[0] ?? char;
    this.at += sign.length;
    this.use = sign.startsWith("<<") && sign !== "<<<" ? "heredoc" : sign.startsWith("<") ? "read" : "written";
  }

  private comment(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  private endLine(): void {
    this.at += 1;
    this.endWord();
    this.endCommand(false);
    for (const { end, command } of this.heredocs.splice(0)) {
      const [body, after] = heredocBody(this.text, this.at, end);
      command.bodies.push(body);
      this.at = after;
    }
  }

  private endWord(): void {
    const { pieces, use } = this;
    if (pieces === undefined) return;
    this.pieces = undefined;
    this.use = "word";
    const word: TextWord = { pieces, raw: this.text.slice(this.wordStart, this.at).trim() };
    if (use === "word") this.command.words.push(word);
    else if (use === "read") this.command.reads.push(word);
    else if (use === "heredoc") this.heredocs.push({ end: plainText(word), command: this.command });
  }

  private endCommand(pipes: boolean): void {
    this.endWord();
    this.use = "word";
    const { command } = this;
    if (command.words.length > 0 || command.reads.length > 0) this.commands.push(command);
    this.command = emptyCommand(pipes);
  }

  private bracket(char: string): void {
    // `NAME=(…)` is an array; its elements are not kept.
    if (char === "(" && /^\w+\+?=$/.test(this.text.slice(this.wordStart, this.at)) && this.pieces !== undefined)
      this.push({ kind: "variable", name: "", operator: "", operand: "" });
    // An unmatched bracket ends a pattern of `case`.
    this.command.pattern = char === ")" && this.open === 0;
    this.open = Math.max(0, this.open + (char === "(" ? 1 : -1));
    this.endCommand(false);
  }

  private skip(length: number, then: () => void): void {
    then();
    this.at += length;
  }

  private add(text: string, quoted: boolean): void {
    const last = this.pieces?.at(-1);
    if (this.pieces !== undefined && last?.kind === "text" && last.quoted === quoted)
      this.pieces[this.pieces.length - 1] = { ...last, text: last.text + text };
    else this.push({ kind: "text", text, quoted });
  }

  private push(piece: Piece): void {
    this.pieces ??= [];
    this.pieces.push(piece);
  }
}

const variableName = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;

function emptyCommand(piped: boolean) {
  return { words: [] as TextWord[], reads: [] as TextWord[], bodies: [] as string[], piped, pattern: false };
}

/** The text of a word without its variables and outputs. */
export function plainText({ pieces }: TextWord): string {
  return pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
}
