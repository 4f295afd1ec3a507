import { lazy } from "../../../protocol/internal.ts";
import { type ShellWord, staticValue } from "../shell-part.ts";
import { isBuiltin } from "./builtins.ts";
import { type Inner, opaque, scriptOf, wordOf } from "./inner-command.ts";
import { cutWord, isOption, optionValues } from "./program-options.ts";
import { withDashes } from "./special-operands.ts";
import { readsOpenFile } from "./wrappers.ts";

/**
 * Where programs are given a command that they run: in the values of options, given as a usage line, or else in any word. With `lead`
 * only behind this beginning, in the same word or in the next. `plain` values are harmless. With the usage `text`, `lead` is what runs a
 * command in the language of the program, in any of its words or in the text that it reads. With the usage `line`, commands
 * follow `lead` in the line of this text and all words, in which quotes surround what has blanks; a rule on the program allows them.
 */
type CommandOption = readonly [programs: string, usage: string, lead?: RegExp | undefined, plain?: RegExp];

const usages =
  "rg --pre= --hostname-bin=; man -PH= --pager= --html=; sort --compress-program=; split --filter=; zip --unzip-command=; " +
  "tar -IF= --to-command= --use-compress-program= --rsh-command= --rmt-command= --info-script= --new-volume-script=; " +
  "scp,sftp -SD=; svn --diff-cmd= --diff3-cmd= --editor-cmd=; tcpdump -z=; wget --use-askpass=; npm,pnpm --script-shell=; " +
  "nc,netcat -ce=; ncat -ce= --exec= --sh-exec=; nodemon -x= --exec=; bazel --run_under=; ansible -a= --args=; " +
  "fzf --preview=; just -c= --command=; watchman-make --run=";

/** ssh with a port, a key or a user, as usual for rsync. */
const plainSsh = /^ssh(?:\s+-(?:[46AaCqTvx]+|[pil]\s*[\w./~@-]+))*\s*$/;
const vi = "vi,vim,nvim,view,ex,ed,gvim";
/** What may precede `te` in a command of vi. */
const viModifier = String.raw`\d{0,9}(?:abo|bel|bo|bro|conf|hid|hor|kee|lefta|leg|loc|noa|nos|rightb|san|sil|tab|to|uns|ver|vim9|arg|buf|win|[cl]f?do)[a-z]{0,9}[!\s]{1,9}`;
const hgSetting = /^(?:alias|hooks|extensions|pager|extdiff|merge-tools|ui\.(?:editor|ssh|merge))[^=]*=!?/;

