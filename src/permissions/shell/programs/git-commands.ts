import { type ShellWord, staticValue } from "../shell-part.ts";
import {
  cutWord,
  isAbbreviation,
  isOption,
  operandStarts,
  optionValues,
  type WantedOptions,
} from "./program-options.ts";

/** The effects of options of git, in addition to those of its verb. */
export interface GitEffects {
  /** Commands that it runs in a shell. */
  readonly runs: readonly ShellWord[];
  readonly writes: readonly ShellWord[];
  readonly reads: readonly ShellWord[];
  /** Why it may run an unknown program. */
  readonly opaque?: string;
}

/** Settings that name no program. */
const plainKey =
  /^(color|column|advice|log|user|author|committer|i18n|status|rerere|gc|pack|index|feature|versionsort|tag|branch|rebase|pull|push|fetch|commit|init\.defaultbranch|merge\.(conflictstyle|ff|log|renames|stat)|diff\.(algorithm|noprefix|mnemonicprefix|renames|renamelimit|context|colormoved|wordregex|submodule|interhunkcontext|statgraphwidth)|core\.(quotepath|abbrev|autocrlf|eol|safecrlf|ignorecase|filemode|longpaths|symlinks|precomposeunicode|whitespace|bare|compression|logallrefupdates|preloadindex|untrackedcache|commentchar)|http\.(postbuffer|sslverify|lowspeedlimit|lowspeedtime|extraheader|version)|protocol\.version|safe\.directory|blame|grep\.(linenumber|patterntype|fullname|column)|format\.(pretty|signoff)|transfer|receive\.deny\w*)(\.|$)/i;

