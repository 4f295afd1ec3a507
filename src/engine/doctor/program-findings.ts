import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { CommandHook } from "../../protocol/internal.ts";
import type { Environment } from "../runners/command/command-env.ts";
import { type Finding, finding } from "./finding.ts";

/** What a command is looked up with. */
export interface ProgramPlace {
  readonly id: string;
  readonly cwd: string;
  readonly env: Environment;
  /** What `${CLAUDE_PLUGIN_ROOT}` stands for. */
  readonly root: string | undefined;
}

/** Whether what a command hook starts is there and can be started. Starts nothing. */
export function programFindings(hook: CommandHook, place: ProgramPlace): readonly Finding[] {
  if (hook.shell === "powershell") return [];
  const exec = hook.args !== undefined;
  const words = (exec ? argumentWords(hook.command, hook.args) : shellWords(hook.command)).filter(
    ({ use }) => use !== "inner",
  );
  return words.flatMap((word, index) => {
    if (word.use !== "program") return [];
    const first = words.findIndex(({ use }) => use === "program") === index;
    return [...programFinding(word, first, exec, place), ...scriptFinding(words.slice(index), place)];
  });
}

function programFinding({ text }: Word, first: boolean, exec: boolean, place: ProgramPlace): readonly Finding[] {
  const program = filled(text, place);
  if (program === undefined || (!exec && shellWordsOfItsOwn.has(program))) return [];
  if (!program.includes("/")) {
    // Only the first one: what comes later may be a word of the shell's grammar.
    if (!first || onPath(program, place.env["PATH"]) !== undefined) return [];
    return [finding("program-missing", `"${program}" is in no folder of PATH.`, place.id)];
  }
  const path = resolve(place.cwd, program);
  const is = kindOf(path);
  if (is !== "file") {
    return [finding("script-missing", `${path} ${is === "missing" ? "does not exist" : "is not a file"}.`, place.id)];
  }
  if (!isExecutable(path)) {
    return [finding("script-not-executable", `${path} may not be executed; chmod +x makes it so.`, place.id)];
  }
  const broken = brokenShebang(path, exec, place);
  return broken === undefined ? [] : [finding("shebang-broken", `${path} cannot be started: ${broken}.`, place.id)];
}

const interpreters = /^(?:node|nodejs|deno|bun|tsx|ts-node|python\d?(?:\.\d+)?|ruby|perl|php|sh|bash|dash|zsh|ksh)$/;

/** The script that an interpreter runs: its first argument that is not an option. */
function scriptFinding([program, ...rest]: readonly Word[], place: ProgramPlace): readonly Finding[] {
  const name =
    filled(program?.text ?? "", place)
      ?.split("/")
      .at(-1) ?? "";
  const script = rest[0];
  if (!interpreters.test(name) || script?.use !== "argument" || script.text.startsWith("-")) return [];
  const path = filled(script.text, place);
  if (path === undefined || !/[./]/.test(path) || kindOf(resolve(place.cwd, path)) !== "missing") return [];
  return [finding("script-missing", `${resolve(place.cwd, path)} does not exist; ${name} would run it.`, place.id)];
}

/** The word with what is known filled in; undefined when it depends on anything else. */
function filled(text: string, { cwd, root }: ProgramPlace): string | undefined {
  const known = text
    .replaceAll(/\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR\b/g, cwd)
    .replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT\b/g, (written) => root ?? written);
  return known === "" || /[$`*?[\]{}~%\0]/.test(known) ? undefined : known;
}

function onPath(program: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, program))
    .find((file) => kindOf(file) === "file" && isExecutable(file));
}

function kindOf(path: string): "file" | "other" | "missing" {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "missing";
  return stat.isFile() ? "file" : "other";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The reason why it may not be executed does not matter.
    return false;
  }
}

function brokenShebang(path: string, exec: boolean, { env }: ProgramPlace): string | undefined {
  const start = beginningOf(path);
  if (!start.startsWith("#!")) {
    return exec && /^[\t\n\r\x20-\x7e]+$/.test(start)
      ? "without #! in its first line only a shell can run it"
      : undefined;
  }
  const line = start.slice(2).split("\n")[0] ?? "";
  if (line.endsWith("\r")) return "its first line ends with a carriage return, which becomes part of the name";
  const [interpreter = "", ...rest] = line.trim().split(/\s+/);
  if (kindOf(interpreter) !== "file") return `its first line names ${interpreter}, which does not exist`;
  const name = rest.find((word) => !word.startsWith("-") && !word.includes("="));
  if (!interpreter.endsWith("/env") || name === undefined || onPath(name, env["PATH"]) !== undefined) return undefined;
  return `its first line names "${name}", which is in no folder of PATH`;
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(256);
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

const shellWordsOfItsOwn: ReadonlySet<string> = new Set(
  ". : [ [[ alias bg bind break builtin case cd continue declare do done echo esac eval exit export false fg fi for function getopts hash in jobs kill let local printf pwd read readonly return select set shift shopt source test times trap true type typeset ulimit umask unalias unset wait }".split(
    " ",
  ),
);

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

/** Programs that create or remove their arguments and do not read them. */
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
