// Denies the usual commands that destroy: trees deleted, disks wiped, what git holds thrown away. What cannot be read is asked about.
// app.include(blockDestructive({ also: ["terraform destroy"] }));
import { existsSync, realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { ShellPart } from "hookline/permissions";
import { ask, type Blueprint, blueprint, deny } from "hookline/sdk";

export interface BlockDestructiveOptions {
  /** A program and what must all be among its words; `-f` is found in `-xf`, `--force` in `--forc`, `.` in `*`, `of=/dev/` by its front. */
  readonly also?: readonly string[];
}

const usual = "rm -r|-R|--recursive,find -delete,rimraf,rmtree,rmsync,shred,mkfs,wipefs,blkdiscard,dd of=/dev/";
const work = "git clean -f|--force,git checkout .|-f|--force,git restore .,git stash drop|clear,git reset --hard";
const refs = "git switch -f|--force|--discard-changes,git branch -D|-f|--force,git rm -f|--force .,git update-ref -d";
const sent = "git push -f|--force|+|:|-d|--delete|--mirror|--prune,git send-pack -f|--force|+|:|--mirror";
const hidden = /^(?:export )?GIT_(?:CONFIG|DIR|COMMON_DIR|EXEC_PATH|\w+=.*\brm\b)/;
const disk = /^\/dev\/(?!null|zero|u?random|full|std|tty|pts|fd|shm)/;
const startsNothing = /^(?:echo|printf|git|gh|grep|rg|man|which|type|ls|cat|head|df|lsblk|stat)$/;

export function blockDestructive({ also = [], ...others }: BlockDestructiveOptions = {}): Blueprint {
  const part = blueprint("block-destructive", { ...others, also: [also].flat() }, { also: "string[]" });
  const rules = Array.from([usual, work, refs, sent, ...[also].flat()].join().split(","), (rule) => rule.split(" "));
  return part.preTool("Bash", { name: "block-destructive", recheck: true, onFailure: "block" }, async (call, ctx) => {
    const { analyseShell } = await import("hookline/permissions");
    const { parts, complete } = analyseShell(call.input.command, { cwd: ctx.cwd, home: ctx.env["HOME"] ?? "/" });
    const found = parts.map((one) => look(one, rules, one.places.folders[0] ?? ctx.cwd));
    if (found.includes("destroys")) return deny("This command destroys data that cannot be recovered.");
    return complete && !found.includes("unknown") ? undefined : ask("Its effect cannot be determined in advance.");
  });
}

function look(part: ShellPart, rules: readonly string[][], cwd: string) {
  if (part.kind === "write") return disk.test(resolve(cwd, part.target.pieces.join("?"))) ? "destroys" : "fine";
  if (part.kind !== "command") return part.kind === "state" && hidden.test(part.text) ? "unknown" : "fine";
  const [program, ...given] = part.words.map(({ pieces }) => (pieces.length === 1 ? pieces[0] : undefined));
  if (program === undefined || (part.places.unknown && /^[^/]+\//.test(program))) return "unknown";
  const real = existsSync(resolve(cwd, program)) ? realpathSync(resolve(cwd, program)) : program;
  const [name = "", other] = [program, real].map((path) => basename(path).toLowerCase().split(".")[0]);
  const lacks = ([, ...wanted]: readonly string[], known: readonly (string | undefined)[]) =>
    wanted.filter((word) => !word.split("|").some((one) => known.some((text) => fits(text ?? "", one))));
  const missing = rules.filter(([rule]) => rule === name || rule === other).map((rule) => lacks(rule, given));
  if (missing.some((wanted) => wanted.length === 0)) return "destroys";
  // An unknown word may be the value of an option; it is the subcommand only in the subcommand's position.
  const doubt = given.includes(undefined) && missing.some(([word]) => !given[0] || !/^\w[\w-]*$/.test(word ?? ""));
  // Programs may start what they are given, or run it as code: `npx rimraf`, `perl -e 'system("rm -rf x")'`.
  const inner = startsNothing.test(name) ? [] : given.flatMap((word) => word?.split(/[^\w=+:./-]+/) ?? []);
  const at = (rule: string | undefined) => inner.findIndex((word) => word.toLowerCase().split(/[/.]/).at(-1) === rule);
  const starts = rules.some((rule) => at(rule[0]) >= 0 && lacks(rule, inner.slice(at(rule[0]))).length === 0);
  const hides = /^(?:cp|mv|ln|install)$/.test(name) && rules.some(([rule]) => at(rule) >= 0);
  const wipes = inner.some((word) => disk.test(resolve(cwd, word.replace(/^\w+=/, ""))));
  return part.opaque !== undefined || doubt || starts || hides || wipes ? "unknown" : "fine";
}

function fits(given: string, word: string): boolean {
  if (word.startsWith("--")) return given.length > 2 && word.startsWith(given);
  if (/^-.$/.test(word)) return /^-[^-]/.test(given) && given.includes(word.charAt(1));
  if (word === ".") return /^(?::|[.*?/]+$)/.test(given);
  return /[/+:]$/.test(word) ? given.startsWith(word) : given.replace(/\/$/, "") === word;
}
