import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { CommandHook } from "../../protocol/index.ts";
import type { Environment } from "../runners/command/command-env.ts";
import { type Finding, finding } from "./finding.ts";
import { argumentWords, shellWords, type Word } from "./words.ts";

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
    return [finding("script-missing", `${path} is ${is === "missing" ? "not there" : "no file"}.`, place.id)];
  }
  if (!isExecutable(path)) {
    return [finding("script-not-executable", `${path} may not be executed; chmod +x makes it so.`, place.id)];
  }
  const broken = brokenShebang(path, exec, place);
  return broken === undefined ? [] : [finding("shebang-broken", `${path} cannot be started: ${broken}.`, place.id)];
}

const interpreters = /^(?:node|nodejs|deno|bun|tsx|ts-node|python\d?(?:\.\d+)?|ruby|perl|php|sh|bash|dash|zsh|ksh)$/;

/** The script that an interpreter is given: its first argument that is no option. */
function scriptFinding([program, ...rest]: readonly Word[], place: ProgramPlace): readonly Finding[] {
  const name =
    filled(program?.text ?? "", place)
      ?.split("/")
      .at(-1) ?? "";
  const script = rest[0];
  if (!interpreters.test(name) || script?.use !== "argument" || script.text.startsWith("-")) return [];
  const path = filled(script.text, place);
  if (path === undefined || !/[./]/.test(path) || kindOf(resolve(place.cwd, path)) !== "missing") return [];
  return [finding("script-missing", `${resolve(place.cwd, path)} is not there; ${name} is to run it.`, place.id)];
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
    // Why it may not be executed makes no difference to what is told.
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
  if (kindOf(interpreter) !== "file") return `its first line names ${interpreter}, which is not there`;
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
