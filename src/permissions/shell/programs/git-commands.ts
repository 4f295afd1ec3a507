import { type ShellWord, staticValue } from "../shell-part.ts";
import { type Inner, opaque, scriptOf } from "./inner-command.ts";
import { commandStarts, cutWord, isAbbreviation, isOption, optionValues } from "./program-options.ts";

/** Settings that cannot make git run a program or change a later git command. All others are treated as if they could. */
const plainKey = new RegExp(
  `^(${[
    "(color|column|advice|log|user|author|committer|i18n|status|rerere|pack|index|feature|versionsort|tag|push|fetch|commit|commitgraph)\\..+",
    "(transfer|blame|stash|checkout|clean|apply|am|notes|pretty|mailmap|repack|worktree|maintenance|showbranch)\\..+",
    "branch\\.(.+\\.)?(remote|pushremote|merge|rebase|description|sort|autosetup\\w+)",
    "rebase\\.(abbreviatecommands|autosquash|autostash|backend|forkpoint|missingcommitscheck|stat|update-?refs)",
    "gc\\.(aggressive\\w+|auto\\w*|cruftpacks|logexpiry|packrefs|rerere\\w+|(.+\\.)?(prune|worktreeprune|reflog)expire\\w*)",
    "(pull\\.(rebase|ff)|init\\.defaultbranch|help\\.(autocorrect|format)|interactive\\.singlekey|add\\.ignoreerrors)",
    "merge\\.(conflictstyle|ff|log|renames|renamelimit|directoryrenames|renormalize|stat|autostash|verbosity)",
    "diff\\.(algorithm|noprefix|mnemonicprefix|renames|renamelimit|context|colormoved\\w*|wordregex|submodule|interhunkcontext)",
    "diff\\.(statgraphwidth|relative|ignoresubmodules|indentheuristic|.+\\.(binary|xfuncname|wordregex|cachetextconv))",
    "core\\.(quotepath|abbrev|autocrlf|eol|safecrlf|ignorecase|filemode|longpaths|symlinks|precomposeunicode|whitespace|bare)",
    "core\\.(compression|logallrefupdates|preloadindex|untrackedcache|comment(char|string)|excludesfile|attributesfile)",
    "core\\.(sparsecheckout(cone)?|bigfilethreshold|sharedrepository|protect(hfs|ntfs)|trustctime|checkstat|commitgraph)",
    "http\\.(.+\\.)?(postbuffer|sslverify|sslcainfo|lowspeed(limit|time)|extraheader|version|proxy|followredirects)",
    "(difftool\\.prompt|mergetool\\.(prompt|keepbackup)|gpg\\.(format|mintrustlevel|ssh\\.allowedsignersfile))",
    "(protocol\\.version|safe\\.directory|grep\\.\\w+|format\\.(pretty|signoff|subjectprefix|to|cc|from)|receive\\.deny\\w*)",
    "(remote\\.pushdefault|remote\\..+\\.(url|pushurl|fetch|prune(tags)?|tagopt|promisor|partialclonefilter))",
    "(url\\..+\\.(push)?insteadof|credential\\.(.+\\.)?(username|usehttppath))",
    "submodule\\.(recurse|fetchjobs|active|.+\\.(url|branch|active|ignore))",
  ].join("|")})$`,
  "is",
);

