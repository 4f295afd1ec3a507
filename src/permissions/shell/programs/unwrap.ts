import { type ShellWord, staticValue } from "../shell-part.ts";
import { isBuiltin } from "./builtins.ts";
import { optionCommands } from "./commands-in-options.ts";
import { filePrograms } from "./file-programs.ts";
import { unwrapGit } from "./git-commands.ts";
import {
  type Dialect,
  type Inner,
  type InputText,
  knownLines,
  opaque,
  scriptOf,
  withoutText,
  wordOf,
} from "./inner-command.ts";
import { launcherTable } from "./launchers.ts";
import { commandStarts, optionValues, readOptions } from "./program-options.ts";
import { unwrapAwk, unwrapSed } from "./sed-and-awk.ts";
import { unwrapFd, unwrapFind, unwrapScheduler, unwrapSu } from "./unwrap-special.ts";
import { readsOpenFile, shellOptions, shells, type Wrapper, wrappers } from "./wrappers.ts";

/** What a command gets besides its own words: its standard input, if the source contains it, and further words at run time. */
interface Fed {
  readonly stdin?: InputText | undefined;
  readonly openEnded: boolean;
}

/** The `g` before programs of GNU on other systems: `gtimeout`. */
const gnuName = /^g(?=(?:awk|env|find|make|nohup|sed|sort|tar|time|timeout|xargs)$)/;

/** The commands inside a command, by the tables of wrappers and launchers. None for an ordinary program. */
export function unwrap(name: string, args: readonly ShellWord[], { stdin, openEnded }: Fed): readonly Inner[] {
  const script = stdin?.isKnown ? stdin.text : undefined;
  const head = name.replace(gnuName, "");
  if (head === "find") return unwrapFind(args);
  if (head === "fd" || head === "fdfind") return ofEachLine(args, unwrapFd);
  if (head === "eval") return args.length === 0 ? [] : [scriptOf(args, "bash")];
  if (head === "su") return unwrapSu(args);
  if (head === "sed" || head === "ssed") return ofEachLine(args, (line) => unwrapSed(line, script, openEnded));
  if (/awk[-\d.]*$/.test(head)) return ofEachLine(args, (line) => unwrapAwk(line, script, openEnded));
  if (head === "at" || head === "batch" || head === "crontab") return unwrapScheduler(head, args, script);
  const dialect = shells.get(head);
  if (dialect) return unwrapShell(args, dialect, script, openEnded);
  const wrapper = wrappers.get(head);
  if (wrapper) return unwrapProgram(head, args, wrapper, openEnded);
  const inside = unwrapLauncher(head, args, openEnded);
  if (head === "git") return [...inside, ...ofEachLine(args, unwrapGit)];
  const verb = gitPrograms.exec(head)?.[1];
  if (verb) return [{ kind: "command", words: [...["git", verb].map(wordOf), ...args], carried: true }];
  const given = ofEachLine(args, (line) => optionCommands(head, line, stdin?.text));
  return [...inside, ...given, ...(inside.length > 0 ? [] : startedByUnknown(head, args))];
}

/**
 * What a program in no table starts, if it is like others: the words behind `exec`, with or without an operand, or behind `--`. Arguments
 * often follow `--` too, so words that only a wrapper, a shell or a builtin would make a command are left out.
 */
function startedByUnknown(head: string, args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex((word) => /^(exec|--)$/.test(staticValue(word) ?? ""));
  if (at < 0 || filePrograms().has(head) || takesArguments.test(`${head} ${staticValue(args[at])}`)) return [];
  const operands = staticValue(args[at]) === "--" ? 0 : 1;
  const started = unwrapLoose(head, args.slice(at + 1), { operands, operandsMayLack: true, carries: true }, false);
  const isArgument = (name: string) => isBuiltin(name) || (operands === 0 && (wrappers.has(name) || shells.has(name)));
  return started.filter((inner) => inner.kind === "command" && !isArgument(staticValue(inner.words[0]) ?? "set"));
}

/** Programs that print, interpreters, test runners and build tools: what follows `exec` and `--`, or `--` alone, is a name or an argument. */
const takesArguments =
  /^(?:(?:ava|ctest|cypress|deno|echo|elixir|eslint|go|gradle|jest|julia|ls|make|mocha|mvn|node|nox|perl|php|phpunit|playwright|prettier|printf|pytest|python3?|rake|rspec|ruby|ruff|tsx|ts-node|vitest|which|zig) |(?:bazel|bun|cabal|cargo|composer|dart|dotnet|flutter|lerna|mix|ng|npm|nx|pnpm|rails|sbt|stack|swift|task|tox|turbo|yarn) --$)/;

