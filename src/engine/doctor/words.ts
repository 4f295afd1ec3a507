/** A word of a command line after quotes are taken off. */
export interface Word {
  readonly text: string;
  /** `program` begins a command; `written` only says where something goes; `inner` stands inside another word. */
  readonly use: "program" | "argument" | "written" | "inner";
}

/**
 * The words of a shell text, those of texts inside its words included.
 *
 * This looks for names of files, it does not understand the shell: a word too many is one file more that must not change, so in
 * doubt everything is a word. Linear in the length of the text.
 */
export function shellWords(text: string, depth = 0): Word[] {
  const found: Word[] = [];
  let command = newCommand();
  let word: string | undefined;
  let quote = "";
  let afterWrite = false;

  function endWord(): void {
    if (word === undefined) return;
    for (const one of wordAndInner({ text: word, use: afterWrite ? "written" : command.useOf(word) }, depth))
      found.push(one);
    afterWrite = false;
    word = undefined;
  }

  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"' && /["\\$`]/.test(text[at + 1] ?? "")) word += text[++at] ?? "";
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === "\\") {
      const next = text[++at] ?? "";
      if (next !== "\n") word = (word ?? "") + next;
    } else if (char === "#" && word === undefined) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end - 1;
    } else if (char === ">") {
      if (word !== undefined && /^\d+$/.test(word)) word = undefined;
      endWord();
      while (/[>|&]/.test(text[at + 1] ?? "")) at++;
      afterWrite = true;
    } else if (/\s/.test(char) || char === "<") {
      endWord();
      if (char === "\n") command = newCommand();
    } else if (/[;|&()`]/.test(char)) {
      endWord();
      // `&>` writes; any other of these begins a command.
      if (char !== "&" || text[at + 1] !== ">") command = newCommand();
    } else {
      word = (word ?? "") + char;
    }
  }
  endWord();
  return found;
}

/** The words of a command that is started directly: each argument is one word, and may itself hold a command. */
export function argumentWords(command: string, args: readonly string[]): Word[] {
  const { useOf } = newCommand();
  return [command, ...args].flatMap((text) => wordAndInner({ text, use: useOf(text) }, 0));
}

const deepest = 3;

/** `bash -c 'node hooks/check.js'` names a file inside its third word. */
function wordAndInner({ text, use }: Word, depth: number): Word[] {
  const word: Word = { text, use: depth > 0 && use !== "written" ? "inner" : use };
  if (depth >= deepest || !/[\s;|&()`<>'"]/.test(word.text)) return [word];
  return [word].concat(shellWords(word.text, depth + 1));
}

/** Programs that make or remove what they are given and read none of it. */
const writers: ReadonlySet<string> = new Set(["touch", "mkdir", "rmdir", "rm", "tee"]);
/** Words that stand before the program of a command. */
const leading = /^(?:if|then|elif|else|while|until|do|!|\{|time|exec|command|env|nohup|sudo|\w+=.*)$/s;

/** Says of each word of one command, in order, what it is for. */
function newCommand(): { useOf(word: string): Word["use"] } {
  let program: string | undefined;
  return {
    useOf(word) {
      if (program !== undefined) return writers.has(program) ? "written" : "argument";
      if (leading.test(word)) return "argument";
      program = word.slice(word.lastIndexOf("/") + 1);
      return "program";
    },
  };
}
