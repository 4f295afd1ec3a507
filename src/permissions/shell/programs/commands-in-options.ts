import { type ShellWord, staticValue } from "../shell-part.ts";
import { optionValues } from "./program-options.ts";

/** Where a program is given a command that it runs. */
interface CommandOption {
  /** The options whose value is a command, as a usage line. Without them any word may be one. */
  readonly usage?: string;
  /** The beginning of a value that is a command; the command follows it. */
  readonly lead?: RegExp;
  /** Values of this form are harmless. */
  readonly plain?: RegExp;
}

const sshOptions: CommandOption = { usage: "-o=", lead: /^(?:Proxy|Local|KnownHosts)Command[ =]/i };
const editor: CommandOption = { usage: "-c= --cmd=", lead: /^:?!/ };
const editorPlus: CommandOption = { lead: /^\+:?!/ };
/** ssh with a port, a key or a user, as usual for rsync. */
const plainSsh = /^ssh(?:\s+-(?:[46AaCqTvx]+|[pil]\s*[\w./~@-]+))*\s*$/;

const tarPrograms =
  "-IF= --to-command= --use-compress-program= --rsh-command= --rmt-command= --info-script= --new-volume-script=";

const programs: ReadonlyMap<string, readonly CommandOption[]> = new Map<string, readonly CommandOption[]>([
  ["rg", [{ usage: "--pre= --hostname-bin=" }]],
  ["tar", [{ usage: "--checkpoint-action=", lead: /^exec=/ }, { usage: tarPrograms }]],
  [
    "rsync",
    [
      { usage: "-e= --rsh=", plain: plainSsh },
      { usage: "--rsync-path=", plain: /^[\w./-]*rsync$/ },
    ],
  ],
  ["ssh", [sshOptions]],
  ["scp", [sshOptions, { usage: "-S=" }]],
  ["sftp", [sshOptions, { usage: "-S=" }]],
  ["man", [{ usage: "-PH= --pager= --html=" }]],
  ["sort", [{ usage: "--compress-program=" }]],
  ["split", [{ usage: "--filter=" }]],
  ["zip", [{ usage: "--unzip-command=" }]],
  ["fzf", [{ usage: "--preview=" }]],
  [
    "hg",
    [
      {
        usage: "--config=",
        lead: /^(?:alias|hooks|extensions|pager|extdiff|merge-tools|ui\.(?:editor|ssh|merge))[^=]*=!?/,
      },
    ],
  ],
  ["svn", [{ usage: "--diff-cmd= --diff3-cmd= --editor-cmd=" }]],
  ["tcpdump", [{ usage: "-z=" }]],
  ["wget", [{ usage: "--use-askpass=" }]],
  ...["npm", "pnpm"].map((name) => [name, [{ usage: "--script-shell=" }]] as const),
  ["nc", [{ usage: "-ce=" }]],
  ["ncat", [{ usage: "-ce= --exec= --sh-exec=" }]],
  ["socat", [{ lead: /^(?:exec|system|shell):/i }]],
  ["nodemon", [{ usage: "-x= --exec=" }]],
  ...["vi", "vim", "nvim", "view", "ex"].map((name) => [name, [editor, editorPlus]] as const),
  ["less", [editorPlus]],
  ["gdb", [{ usage: "--eval-command= --ex=", lead: /^(?:shell |!)/ }, { lead: /^(?:shell |!)/ }]],
]);

/** Programs whose operands are command lines. */
const runsOperands = new Set(["concurrently", "hyperfine"]);

/** The commands in the options of a program. */
export function optionCommands(head: string, args: readonly ShellWord[]): ShellWord[] {
  if (runsOperands.has(head))
    return args.filter((word) => !/^-/.test(word.pieces[0]) && /\s/.test(word.pieces.join(" ")));
  return (programs.get(head) ?? []).flatMap(({ lead, plain, usage }) =>
    (usage === undefined ? args : optionValues(args, usage)).flatMap((word) => {
      const [first, ...rest] = word.pieces;
      const length = lead?.exec(first)?.[0].length ?? 0;
      if ((lead !== undefined && length === 0) || plain?.test(staticValue(word) ?? "")) return [];
      return [{ ...word, pieces: [first.slice(length), ...rest] as const }];
    }),
  );
}

const address = /(?:\d+(?:~\d+)?|\$|[+~]\d+|\/(?:\\.|\[[^\]]*\]|[^/\\[])*\/[IM]*|\\(.)(?:(?!\1)[\s\S])*\1[IM]*)/y;

/**
 * The effects of a script for GNU sed, besides editing its stream: the commands that `e` runs in a shell, and files. `opaque`: it runs text
 * from its input, or it could not be parsed.
 */
export function readSedScript(script: string) {
  const [runs, reads, writes]: [string[], string[], string[]] = [[], [], []];
  let [at, opaque] = [0, false];
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0] ?? "";
    at += found.length;
    return found;
  };
  // Blanks before a name are skipped; those after it are part of it.
  const restOfLine = (): string => {
    skip(/[ \t]*/y);
    return skip(/[^\n]*/y);
  };
  while (at < script.length && !opaque) {
    skip(/[\s;{}]*/y);
    if (at >= script.length) break;
    if (skip(address) !== "") {
      skip(/\s*,\s*/y);
      skip(address);
      skip(/[\s!]*/y);
      continue;
    }
    const command = script[at] ?? "";
    at += 1;
    if ("=dDgGhHnNpPxFzlqQL".includes(command)) skip(/\s*\d*/y);
    else if (command === "#" || command === ":" || "btTv".includes(command))
      skip(command === "#" ? /[^\n]*/y : /[^\n;}]*/y);
    else if ("aic".includes(command)) skip(/(?:\\[\s\S]|[^\n\\])*/y);
    else if (command === "r" || command === "R") reads.push(restOfLine());
    else if (command === "w" || command === "W") writes.push(restOfLine());
    else if (command === "e") {
      const text = restOfLine();
      if (text.trim() === "") opaque = true;
      else runs.push(text);
    } else if (command === "s" || command === "y") {
      const delimiter = script[at] ?? "";
      at += 1;
      if (delimiter === "" || delimiter === "\n" || delimiter === "\\" || !skipTwo(delimiter)) opaque = true;
      else if (command === "s") {
        const flags = skip(/[gpiImM\d]*/y);
        if (script[at] === "w") {
          at += 1;
          writes.push(restOfLine());
        } else if (script[at] === "e") opaque = true;
        if (flags.length > 20) opaque = true;
      }
    } else if (command !== "!") opaque = true;
  }
  return { runs, reads, writes, opaque };

  /** Skips `pattern/replacement/`. In a set of characters the delimiter is literal. */
  function skipTwo(delimiter: string): boolean {
    for (let left = 2; left > 0; left--) {
      while (at < script.length && script[at] !== delimiter) {
        const set = left === 2 && script[at] === "[" ? /\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]\n])*\]/y : undefined;
        if (set === undefined || skip(set) === "") at += script[at] === "\\" ? 2 : 1;
      }
      if (script[at] !== delimiter) return false;
      at += 1;
    }
    return true;
  }
}