/** Programs of git that are a verb of it: `git-push` is `git push`. */
const gitPrograms =
  /^git-(add|am|apply|archive|bisect|blame|branch|bundle|checkout|checkout-index|cherry-pick|clean|clone|commit|config|daemon|diff|difftool|fetch|filter-branch|for-each-repo|format-patch|gc|grep|http-push|init|instaweb|log|ls-remote|merge|merge-index|mergetool|mv|pull|push|read-tree|rebase|reflog|remote|remote-ext|remote-fd|reset|restore|revert|rm|send-email|send-pack|shell|show|stash|submodule|submodule--helper|svn|switch|tag|update-ref|worktree)$/;

/** What each reading of the arguments does, without duplicates. Variables that the script sets give several readings. */
function ofEachLine(
  args: readonly ShellWord[],
  read: (line: readonly ShellWord[]) => readonly Inner[],
): readonly Inner[] {
  const lines = knownLines(args);
  if (lines === undefined) return [...read(args), opaque("its variables make more words than are examined")];
  const [line = args, ...others] = lines;
  if (others.length === 0) return read(line);
  const found = new Map([line, ...others].flatMap(read).map((inner) => [JSON.stringify(inner), inner]));
  return [...found.values()];
}

const maxStarts = 64;

/** What a program with its verbs starts, as `docker compose run`. Options may come between the verbs. */
function unwrapLauncher(name: string, args: readonly ShellWord[], openEnded: boolean): readonly Inner[] {
  const { launchers, prefixes } = launcherTable();
  const wrapper = launchers.get(name);
  if (wrapper) return unwrapLoose(name, args, wrapper, openEnded);
  const nameAt = (start: number) => `${name} ${staticValue(args[start]) ?? ""}`;
  const isKnown = (start: number) => launchers.has(nameAt(start)) || prefixes.has(nameAt(start));
  const starts = prefixes.has(name) ? commandStarts(args, {}, 0).filter(isKnown) : [];
  if (starts.length > maxStarts) return [opaque(`options of ${name} are not known`)];
  return starts.flatMap((start) => unwrapLauncher(nameAt(start), args.slice(start + 1), openEnded));
}

/** Every command that the line may start. */
function unwrapLoose(name: string, args: readonly ShellWord[], wrapper: Wrapper, openEnded: boolean): readonly Inner[] {
  const { usage = "", scripts = "" } = wrapper;
  const inners = optionValues(args, scripts).map((word) => scriptOf([word], "sh"));
  const starts = commandStarts(args, { ...wrapper, usage: `${usage} ${scripts}` }, wrapper.operands ?? 0);
  if (starts.length > maxStarts) return [opaque(`options of ${name} are not known`)];
  // Behind a known start a mark belongs to the inner command: `npx jest -- x`.
  const line = starts.length === 1 ? args.slice(0, starts[0]) : args;
  const marks = ["--", ...(wrapper.behind ?? [])].map((mark) => line.findIndex((word) => staticValue(word) === mark));
  const lacking = wrapper.operandsMayLack ? commandStarts(args, wrapper, 0) : [];
  for (const begin of new Set([...starts, ...lacking, ...marks.filter((at) => at >= 0).map((at) => at + 1)])) {
    const command = args.slice(begin);
    const { sets, rest } = wrapper.assigns ? cutAssignments(command) : { sets: [], rest: command };
    if (rest[0] === undefined || rest[0].pieces[0].startsWith("-")) continue;
    if (starts.length > 1 && !wrapper.joins && isBuiltin(staticValue(rest[0]) ?? "")) continue;
    const { carries = false, elsewhere = false } = wrapper;
    // The name of a program has no blanks: `pm2 start "npm test"`.
    const isLine = starts.length < 2 && /\S\s/.test(staticValue(rest[0]) ?? "");
    if (isLine || (wrapper.joins && rest.every((word) => staticValue(word) !== undefined))) {
      inners.push(scriptOf(wrapper.joins ? rest : rest.slice(0, 1), "sh", openEnded));
      continue;
    }
    inners.push({ kind: "command", words: rest, sets: carries ? [] : sets, elsewhere, carried: carries });
  }
  if (inners.length > 0) return inners;
  if (openEnded) return [opaque(`what ${name} starts comes from elsewhere`)];
  return wrapper.startsShell ? [opaque(`${name} starts a shell`)] : [];
}

