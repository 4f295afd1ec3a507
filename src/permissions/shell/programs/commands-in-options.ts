import { type ShellWord, staticValue } from "../shell-part.ts";
import { optionValues, type WantedOptions } from "./option-values.ts";

/** Options of a program whose value is a command that it runs. */
interface CommandOption extends WantedOptions {
  /** What the value begins with when it is a command; what follows is the command. */
  readonly lead?: RegExp;
  /** Any word that begins so, whatever stands before it. */
  readonly operand?: boolean;
  /** Values of this form run nothing of interest. */
  readonly plain?: RegExp;
}

const sshOptions: CommandOption = { short: "o", lead: /^(?:Proxy|Local|KnownHosts)Command[ =]/i };
const editor: CommandOption = { short: "c", long: ["--cmd"], lead: /^:?!/ };
const editorPlus: CommandOption = { operand: true, lead: /^\+:?!/ };
/** What rsync is usually given: ssh with a port, a key or a user. */
const plainSsh = /^ssh(?:\s+-(?:[46AaCqTvx]+|[pil]\s*[\w./~@-]+))*\s*$/;

const programs: ReadonlyMap<string, readonly CommandOption[]> = new Map<string, readonly CommandOption[]>([
  ["rg", [{ long: ["--pre", "--hostname-bin"] }]],
  [
    "tar",
    [
      { long: ["--checkpoint-action"], lead: /^exec=/ },
      {
        short: "IF",
        long: [
          "--to-command",
          "--use-compress-program",
          "--rsh-command",
          "--rmt-command",
          "--info-script",
          "--new-volume-script",
        ],
      },
    ],
  ],
  [
    "rsync",
    [
      { short: "e", long: ["--rsh"], plain: plainSsh },
      { long: ["--rsync-path"], plain: /^[\w./-]*rsync$/ },
    ],
  ],
  ["ssh", [sshOptions]],
  ["scp", [sshOptions, { short: "S" }]],
  ["sftp", [sshOptions, { short: "S" }]],
  ["man", [{ short: "PH", long: ["--pager", "--html"] }]],
  ["sort", [{ long: ["--compress-program"] }]],
  ["split", [{ long: ["--filter"] }]],
  ["zip", [{ long: ["--unzip-command"] }]],
  ["fzf", [{ long: ["--preview"] }]],
  ["nc", [{ short: "ce" }]],
  ["ncat", [{ short: "ce", long: ["--exec", "--sh-exec"] }]],
  ["socat", [{ operand: true, lead: /^(?:exec|system|shell):/i }]],
  ["nodemon", [{ short: "x", long: ["--exec"] }]],
  ...["vi", "vim", "nvim", "view", "ex"].map((name) => [name, [editor, editorPlus]] as const),
  ["less", [editorPlus]],
  [
    "gdb",
    [
      { long: ["--eval-command", "--ex"], lead: /^(?:shell |!)/ },
      { operand: true, lead: /^(?:shell |!)/ },
    ],
  ],
]);

/** Programs every operand of which is a command line. */
const runsOperands = new Set(["concurrently", "hyperfine"]);

/** The commands that options of a program give it to run. */
export function optionCommands(head: string, args: readonly ShellWord[]): ShellWord[] {
  if (runsOperands.has(head))
    return args.filter((word) => !/^-/.test(word.pieces[0]) && /\s/.test(word.pieces.join(" ")));
  return (programs.get(head) ?? []).flatMap(({ lead, plain, operand, ...wanted }) =>
    (operand ? args : optionValues(args, wanted)).flatMap((word) => {
      const [first, ...rest] = word.pieces;
      const length = lead?.exec(first)?.[0].length ?? 0;
      if ((lead !== undefined && length === 0) || plain?.test(staticValue(word) ?? "")) return [];
      return [{ ...word, pieces: [first.slice(length), ...rest] as const }];
    }),
  );
}
