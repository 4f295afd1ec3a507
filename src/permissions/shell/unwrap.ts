import { type Dialect, emptyWord, type Inner, scriptOf, withoutText } from "./inner.ts";
import { launchers } from "./launchers.ts";
import { optionCommands } from "./option-commands.ts";
import { optionValues } from "./option-values.ts";
import { operandStarts, readOptions } from "./options.ts";
import { type ShellWord, staticValue } from "./part.ts";
import { unwrapAt, unwrapCrontab, unwrapFind, unwrapGit, unwrapSed, unwrapSu } from "./unwrap-own.ts";
import { shellOptions, shells, type Wrapper, wrappers } from "./wrappers.ts";

/** The commands inside a command, by the table of wrappers; none for an ordinary program. */
export function unwrap(head: string, args: readonly ShellWord[], stdin?: string): readonly Inner[] {
  if (head === "find") return unwrapFind(args);
  if (head === "eval") return args.length === 0 ? [] : [scriptOf(args, "bash", false)];
  if (head === "su") return unwrapSu(args);
  if (head === "sed") return unwrapSed(args);
  if (head === "at" || head === "batch") return unwrapAt(args, stdin);
  if (head === "crontab") return unwrapCrontab(args, stdin);
  const dialect = shells.get(head);
  if (dialect) return unwrapShell(args, dialect, stdin);
  const wrapper = wrappers.get(head);
  if (wrapper) return unwrapProgram(head, args, wrapper);
  const launched = launcherOf(head, args);
  const inside = launched ? unwrapLoose(launched.name, launched.args, launched.wrapper) : [];
  if (head === "git") return [...inside, ...unwrapGit(args)];
  if (launched) return inside;
  return optionCommands(head, args).map((word) => scriptOf([word], "sh", false));
}

function launcherOf(
  head: string,
  args: readonly ShellWord[],
): { name: string; wrapper: Wrapper; args: readonly ShellWord[] } | undefined {
  const own = launchers.get(head);
  if (own) return { name: head, wrapper: own, args };
  if (!launcherHeads.has(head)) return undefined;
  for (const start of operandStarts(args, {}) ?? []) {
    const verbs = args.slice(start, start + 2).map((word) => staticValue(word) ?? "");
    for (const count of [2, 1]) {
      const name = [head, ...verbs.slice(0, count)].join(" ");
      const wrapper = launchers.get(name);
      if (wrapper) return { name, wrapper, args: args.slice(start + count) };
    }
  }
  return undefined;
}

const launcherHeads = new Set([...launchers.keys()].flatMap((name) => name.split(" ").slice(0, 1)));

/** Every command the line may start, as an option that is not known may or may not take the next word. */
function unwrapLoose(name: string, args: readonly ShellWord[], wrapper: Wrapper): readonly Inner[] {
  const short = (wrapper.scripts ?? []).filter((option) => option.length === 1).join("");
  const long = (wrapper.scripts ?? []).filter((option) => option.length > 1);
  const inners = optionValues(args, { short, long }).map((word) => scriptOf([word], "sh", false));
  const starts = operandStarts(args, {
    ...wrapper,
    valued: (wrapper.valued ?? "") + short,
    longValued: [...(wrapper.longValued ?? []), ...long],
  });
  if (starts === undefined) return [{ kind: "opaque", why: `options of ${name} are not known` }];
  const dashes = args.findIndex((word) => staticValue(word) === "--");
  const begins = starts.map((start) => start + (wrapper.operands ?? 0));
  for (const begin of new Set(dashes < 0 ? begins : [...begins, dashes + 1])) {
    const command = args.slice(begin);
    const { sets, rest } = wrapper.assigns ? cutAssignments(command) : { sets: [], rest: command };
    if (rest[0] === undefined || rest[0].pieces[0].startsWith("-")) continue;
    const { carries = false, elsewhere = false } = wrapper;
    inners.push({
      kind: "command",
      words: rest,
      openEnded: false,
      sets: carries ? [] : sets,
      elsewhere,
      carried: carries,
    });
  }
  return inners.length === 0 && wrapper.startsShell ? [{ kind: "opaque", why: `${name} starts a shell` }] : inners;
}

function unwrapProgram(head: string, args: readonly ShellWord[], wrapper: Wrapper): readonly Inner[] {
  const read = readOptions(args, wrapper);
  if (read === undefined) return [{ kind: "opaque", why: `an option of ${head} is not known` }];
  const { options } = read;
  if (options.some(({ name }) => name.length === 1 && wrapper.asksOnly?.includes(name))) return [];
  const operands = wrapper.operands ?? 0;
  if (read.rest.slice(0, operands).some((word) => word.splits)) {
    return [{ kind: "opaque", why: `${head} has an operand that may split` }];
  }
  const { sets, rest } = wrapper.assigns ? cutAssignments(read.rest) : { sets: [], rest: read.rest.slice(operands) };
  if (head === "flock" && /^(-c|--command)$/.test(staticValue(rest[0] ?? emptyWord) ?? "")) {
    return [rest[1] ? scriptOf(rest.slice(1, 2), "sh", false) : { kind: "opaque", why: "flock -c without a command" }];
  }
  if (rest.length === 0) return wrapper.startsShell ? [{ kind: "opaque", why: `${head} starts a shell` }] : [];
  const replaced = options.find(({ name }) => wrapper.replaces?.includes(name))?.value;
  if (replaced && !staticValue(replaced)) return [{ kind: "opaque", why: `what ${head} replaces is not known` }];
  const words = replaced ? rest.map((word) => withoutText(word, staticValue(replaced) ?? "", [])) : rest;
  const joins = wrapper.joins && !options.some(({ name }) => name === wrapper.execOption || name === "--exec");
  if (head === "parallel") {
    const end = rest.findIndex((word) => /^:::/.test(staticValue(word) ?? ""));
    const command = end < 0 ? rest : rest.slice(0, end);
    if (command.length === 0) return [{ kind: "opaque", why: "parallel takes its commands from elsewhere" }];
    return [scriptOf(command, "other", true)];
  }
  if (joins) return [scriptOf(words, "sh", false)];
  return [
    {
      kind: "command",
      words,
      openEnded: wrapper.appends === true && replaced === undefined,
      sets,
      fed: wrapper.appends === true,
    },
  ];
}

function unwrapShell(args: readonly ShellWord[], dialect: Dialect, stdin: string | undefined): readonly Inner[] {
  const read = readOptions(args, shellOptions);
  const plain = read?.options.every(
    ({ name, value }) =>
      name !== "o" || /^(pipefail|errexit|nounset|xtrace)$/.test((value && staticValue(value)) ?? ""),
  );
  if (read === undefined || !plain) return [{ kind: "opaque", why: "an option of the shell is not known" }];
  const script = read.rest[0];
  const has = (letter: string) => read.options.some(({ name }) => name === letter);
  if (has("c")) return script ? [scriptOf([script], dialect, false)] : [];
  if (script !== undefined && !has("s")) return [];
  if (stdin === undefined) return [{ kind: "opaque", why: "the shell runs what it reads" }];
  return [{ kind: "script", text: stdin, dialect, openEnded: false }];
}

function cutAssignments(words: readonly ShellWord[]): { sets: readonly ShellWord[]; rest: readonly ShellWord[] } {
  const first = words.findIndex((word) => !/^[^=]+=/.test(word.pieces[0]) || word.splits);
  const end = first < 0 ? words.length : first;
  return { sets: words.slice(0, end), rest: words.slice(end) };
}
