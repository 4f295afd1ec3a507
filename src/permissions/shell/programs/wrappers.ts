import { posix } from "node:path";
import { type ShellWord, staticValue } from "../shell-part.ts";
import type { OptionGrammar } from "./program-options.ts";

/** A program whose operands are another command. */
export interface Wrapper extends OptionGrammar {
  /** Operands before the inner command: a duration, a host, a folder. */
  readonly operands?: number;
  /** `NAME=value` words before the inner command set its environment. */
  readonly assigns?: boolean;
  /** Letters of options with which nothing is started. */
  readonly asksOnly?: string;
  /** The option with which the rest of the line is a command and not text for a shell. */
  readonly execOption?: string;
  /** The rest of the line is joined by blanks and run by a shell. */
  readonly joins?: boolean;
  /** More words are added at run time. */
  readonly appends?: boolean;
  /** An option that names a text to be replaced in the inner words. */
  readonly replaces?: readonly string[];
  /** Without an inner command it starts a shell. */
  readonly startsShell?: boolean;
  /** A rule that allows it also covers its inner command, to which only deny and ask rules apply. */
  readonly carries?: boolean;
  /** The inner command runs with other files. */
  readonly elsewhere?: boolean;
  /** Options whose value is a script, as a usage line. */
  readonly scripts?: string;
  /** Words after which the inner command begins, at any position. */
  readonly behind?: readonly string[];
  /** The operands before the inner command may be absent. */
  readonly operandsMayLack?: boolean;
  /** Harmless values of options. Any other value may name a program. */
  readonly plainValues?: Readonly<Record<string, RegExp>>;
  /** Options may follow the operands again. */
  readonly optionsAgain?: boolean;
}

/** Settings of ssh that name no program. */
const plainSshSetting =
  /^(StrictHostKeyChecking|Connect(Timeout|ionAttempts)|BatchMode|(Global|User)KnownHostsFile|LogLevel|ServerAlive(Interval|CountMax)|IdentitiesOnly|IdentityFile|Port|User|HostName|HostKeyAlias|\w+Authentication|PreferredAuthentications|Control(Master|Path|Persist)|ForwardAgent|AddressFamily|Compression|RequestTTY|TCPKeepAlive|ExitOnForwardFailure|UpdateHostKeys|AddKeysToAgent|CheckHostIP|NumberOfPasswordPrompts)[ =]/i;

/** Wrappers whose options are all known. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<Wrapper>({
    command: { usage: "-pvV", asksOnly: "vV" },
    builtin: {},
    exec: { usage: "-cl -a=" },
    env: { usage: "-i0v -u= --ignore-environment --null --unset=", also: /^-$/, assigns: true },
    sudo: { usage: "-ABEHKNPSbknlvV -CgpTu= --user= --group=", asksOnly: "lvVK", assigns: true },
    doas: { usage: "-nL -u=", asksOnly: "L" },
    nice: { usage: "-n= --adjustment=", also: /^-[-+]?\d+$/ },
    ionice: { usage: "-t -cn= --ignore --class= --classdata=" },
    nohup: {},
    timeout: {
      usage: "-fpv -ks= --foreground --preserve-status --verbose --kill-after= --signal=",
      operands: 1,
    },
    time: { usage: "-pvq --portability --verbose --quiet" },
    stdbuf: { usage: "-ioe= --input= --output= --error=" },
    setsid: { usage: "-cfw --ctty --fork --wait" },
    flock: {
      usage:
        "-sexunoF -wE= --shared --exclusive --nonblock --nb --unlock --close --no-fork --verbose --timeout= " +
        "--wait= --conflict-exit-code=",
      operands: 1,
    },
    watch: {
      usage:
        "-bcegptwxC -nq= -d[=] --beep --color --differences[=] --errexit --chgexit --no-title --precise --exec --interval=",
      joins: true,
      execOption: "x",
    },
    chroot: { usage: "--skip-chdir --userspec= --groups=", operands: 1, startsShell: true },
    xargs: {
      usage:
        "-0rtpxo -adEILnPs= --null --no-run-if-empty --verbose --interactive --exit --open-tty --arg-file= " +
        "--delimiter= --max-args= --max-procs= --max-chars= --replace[=] --max-lines[=] --eof[=]",
      appends: true,
      replaces: ["I", "--replace"],
    },
    parallel: { usage: "-k0X -jnNI= --keep-order --jobs=", joins: true, appends: true, startsShell: true },
    busybox: {},
    toybox: {},
    ssh: {
      usage: "-46AaCfgKkNnqTtvXxYy -bcDeIiJLlmopRWw=",
      plainValues: { o: plainSshSetting },
      asksOnly: "V",
      operands: 1,
      optionsAgain: true,
      joins: true,
      startsShell: true,
    },
  }),
);

/** Shells that run the value of `-c`, with their dialect. The analysis holds for `bash` and `sh`. */
export const shells: ReadonlyMap<string, "bash" | "sh" | "other"> = new Map([
  ["bash", "bash"],
  ["sh", "sh"],
  ["dash", "sh"],
  ["ash", "sh"],
  ["rbash", "bash"],
  ...(["zsh", "ksh", "mksh", "oksh", "yash", "fish", "csh", "tcsh"] as const).map((name) => [name, "other"] as const),
] as const);

/** Not `-a` and `-k`, which export what a script sets; not `-i` and `-O`, which change how it is read; not `--rcfile`. */
export const shellOptions: OptionGrammar = {
  usage: "-cefhlmnpstuvxBCE -o= --norc --noprofile --posix --login --restricted --verbose --noediting",
  plus: true,
};

/**
 * Whether the path of a script is, or may be, an open file: standard input or another one. After `cd /dev` it is also `stdin` and `fd/0`.
 * The path of a device has no extension.
 */
export function readsOpenFile(word: ShellWord): "stdin" | "other" | undefined {
  const name = staticValue(word);
  if (name === undefined) return /\.\w+$/.test(word.pieces.at(-1) ?? "") ? undefined : "other";
  const path = posix.normalize(name);
  if (/^(?:(?:.*\/)?dev\/)?stdin$|(?:^|\/)fd\/0$|^0$/.test(path)) return "stdin";
  return /(?:^|\/)fd\/\d+$|^\d+$/.test(path) ? "other" : undefined;
}