/** Settings whose value is a command line. */
const commandKey =
  /^(core\.(pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..+|diff\.external|diff\..+\.(command|textconv)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver|filter\..+\.(clean|smudge|process)|interactive\.difffilter|gpg(\..+)?\.program|credential(\..+)?\.helper|trailer\..+\.(command|cmd)|browser\..+\.cmd|man\..+\.cmd|uploadpack\.packobjectshook|remote\..+\.(uploadpack|receivepack)|alias\..+|submodule\..+\.update)$/i;

/** Options whose value is a command line, by verb; `*` for every verb. */
const commandOptions: ReadonlyMap<string, WantedOptions> = new Map([
  ["*", longOptions("--upload-pack --receive-pack --exec --extcmd --to-cmd --cc-cmd --header-cmd --sendmail-cmd")],
  ["rebase", { short: "x" }],
  ["clone", { short: "u" }],
  ["difftool", { short: "x" }],
  [
    "filter-branch",
    longOptions(
      "--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --setup",
    ),
  ],
]);

function longOptions(names: string): WantedOptions {
  return { long: names.split(" ") };
}

const printsDiffs = new Set(["log", "show", "diff", "whatchanged", "format-patch", "archive"]);

export function gitEffects(args: readonly ShellWord[]): GitEffects {
  const { configured, verb, rest, opaque } = readLine(args);
  const cloned = verb === "clone" ? optionValues(rest, { short: "c", long: ["--config"] }) : [];
  const settings = [...configured, ...cloned].map(settingOf);
  if (verb === "config" && rest.length > 1) settings.push(...written(rest));
  const why = opaque ?? settings.find((setting) => setting.why !== undefined)?.why ?? opaqueOption(verb, rest);
  return {
    runs: [...settings.flatMap(({ run }) => (run ? [run] : [])), ...commandsOf(verb, rest)],
    writes: outputs(verb, rest),
    reads: comparedFiles(verb, rest),
    ...(why === undefined ? {} : { opaque: why }),
  };
}

/** Files that git compares outside of a repository: with `--no-index`, or if one of two names may be outside. */
function comparedFiles(verb: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  const operands = rest.filter((word) => !isOption(word));
  if (rest.some((word) => staticValue(word) === "--no-index")) return operands;
  const outside = operands.some((word) => word.tilde !== undefined || /^(\/|\.\.(\/|$))/.test(word.pieces[0]));
  return verb === "diff" && operands.length === 2 && outside ? operands : [];
}

interface GitLine {
  readonly configured: readonly ShellWord[];
  readonly verb: string;
  readonly rest: readonly ShellWord[];
  /** The index of the verb. */
  readonly at: number;
  /** The values of `-C`; each is relative to the one before. */
  readonly folders: readonly string[];
  readonly opaque?: string;
}

/** Reads the options before the verb. `-c` has a setting; `-C` and some others have a value. */
export function readLine(args: readonly ShellWord[]): GitLine {
  const configured: ShellWord[] = [];
  const folders: string[] = [];
  let opaque: string | undefined;
  let index = 0;
  for (; index < args.length; index++) {
    const word = args[index];
    const text = (word && staticValue(word)) ?? word?.pieces[0] ?? "";
    if (text === "-c") {
      index += 1;
      const setting = args[index];
      if (setting) configured.push(setting);
    } else if (/^(-C|--git-dir|--work-tree|--namespace|--super-prefix|--attr-source)$/.test(text)) {
      index += 1;
      const folder = args[index];
      if (text === "-C" && folder) folders.push(staticValue(folder) ?? "");
    } else if (text.startsWith("--exec-path=") || text.startsWith("--config-env"))
      opaque = `git ${text} can name programs to run`;
    else if (!text.startsWith("-")) break;
  }
  const verb = args[index];
  const line = { configured, verb: (verb && staticValue(verb)) ?? "", rest: args.slice(index + 1), at: index, folders };
  return opaque === undefined ? line : { ...line, opaque };
}

/** The words of a git line without the options before its verb, as rules on the verb are written. Undefined without such options. */
export function withoutGlobalOptions([name, ...args]: readonly ShellWord[]): ShellWord[] | undefined {
  const { at } = readLine(args);
  return name === undefined || at === 0 || at >= args.length ? undefined : [name, ...args.slice(at)];
}

interface Setting {
  readonly run?: ShellWord;
  readonly why?: string;
}

/** What a setting such as `core.pager=less` runs, or why that is unknown. */
function settingOf(word: ShellWord): Setting {
  const [first] = word.pieces;
  const equals = first.indexOf("=");
  const key = equals < 0 ? first : first.slice(0, equals);
  if (equals < 0 && word.pieces.length === 1)
    return commandKey.test(key) || plainKey.test(key) ? {} : { why: `git -c ${key} can name programs to run` };
  return readSetting(key, cutWord(word, equals + 1));
}

function readSetting(key: string, value: ShellWord): Setting {
  if (plainKey.test(key)) return {};
  const text = staticValue(value);
  const why = `git -c ${key} can name programs to run`;
  if (!commandKey.test(key)) return { why };
  if (text === undefined) return { run: value };
  if (/^(true|false|)$/.test(text)) return {};
  // In an alias or an update only the text after `!` is for a shell; other values are for git itself.
  if (/^(alias|submodule)\./i.test(key)) return text.startsWith("!") ? { run: cutWord(value, 1) } : { why };
  if (/^credential/i.test(key) && !/^[!/]/.test(text)) return {};
  return { run: text.startsWith("!") ? cutWord(value, 1) : value };
}

/** The command that `git config core.pager less` stores. Other settings run nothing. */
function written(rest: readonly ShellWord[]): Setting[] {
  const operands = rest.filter(
    (word) => !/^-/.test(word.pieces[0]) && !/^(set|get|unset|add)$/.test(staticValue(word) ?? ""),
  );
  const [name, value] = operands;
  const key = (name && staticValue(name)) ?? "";
  if (value === undefined || !commandKey.test(key)) return [];
  const { run } = readSetting(key, value);
  return run ? [{ run }] : [];
}

function commandsOf(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  const named = ["*", verb].flatMap((key) => {
    const wanted = commandOptions.get(key);
    return wanted ? optionValues(rest, wanted) : [];
  });
  const pager = rest.flatMap((word) => {
    const lead = verb === "grep" ? /^(?:-O|--open-files-in-pager=)(?=.)/.exec(word.pieces[0])?.[0] : undefined;
    return lead === undefined ? [] : [cutWord(word, lead.length)];
  });
  return [...named.filter((word) => staticValue(word) !== ""), ...pager, ...eachSubmodule(verb, rest)];
}

function eachSubmodule(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  if (verb !== "submodule") return [];
  const at = rest.findIndex((word) => staticValue(word) === "foreach");
  const words = at < 0 ? [] : rest.slice(at + 1);
  const [start] = operandStarts(words, { flags: "q", long: ["--recursive", "--quiet"] }) ?? [];
  const [first, ...more] = start === undefined ? [] : words.slice(start);
  if (first === undefined) return [];
  const pieces: [string, ...string[]] = [...first.pieces];
  for (const { pieces: added } of more) {
    pieces[pieces.length - 1] += ` ${added[0]}`;
    pieces.push(...added.slice(1));
  }
  return [{ ...first, pieces }];
}

/** The files of `--output=f`, and of `-o f` for verbs where `-o` means the same. */
function outputs(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  const named = rest.flatMap((word, index) => {
    const [first] = word.pieces;
    const equals = first.indexOf("=");
    const name = equals < 0 ? first : first.slice(0, equals);
    // `--ou$x=…`: the unknown part may be the rest of the name.
    if (equals < 0 && word.pieces.length > 1) return isAbbreviation(first, "--output") ? [word] : [];
    const isOutput = name.startsWith("--") && (name === "--output-directory" || isAbbreviation(name, "--output"));
    if (!isOutput) return [];
    const next = rest[index + 1];
    return equals >= 0 ? [cutWord(word, equals + 1)] : next ? [next] : [];
  });
  const bundle = verb === "bundle" && rest[0] && staticValue(rest[0]) === "create" ? rest.slice(1, 2) : [];
  return [...named, ...bundle, ...configFiles(verb, rest), ...(printsDiffs.has(verb) ? behindLetter(rest) : [])];
}

/** The file that `git config -f file name value` changes. With a name alone it is only read. */
function configFiles(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  if (verb !== "config") return [];
  const files = optionValues(rest, { short: "f", long: ["--file"] });
  const others = rest.filter((word) => !word.pieces[0].startsWith("-") && !files.includes(word));
  const changes = /^--(add|unset|unset-all|replace-all|rename-section|remove-section|edit)$|^-[a-z]*e$/;
  return others.length > 1 || rest.some((word) => changes.test(word.pieces[0])) ? files : [];
}

function behindLetter(rest: readonly ShellWord[]): ShellWord[] {
  return rest.flatMap((word, index) => {
    const next = rest[index + 1];
    if (!word.pieces[0].startsWith("-o")) return [];
    return staticValue(word) === "-o" ? (next ? [next] : []) : [cutWord(word, 2)];
  });
}

function opaqueOption(verb: string, rest: readonly ShellWord[]): string | undefined {
  const found = rest.find((word) => isAbbreviation(word.pieces[0], "--ext-diff"));
  if (found) return `git ${verb} --ext-diff runs what the configuration names`;
  const transport = rest.find((word) => word.pieces[0].startsWith("ext::"));
  return transport && "an ext:: address names a program to run";
}