/** Settings whose value is a command line. */
const commandKey =
  /^(core\.(pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..+|diff\.external|diff\..+\.(command|textconv)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver|filter\..+\.(clean|smudge|process)|interactive\.difffilter|gpg(\..+)?\.program|credential(\..+)?\.helper|trailer\..+\.(command|cmd)|browser\..+\.cmd|man\..+\.cmd|uploadpack\.packobjectshook|remote\..+\.(uploadpack|receivepack)|alias\..+|submodule\..+\.update)$/i;

/** Verbs that run what other repositories, a stream or their own options name. */
const opaqueVerbs = /^(for-each-repo|remote-ext|remote-fd|shell|instaweb)$/;

/** Options whose value is a command line, by verb; `*` for every verb. */
const commandOptions: ReadonlyMap<string, string> = new Map([
  ["*", "--upload-pack= --receive-pack= --exec="],
  ["rebase", "-x="],
  ["clone", "-u="],
  ["difftool", "-x= --extcmd="],
  ["send-email", "--to --cc --to-cmd= --cc-cmd= --header-cmd= --sendmail-cmd= --smtp-server="],
  ["daemon", "--access-hook="],
  ["svn", "--authors-prog="],
  ["grep", "-O= --open-files-in-pager="],
  [
    "filter-branch",
    "--env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter= --tag-name-filter= --setup=",
  ],
]);

/** What the options of git run, write and read, in addition to what its verb does. */
export function unwrapGit(args: readonly ShellWord[]): readonly Inner[] {
  const line = readGlobalOptions(args);
  const { verb, rest } = line;
  const cloned = verb === "clone" ? optionValues(rest, "-c= --config=") : [];
  const settings = [...line.configured, ...cloned].map(settingOf);
  if (verb === "config" && rest.length > 1) settings.push(...settingsStored(rest));
  const runs = [...settings.flatMap(({ run }) => (run ? [run] : [])), ...commandsOf(verb, rest)];
  const why = line.opaque ?? settings.find((setting) => setting.why !== undefined)?.why ?? opaqueOption(verb, rest);
  return [
    ...runs.map((word) => scriptOf([word], "sh")),
    ...outputs(verb, rest).map((word): Inner => ({ kind: "file", access: "write", option: "--output", word })),
    ...comparedFiles(verb, rest).map((word): Inner => ({ kind: "file", access: "read", option: "--no-index", word })),
    ...(why === undefined ? [] : [opaque(why)]),
  ];
}

/** Files that git compares outside of a repository: with `--no-index`, or if one of two names may be outside. */
function comparedFiles(verb: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  const operands = rest.filter((word) => !isOption(word));
  if (rest.some((word) => isAbbreviation(word.pieces[0], "--no-index"))) return operands;
  const outside = operands.some((word) => word.tilde !== undefined || /^(\/|\.\.(\/|$))/.test(word.pieces[0]));
  return verb === "diff" && operands.length === 2 && outside ? operands : [];
}

/** Reads the options before the verb. `-c` has a setting; `-C` and some others have a value. */
export function readGlobalOptions(args: readonly ShellWord[]) {
  const configured: ShellWord[] = [];
  /** The values of `-C`; each is relative to the one before. */
  const folders: string[] = [];
  let opaque: string | undefined;
  /** The index of the verb, in the end. */
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    const text = word?.pieces[0] ?? "";
    if (/^--(git-dir|work-tree|exec-path=|config-env)/.test(text)) opaque = `git ${text} can change what git runs`;
    if (text === "-c") {
      at += 1;
      const setting = args[at];
      if (setting) configured.push(setting);
    } else if (/^(-C|--git-dir|--work-tree|--namespace|--super-prefix|--attr-source)$/.test(text)) {
      at += 1;
      const folder = args[at];
      if (text === "-C" && folder) folders.push(staticValue(folder) ?? "");
    } else if (!text.startsWith("-")) break;
  }
  return { configured, verb: staticValue(args[at]) ?? "", rest: args.slice(at + 1), at, folders, opaque };
}

/** The words of a git line without the options before its verb, as rules on the verb are written. Undefined without such options. */
export function withoutGlobalOptions([name, ...args]: readonly ShellWord[]): ShellWord[] | undefined {
  const { at } = readGlobalOptions(args);
  return name === undefined || at === 0 || at >= args.length ? undefined : [name, ...args.slice(at)];
}

interface Setting {
  readonly run?: ShellWord;
  readonly why?: string;
}

/** What a setting such as `core.pager=less` runs, or why that is unknown. A key alone means true. */
function settingOf(word: ShellWord): Setting {
  const [key = ""] = textOf(word).split("=");
  return readSetting(key, word.pieces[0].startsWith(key) ? cutWord(word, key.length + 1) : word);
}

/** The text with a `$` for each unknown part. */
function textOf({ pieces }: ShellWord): string {
  return pieces.join("$");
}

function readSetting(key: string, value: ShellWord): Setting {
  const text = staticValue(value);
  const why = `the setting ${key} can change what git runs`;
  // An address such as `ext::x` names a program.
  if (plainKey.test(key)) return /^\w+::/.test(value.pieces[0]) || key.includes("::") ? { why } : {};
  if (!commandKey.test(key)) return { why };
  if (text === undefined) return { run: value };
  if (/^(true|false|)$/.test(text)) return {};
  // In an alias only the text after `!` is for a shell; other text is a command of git.
  if (/^alias\./i.test(key) && !text.startsWith("!")) return { why };
  // A name of a helper becomes `git credential-name`, for a shell.
  if (/^(credential|submodule)/i.test(key) && /^[\w-][\w\s=.,:~/-]*$/.test(text)) return {};
  return { run: text.startsWith("!") ? cutWord(value, 1) : value };
}

