import { closing, heredocBody, type Piece, type TextCommand, type TextWord, unescaped } from "./shell-words.ts";

/**
 * The commands of a shell text, flat and in order. It is more permissive than a shell and never fails:
 * an unclosed quote or bracket ends with the text. Linear time. `isBody`: the text is a here-document that the shell expands.
 */
export function readShellText(text: string, isBody = false) {
  const commands: TextCommand[] = [];
  /** Scripts inside words: `$(…)`, backticks, `<(…)` and `>(…)`. */
  const scripts: string[] = [];
  const heredocs: { readonly end: TextWord; readonly command: ReturnType<typeof emptyCommand> }[] = [];
  let command = emptyCommand(false);
  let pieces: Piece[] | undefined;
  let use: "word" | "written" | "read" | "heredoc" = "word";
  let [at, wordStart, open] = [0, 0, 0];
  while (at < text.length) isBody ? character(true) : step(text[at] ?? "");
  endCommand(false);
  return { commands, scripts };

  function step(char: string): void {
    const next = text[at + 1] ?? "";
    if (char === "\n") endLine();
    else if (/\s/.test(char)) skip(1, endWord);
    else if (char === "#" && pieces === undefined) comment();
    else if (char === ";") skip(1, () => endCommand(false));
    else if (char === "(" || char === ")") skip(1, () => bracket(char));
    else if (char === "|") skip(next === "|" || next === "&" ? 2 : 1, () => endCommand(next !== "|"));
    else if (char === "&" && next !== ">") skip(next === "&" ? 2 : 1, () => endCommand(false));
    else if (char === "<" || char === ">" || char === "&") redirection(char, next);
    else piece(char);
  }

  function piece(char: string): void {
    if (pieces === undefined) wordStart = at;
    pieces ??= [];
    if (char === "'") singleQuoted();
    else if (char === '"') doubleQuoted();
    else character(false);
  }

  function singleQuoted(): void {
    const end = text.indexOf("'", at + 1);
    add(text.slice(at + 1, end < 0 ? undefined : end), true);
    at = end < 0 ? text.length : end + 1;
  }

  function doubleQuoted(): void {
    add("", true);
    at += 1;
    while (at < text.length && text[at] !== '"') character(true);
    at += 1;
  }

  /** A character outside quotes, or inside double quotes, where a backslash is mostly a plain character. */
  function character(quoted: boolean): void {
    const char = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (char === "\\" && (!quoted || /["\\$`\n]/.test(next))) {
      if (next !== "\n") add(next, true);
      at += 2;
    } else if (char === "$") dollar(quoted);
    else if (char === "`") output(takeQuoted("`").replace(/\\([`\\$])/g, "$1"));
    else {
      add(char, quoted);
      at += 1;
    }
  }

  function dollar(quoted: boolean): void {
    const next = text[at + 1] ?? "";
    if (next === "'" && !quoted) {
      // In `$'…'` a backslash begins an escape.
      at += 1;
      add(unescaped(takeQuoted("'")), true);
    } else if (next === "(") output(takeBracket("(", ")"));
    else if (next === "{") variable(takeBracket("{", "}"));
    else plainVariable(quoted);
  }

  /** The text in the brackets after the next character. Continues after them. */
  function takeBracket(bracket: string, close: string): string {
    const start = at + 2;
    const end = closing(text, at + 1, bracket, close);
    at = end + 1;
    return text.slice(start, end);
  }

  /** The text up to the next `sign` without a backslash before it. Continues after it. */
  function takeQuoted(sign: string): string {
    const start = at + 1;
    let end = start;
    while (end < text.length && text[end] !== sign) end += text[end] === "\\" ? 2 : 1;
    at = end + 1;
    return text.slice(start, end);
  }

  function plainVariable(quoted: boolean): void {
    variableName.lastIndex = at + 1;
    const name = variableName.exec(text)?.[0];
    if (name === undefined) add("$", quoted);
    else push({ kind: "variable", name, operator: "", operand: "" });
    at += 1 + (name?.length ?? 0);
  }

  function variable(inside: string): void {
    const [, mark = "", name = "", rest = ""] = /^([!#]?)(\w+|[@*#?$!-])([\s\S]*)$/.exec(inside) ?? [];
    const [, operator = "", operand = ""] = /^(?:\[[^\]]*\])?(:?[-=+?]|%%?|##?|[\s\S])?([\s\S]*)$/.exec(rest) ?? [];
    push({ kind: "variable", name: mark === "" ? name : "", operator, operand });
    if (/\$\(|`/.test(operand)) scripts.push(operand);
  }

  function output(script: string): void {
    scripts.push(script);
    push({ kind: "output", script });
  }

  function redirection(char: string, next: string): void {
    if (next === "(" && char !== "&") {
      // `<(…)` and `>(…)` are arguments of the command.
      if (pieces === undefined) wordStart = at;
      scripts.push(takeBracket("(", ")"));
      use = "word";
      return;
    }
    const only = pieces?.length === 1 ? pieces[0] : undefined;
    if (only?.kind === "text" && !only.quoted && /^\d+$/.test(only.text)) pieces = undefined;
    endWord();
    const sign = /^(?:<<<|<<-?|<>|<&|<|&>>?|>>|>\||>&|>)/.exec(text.slice(at, at + 3))?.[0] ?? char;
    at += sign.length;
    use = sign.startsWith("<<") && sign !== "<<<" ? "heredoc" : sign.startsWith("<") ? "read" : "written";
  }

  function comment(): void {
    const end = text.indexOf("\n", at);
    at = end < 0 ? text.length : end;
  }

  function endLine(): void {
    at += 1;
    endWord();
    endCommand(false);
    for (const heredoc of heredocs.splice(0)) {
      const [body, after] = heredocBody(text, at, literalText(heredoc.end));
      heredoc.command.bodies.push(body);
      const isQuoted = heredoc.end.pieces.some((piece) => piece.kind === "text" && piece.quoted);
      if (!isQuoted) scripts.push(...readShellText(body, true).scripts);
      at = after;
    }
  }

  function endWord(): void {
    if (pieces === undefined) return;
    const word: TextWord = { pieces, raw: text.slice(wordStart, at).trim() };
    if (use === "word") command.words.push(word);
    else if (use === "read") command.reads.push(word);
    else if (use === "heredoc") heredocs.push({ end: word, command });
    pieces = undefined;
    use = "word";
  }

  function endCommand(pipes: boolean): void {
    endWord();
    use = "word";
    if (command.words.length > 0 || command.reads.length > 0) commands.push(command);
    command = emptyCommand(pipes);
  }

  function bracket(char: string): void {
    // `NAME=(…)` is an array; its elements are not kept.
    if (char === "(" && /^\w+\+?=$/.test(text.slice(wordStart, at)) && pieces !== undefined)
      push({ kind: "variable", name: "", operator: "", operand: "" });
    // An unmatched bracket ends a pattern of `case`.
    command.pattern = char === ")" && open === 0;
    open = Math.max(0, open + (char === "(" ? 1 : -1));
    endCommand(false);
  }

  function skip(length: number, then: () => void): void {
    then();
    at += length;
  }

  function add(added: string, quoted: boolean): void {
    const last = pieces?.at(-1);
    if (pieces !== undefined && last?.kind === "text" && last.quoted === quoted)
      pieces[pieces.length - 1] = { ...last, text: last.text + added };
    else push({ kind: "text", text: added, quoted });
  }

  function push(piece: Piece): void {
    pieces ??= [];
    pieces.push(piece);
  }
}

const variableName = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;

function emptyCommand(piped: boolean) {
  return { words: [] as TextWord[], reads: [] as TextWord[], bodies: [] as string[], piped, pattern: false };
}

/** The text of a word without its variables and outputs. */
export function literalText({ pieces }: TextWord): string {
  return pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
}