const rows: readonly CommandOption[] = [
  ...usages.split("; ").map((row) => [row.split(" ", 1).join(), row.slice(row.indexOf(" "))] as const),
  ["tar", "--checkpoint-action=", /^exec=/],
  ["rsync", "-e= --rsh=", undefined, plainSsh],
  ["rsync", "--rsync-path=", undefined, /^[\w./-]*rsync$/],
  ["scp,sftp", "-o=", /^(?:Proxy|Local|KnownHosts)Command[ =]/i],
  ["hg", "--config=", hgSetting],
  ["strace", "-o= --output=", /^[|!]/],
  [vi, "-c= --cmd=", /^:?!/],
  [`${vi},less,more`, "", /^\+:?!/],
  ["gdb", "", /^(?:--?[a-z-]+=)?(?:shell |!)/],
  // Not a picture in Markdown.
  ["gh,glab", "", /^!(?!\[)/],
  ["make,npm,pnpm,yarn", "", /^(?:SHELL\s*[:?+]*=\s*|script-shell(?:=|$))/, /^(?:\/bin\/)?(?:ba|z)?sh$/],
  ["make", "", /^[^=]*!=/],
  ["zip", "", /^-\w*TT=?/],
  ["gcc,g++,cc,c++", "", /^-wrapper$/],
  ["go", "", /^--?(?:(?:tool)?exec|vettool)(?:=|$)/],
  ["socat", "", /^(?:exec|system|shell):/i],
  [vi, "text", /\bsystem\w*\s*\(/],
  // A filter or a command, behind modifiers, a range or the pattern of `g`. Not `w!` and `e!`, and not in `s/!/x/`.
  [vi, "text", /!(?<=(?:^\+?|[\s:%|'"\d$.,;*&+!-]|['`][\w<>[\]]|(?:^|[\W\d])r(?:ead?)?\s*)!)\s*[\w./]/m],
  [
    vi,
    "text",
    /!(?<=(?:^[+:\s]{0,9}|[|:,;'"]|\b(?:g|v|global|vglobal)!?\s?)\1(?:(?!\1)[^\n]){0,99}([^\w\s])!)\s*[\w./]/m,
  ],
  [
    vi,
    "text",
    new RegExp(String.raw`(?:^\+?|[|:"'!])[\s\d%$.,]{0,9}(?:${viModifier}){0,9}\d{0,9}te(?:r\w*)?!?\s`, "m"),
  ],
  ["gdb,lldb", "text", /^(?:make|pipe|py|pi|python|script|\|)\s|\bshell\s/],
  // A pipe or a backtick in the line of a meta-command (`\t` may be a tab of printf), or at the start of a value; a text that is made later.
  [
    "psql",
    "text",
    /\\!(?!=)|\\(?!t(?!iming)\w)[^\n\\]*(?:`|(?<!\|)\|(?!\|))|^[-\w]*=?\s*\|\s*\S|\\(?:setenv|gexec)\b|\bcopy\b(?:(?!\bcopy\b)[\s\S])*?\bprogram\s*(?:\/\*|--|['"$%]|:(?!:)|e'|u&)/i,
  ],
  ["mysql,mariadb", "text", /\\!(?!=)|(?:^(?:--\w+=|-\w*?e)?|;)[ \t]*(?:system|pager)\s|^--pag(?:er?)?(?:=|$)/im],
  ["mysql,mariadb", "text", /\\P/],
  ["sqlite,duckdb", "text", /^[ \t]*\.(?:sh(?!ow)|sy|(?:import|o|read)\S*\s.*\|)|\bedit\s*\(/im],
  ["make", "text", /^--ev|^\.SHELLFLAGS|^-\w*E|^(?:-\w*f|--\w+=)?(?:-|.*\bfd\/\d+|(?:.*\/)?stdin)$|\$[({]shell\s/],
  // A rule in the text that it reads.
  ["make", "text", /^[^\s=:]+\s*::?(?![=:/])/m],
  ["dc,ftp,sftp,gnuplot,m4", "text", /(?:^|[\s;])!\s*[\w./]|\b(?:system|e?syscmd)\b/m],
  ["cargo", "text", /(?:runner|wrapper|linker|rustc|rustdoc)\s*=/],
  ["tmux,fzf,emacs,emacsclient,rpm,lftp,autossh,pdsh", "line", /["(!]|\b(?:run|if|popup|shell)(?:-shell)?\s/],
  ["pwsh,powershell,cmd,nu,xonsh,elvish,asciinema,fly,flyctl", "line", /(?:^|[\s"])(?:--?|\/+)c(?:o\w*)?[\s=]/i],
  ["apt,apt-get,sshfs,rsync,gh,glab", "line", /(?:Invoke|Bin|ssh_command|M\W*rsh)[\w:]{0,60}=|\balias set [^"\n]*"/i],
  ["make", "line", /\b(?:(?:HOST)?(?:CC|CXX|CPP|LD|AR|AS|RM|CP|MV|INSTALL)|MAKE|\w*(?:CMD|COMMAND))\s*[:?+]*=/],
];

const optionTable = lazy(() => {
  const table = new Map<string, CommandOption[]>();
  for (const row of rows) for (const name of row[0].split(",")) table.set(name, [...(table.get(name) ?? []), row]);
  return table;
});

/** Programs whose operands are command lines. */
const runsOperands = new Set(["concurrently", "hyperfine"]);

/** The commands in the options of a program. `stdin` is the text that it reads, as far as that is known. */
export function optionCommands(head: string, args: readonly ShellWord[], stdin = ""): readonly Inner[] {
  const isLine = (word: ShellWord) => !isOption(word) && /\s/.test(word.pieces.join(" "));
  if (runsOperands.has(head)) return args.filter(isLine).map((word) => scriptOf([word], "sh"));
  // `gcc-13` is gcc, `cmd.exe` is cmd.
  const options = optionTable().get(head) ?? optionTable().get(head.replace(/(?<=[a-z+])(?:-?[\d.]+|\.exe)$/i, ""));
  if (options === undefined) return commandsByName(args);
  const texts = [readsCommands(head, args) ? stdin : "", ...args.map(({ pieces }) => pieces.join("$"))];
  const line = texts.map((text) => (/\s/.test(text) ? `"${text}"` : text)).join(" ");
  return options.flatMap(([, usage, lead, plain]): readonly Inner[] => {
    if (usage === "text") return texts.some((text) => lead?.test(text)) ? [opaque("its text runs a command")] : [];
    if (usage === "line") return looseCommands(line.split(lead ?? "").slice(1));
    const words = head === "tar" ? withDashes(args) : args;
    return (usage === "" ? args : optionValues(words, usage)).flatMap((word, index) => {
      const { length } = lead?.exec(word.pieces[0])?.[0] ?? "";
      const cut = cutWord(word, length);
      const value = usage === "" && staticValue(cut) === "" ? args[index + 1] : cut;
      if ((lead && length === 0) || value === undefined || plain?.test(staticValue(value) ?? "")) return [];
      // Commas separate the words of `gcc -wrapper`.
      return scriptOf([lead?.test("-wrapper") ? wordOf(value.pieces.join("$").replaceAll(",", " ")) : value], "sh");
    });
  });
}

/** Whether a program may take commands from its standard input. make only reads rules with `-f -`, vim takes text for its buffer with `-`. */
function readsCommands(head: string, args: readonly ShellWord[]): boolean {
  if (head === "make") {
    const files = optionValues(args, "-f= --file= --makefile=");
    const isUnknown = args.some(({ pieces }) => /^-{0,2}$/.test(pieces[0]) && pieces.length > 1);
    return isUnknown || files.some((file) => staticValue(file) === "-" || readsOpenFile(file) !== undefined);
  }
  if (!/^(?:g?vim?|nvim|view)$/.test(head)) return true;
  const words = args.map((word) => staticValue(word) ?? "-e");
  const isBuffer = words.some(
    (word, index) => word === "-" && !/^-\w*[cdiopqrstuwPSTUVW]$|^--/.test(words[index - 1] ?? ""),
  );
  return !isBuffer || words.some((word) => /^-\w*[esES]|^--$/.test(word));
}

const commandName =
  /^--(?!no-)(?:[a-z\d-]+-)?(?:exec|command|cmd|pager|editor|rsh|ssh|wrapper|invoke|program|renderer|interpreter|on-?success|run(?==))(?:=|$)/i;

/**
 * What the options of a program in no table run, to judge by their names: `--exec`, `--post-command`. Such names also have other meanings:
 * a shell alone is often a setting, and `--run` and `--dry-run` without a value are switches.
 */
function commandsByName(args: readonly ShellWord[]): readonly Inner[] {
  const texts = args.map((word, index) => {
    const { length } = commandName.exec(word.pieces[0])?.[0] ?? "";
    const value = cutWord(word, length);
    return length === 0 ? "" : (staticValue(staticValue(value) === "" ? args[index + 1] : value) ?? "");
  });
  return looseCommands(texts.filter((text) => !/^(?:\/\S*\/)?(?:ba|da|fi|z)?sh$/.test(text)));
}

/** The commands that may be in texts of an unknown language. A rule on the program allows them. */
function looseCommands(texts: readonly string[]): readonly Inner[] {
  const lines = texts
    .flatMap((text) => text.replaceAll("\\\n", "").split(/[;&|(){}`$"'\n]+/))
    .map((line) => line.trim().split(/\s+/));
  const commands = lines.filter(([first = ""]) => /^[^-]/.test(first) && !isBuiltin(first));
  return commands.map((words) => ({ kind: "command", words: words.map(wordOf), carried: true }));
}