/** What `git config core.pager less` stores: each word with a dot may be a key, with its value in the next word. */
function settingsStored(rest: readonly ShellWord[]): Setting[] {
  const renames = (word: ShellWord) =>
    isAbbreviation(word.pieces[0], "--rename-section") || staticValue(word) === "rename-section";
  if (rest.some(renames)) return [{ why: "a renamed section of git's settings can name programs to run" }];
  const [first, ...others] = configOperands(rest);
  const operands = first && !/^(set|get|unset)$/.test(staticValue(first) ?? "") ? [first, ...others] : others;
  const keys = operands.map(textOf);
  return operands
    .slice(1)
    .flatMap((value, at) => (/[.$]/.test(keys[at] ?? "") ? [readSetting(keys[at] ?? "", value)] : []));
}

function configOperands(rest: readonly ShellWord[]): ShellWord[] {
  const files = optionValues(rest, "-f= --file=");
  return rest.filter((word) => !isOption(word) && !files.includes(word));
}

/** What may precede `-O` in the same word of `git grep`: no letter of an option that takes a value. */
const grepFlags = /^[^efABCm]*$/;

function commandsOf(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  const flags = verb === "grep" ? grepFlags : undefined;
  const named = ["*", verb].flatMap((key) => optionValues(rest, commandOptions.get(key) ?? "", flags));
  return [...named.filter((word) => staticValue(word) !== ""), ...eachSubmodule(verb, rest)];
}

function eachSubmodule(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  if (!/^submodule(--helper)?$/.test(verb)) return [];
  const at = rest.findIndex((word) => staticValue(word) === "foreach");
  const words = at < 0 ? [] : rest.slice(at + 1);
  const [start] = commandStarts(words, { usage: "-q --recursive --quiet" }, 0);
  const [first, ...more] = start === undefined ? [] : words.slice(start);
  if (first === undefined) return [];
  const pieces: [string, ...string[]] = [...first.pieces];
  for (const { pieces: added } of more) {
    pieces[pieces.length - 1] += ` ${added[0]}`;
    pieces.push(...added.slice(1));
  }
  return [{ ...first, pieces }];
}

/** The files of `--output=f`, and of options of single verbs that mean the same. */
function outputs(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  const own = /^(format-patch|archive)$/.test(verb) ? "-o=" : verb === "checkout-index" ? "--prefix=" : "";
  return [
    ...optionValues(rest, `--output= --output-directory= --export-marks= ${own}`),
    ...bundleFiles(verb, rest),
    ...configFiles(verb, rest),
  ];
}

/** The file that `git bundle create` writes. */
function bundleFiles(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  if (verb !== "bundle" || staticValue(rest[0]) !== "create") return [];
  const words = rest.slice(1);
  const usage = "-q --quiet --progress --all-progress --all-progress-implied --version=";
  return commandStarts(words, { usage }, 0).flatMap((at) => words[at] ?? []);
}

const configChanges = "--add --unset --unset-all --replace-all --rename-section --remove-section --edit".split(" ");

/** The file that `git config -f file name value` changes. With a name alone it is only read. */
function configFiles(verb: string, rest: readonly ShellWord[]): ShellWord[] {
  if (verb !== "config") return [];
  const changes = ({ pieces: [text] }: ShellWord) =>
    /^(edit$|-[a-z]*e)/.test(text) || configChanges.some((option) => isAbbreviation(text, option));
  return configOperands(rest).length > 1 || rest.some(changes) ? optionValues(rest, "-f= --file=") : [];
}

function opaqueOption(verb: string, rest: readonly ShellWord[]): string | undefined {
  const texts = rest.map((word) => word.pieces[0]);
  if (opaqueVerbs.test(verb)) return `git ${verb} runs what it is given`;
  if (/^(clone|init)$/.test(verb) && optionValues(rest, "--template=").length > 0)
    return "a template can contain hooks";
  if (/^(diff|merge)tool$/.test(verb) && optionValues(rest, "-t= --tool=").some((word) => textOf(word).includes("/")))
    return "the path of a tool names a script to run";
  if (texts.some((text) => isAbbreviation(text, "--ext-diff")))
    return `git ${verb} --ext-diff runs what the configuration names`;
  // Without a value it is a mirror for pushes too.
  if (verb === "remote" && texts.some((text) => isAbbreviation(text.replace(/=(?!fetch$).*/s, ""), "--mirror")))
    return "every push to a mirror overwrites and deletes its branches";
  return texts.some((text) => /(^|=)ext::/.test(text)) ? "an ext:: address names a program to run" : undefined;
}