function unwrapProgram(
  head: string,
  args: readonly ShellWord[],
  wrapper: Wrapper,
  openEnded: boolean,
): readonly Inner[] {
  const unknownOption = [opaque(`an option of ${head} is not known`)];
  const read = readOptions(args, wrapper);
  if (read === undefined) return unknownOption;
  const operands = wrapper.operands ?? 0;
  const again = wrapper.optionsAgain ? readOptions(read.rest.slice(operands), wrapper) : undefined;
  if (wrapper.optionsAgain && again === undefined) return unknownOption;
  const options = [...read.options, ...(again?.options ?? [])];
  const odd = options.some(({ name, value }) => value && wrapper.plainValues?.[name]?.test(value.pieces[0]) === false);
  if (odd) return unknownOption;
  if (options.some(({ name }) => name.length === 1 && wrapper.asksOnly?.includes(name))) return [];
  if (read.rest.slice(0, operands).some((word) => word.splits))
    return [opaque(`${head} has an operand that may split`)];
  const behind = again?.rest ?? read.rest.slice(operands);
  const { sets, rest } = wrapper.assigns ? cutAssignments(read.rest) : { sets: [], rest: behind };
  if (head === "flock" && /^(-c|--command)$/.test(staticValue(rest[0]) ?? "")) {
    return [rest[1] ? scriptOf(rest.slice(1, 2), "sh") : opaque("flock -c without a command")];
  }
  if (rest.length === 0 && openEnded) return [opaque(`what ${head} starts comes from elsewhere`)];
  if (rest.length === 0) return wrapper.startsShell ? [opaque(`${head} starts a shell`)] : [];
  const replacing = options.find(({ name }) => wrapper.replaces?.includes(name));
  const replaced = replacing && (replacing.value ? staticValue(replacing.value) : "{}");
  if (replacing && !replaced) return [opaque(`what ${head} replaces is not known`)];
  const words = replaced ? rest.map((word) => withoutText(word, replaced, [])) : rest;
  const joins = wrapper.joins && !options.some(({ name }) => name === wrapper.execOption || name === "--exec");
  if (head === "parallel") {
    const end = rest.findIndex((word) => /^:::/.test(staticValue(word) ?? ""));
    const command = end < 0 ? rest : rest.slice(0, end);
    if (command.length === 0) return [opaque("parallel takes its commands from elsewhere")];
    return [scriptOf(command, "other", true)];
  }
  if (joins) return [scriptOf(words, "sh", openEnded)];
  const fed = wrapper.appends === true;
  return [{ kind: "command", words, openEnded: fed && replaced === undefined, sets, fed }];
}

function unwrapShell(
  args: readonly ShellWord[],
  dialect: Dialect,
  stdin: string | undefined,
  openEnded: boolean,
): readonly Inner[] {
  const read = readOptions(args, shellOptions);
  const plain = read?.options.every(
    ({ name, value }) => name !== "o" || /^(pipefail|errexit|nounset|xtrace)$/.test(staticValue(value) ?? ""),
  );
  if (read === undefined || !plain) return [opaque("an option of the shell is not known")];
  // A dash alone ends the options.
  const dash = staticValue(read.rest[0]) === "-";
  const script = read.rest[dash ? 1 : 0];
  const has = (letter: string) => read.options.some(({ name }) => name === letter);
  if (has("c") && script) return [scriptOf([script], dialect)];
  if (has("c")) return openEnded ? [opaque("the script is not known before it runs")] : [];
  const device = script && readsOpenFile(script);
  if (script !== undefined && device === undefined && !has("s")) return [];
  if (device === "other" || stdin === undefined) return [opaque("the shell runs what it reads")];
  return [{ kind: "script", text: stdin, dialect }];
}

function cutAssignments(words: readonly ShellWord[]): { sets: readonly ShellWord[]; rest: readonly ShellWord[] } {
  const first = words.findIndex((word) => !/^[^=]+=/.test(word.pieces[0]) || word.splits);
  const end = first < 0 ? words.length : first;
  return { sets: words.slice(0, end), rest: words.slice(end) };
}
