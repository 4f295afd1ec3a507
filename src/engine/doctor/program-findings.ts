import { accessSync, constants, existsSync, readSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { withFileSync } from "../../files/internal.ts";
import { type CommandHook, succeeds } from "../../protocol/internal.ts";
import type { Environment } from "../options.ts";
import { isFile } from "../trust/coverage/javascript.ts";
import { readShellText } from "../trust/coverage/shell-text.ts";
import type { TextWord } from "../trust/coverage/shell-words.ts";
import { type Finding, finding } from "./finding.ts";

/** The hook of a command, and where its programs are looked up. */
interface CommandOrigin {
  readonly hookId: string;
  readonly cwd: string;
  readonly env: Environment;
  /** The value of `${CLAUDE_PLUGIN_ROOT}`. */
  readonly pluginRoot: string | undefined;
}

/** Programs and scripts of a command hook that are missing or cannot be started. Starts nothing. */
export function programFindings({ command, args, shell }: CommandHook, origin: CommandOrigin): readonly Finding[] {
  if (shell === "powershell") return [];
  const isExec = args !== undefined;
  const commands = isExec ? [[command, ...args]] : commandsIn(command).map(fromProgram);
  return commands
    .filter((words) => words.length > 0)
    .flatMap(([program = "", script], index) => [
      ...programFinding(program, index === 0, isExec, origin),
      ...scriptFinding(program, script, origin),
    ]);
}

const maxDepth = 3;

/** The words of each command of a shell text, quotes removed, including the commands in `$(…)`. */
function commandsIn(text: string, depth = 0): readonly (readonly string[])[] {
  const { commands, scripts } = readShellText(text);
  const inner = depth < maxDepth ? scripts : [];
  return [
    ...commands.filter(({ pattern }) => !pattern).map(({ words }) => words.map(wordText)),
    ...inner.flatMap((script) => commandsIn(script, depth + 1)),
  ];
}

/** A part whose value is unknown becomes a single `$`. */
function wordText({ pieces }: TextWord): string {
  const texts = pieces.map((piece) => {
    if (piece.kind === "text") return piece.text;
    return piece.kind === "variable" && piece.operator === "" ? `\${${piece.name}}` : "$";
  });
  return texts.join("");
}

/** Words that may precede the program of a command. */
const leading = /^(?:if|then|elif|else|while|until|do|!|\{|time|exec|command|env|nohup|sudo|\w+=.*)$/s;

function fromProgram(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !leading.test(word));
  return start < 0 ? [] : words.slice(start);
}

/** `isExec`: it is started without a shell. */
function programFinding(word: string, isFirst: boolean, isExec: boolean, origin: CommandOrigin): readonly Finding[] {
  const { hookId, cwd, env } = origin;
  const program = fillVariables(word, origin);
  if (program === undefined || (!isExec && shellBuiltins.has(program))) return [];
  if (!program.includes("/")) {
    // Only the first word is certain to be a program; a later one may be shell grammar.
    if (!isFirst || findOnPath(program, env["PATH"]) !== undefined) return [];
    return [finding("program-missing", `"${program}" is not on PATH.`, hookId)];
  }
  const path = resolve(cwd, program);
  if (!isFile(path)) {
    const why = existsSync(path) ? "is not a file" : "does not exist";
    return [finding("script-missing", `${path} ${why}.`, hookId)];
  }
  if (!isExecutable(path)) {
    return [finding("script-not-executable", `${path} is not executable. Run chmod +x on it.`, hookId)];
  }
  const reason = brokenShebang(path, isExec, env);
  return reason === undefined ? [] : [finding("shebang-broken", `${path} cannot be started: ${reason}.`, hookId)];
}

const interpreters = /^(?:node|nodejs|deno|bun|tsx|ts-node|python\d?(?:\.\d+)?|ruby|perl|php|sh|bash|dash|zsh|ksh)$/;

/** The first argument of an interpreter, if it is a script that does not exist. */
function scriptFinding(program: string, script: string | undefined, origin: CommandOrigin): readonly Finding[] {
  const name = fillVariables(program, origin)?.split("/").at(-1) ?? "";
  if (!interpreters.test(name) || script === undefined || script.startsWith("-")) return [];
  const path = fillVariables(script, origin);
  if (path === undefined || !/[./]/.test(path)) return [];
  const file = resolve(origin.cwd, path);
  if (existsSync(file)) return [];
  return [finding("script-missing", `${file} does not exist; ${name} would run it.`, origin.hookId)];
}

/** The word with its known variables filled in; undefined when its value depends on anything else. */
function fillVariables(word: string, { cwd, pluginRoot }: CommandOrigin): string | undefined {
  const filled = word
    .replaceAll(/\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR\b/g, cwd)
    .replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT\b/g, (variable) => pluginRoot ?? variable);
  return filled === "" || /[$`*?[\]{}~%\0]/.test(filled) ? undefined : filled;
}

function findOnPath(program: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, program))
    .find((file) => isFile(file) && isExecutable(file));
}

function isExecutable(path: string): boolean {
  return succeeds(() => accessSync(path, constants.X_OK));
}

/** Why the first line of a script keeps it from being started. */
function brokenShebang(path: string, isExec: boolean, env: Environment): string | undefined {
  const start = readStart(path);
  if (!start.startsWith("#!")) {
    const isText = /^[\t\n\r\x20-\x7e]+$/.test(start);
    return isExec && isText ? "without #! in its first line only a shell can run it" : undefined;
  }
  const line = start.slice(2).split("\n")[0] ?? "";
  if (line.endsWith("\r")) return "its first line ends with a carriage return, which becomes part of the name";
  const [interpreter = "", ...rest] = line.trim().split(/\s+/);
  if (!isFile(interpreter)) return `its first line names ${interpreter}, which does not exist`;
  const name = rest.find((word) => !word.startsWith("-") && !word.includes("="));
  if (!interpreter.endsWith("/env") || name === undefined || findOnPath(name, env["PATH"]) !== undefined) {
    return undefined;
  }
  return `its first line names "${name}", which is not on PATH`;
}

function readStart(path: string): string {
  const bytes = Buffer.alloc(256);
  return withFileSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), (file) =>
    bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0)),
  );
}

const shellBuiltins: ReadonlySet<string> = new Set(
  `. : [ [[ alias bg bind break builtin case cd continue declare do done echo esac eval exit export false fg fi for
  function getopts hash in jobs kill let local printf pwd read readonly return select set shift shopt source test times
  trap true type typeset ulimit umask unalias unset wait }`.split(/\s+/),
);
