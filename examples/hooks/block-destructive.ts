// Denies commands that destroy: trees deleted, disks wiped, what git holds thrown away. What cannot be read is asked about.
// app.include(blockDestructive({ also: ["terraform destroy"] }));
import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { CommandPart } from "hookline/permissions";
import { ask, type Blueprint, blueprint, deny } from "hookline/sdk";

export interface BlockDestructiveOptions {
  /** A program and what must all be among its words; `-f` is found in `-xf`, `--force` in `--forc`, `of=/dev/` by its front. */
  readonly also?: readonly string[];
}

const usual = "rm -r,rm -R,rm --recursive,find -delete,dd of=/dev/,mkfs,shred,wipefs,git reset --hard,git clean -f";
const more = "git clean --force,git push -f,git push --force,git push +,git branch -D,git stash clear,git restore .";

export function blockDestructive({ also = [] }: BlockDestructiveOptions = {}): Blueprint {
  const rules = [...usual.split(","), ...more.split(","), ...also].map((rule) => rule.split(" "));
  const part = blueprint("block-destructive");
  part.preTool("Bash", { name: "block-destructive", recheck: true, onFailure: "block" }, async ({ input }, ctx) => {
    const { analyseShell } = await import("hookline/permissions");
    const { parts, complete } = analyseShell(input.command, { cwd: ctx.cwd, home: ctx.env["HOME"] ?? "/" });
    const found = parts.map((one) => {
      if (one.kind === "command") return look(one, rules, one.places.folders[0] ?? ctx.cwd);
      return one.kind === "write" && /^\/dev\/(?!null|std|tty|fd)/.test(one.target.raw) ? "destroys" : "fine";
    });
    if (found.includes("destroys")) return deny("It destroys what cannot be brought back.");
    return complete && !found.includes("unknown")
      ? undefined
      : ask("It cannot be told beforehand what this command does.");
  });
  return part;
}

function look({ words, opaque, places }: CommandPart, rules: readonly string[][], cwd: string) {
  const [program, ...given] = words.map(({ pieces }) => (pieces.length === 1 ? pieces[0] : undefined));
  if (program === undefined || opaque !== undefined || (places.unknown && /^[^/]+\//.test(program))) return "unknown";
  const names = [basename(program).toLowerCase(), basename(realName(program, cwd))].map((name) => name.split(".")[0]);
  const missing = rules
    .filter(([name]) => names.includes(name))
    .map(([, ...wanted]) => wanted.filter((word) => !given.some((known) => known !== undefined && fits(known, word))));
  if (missing.some((wanted) => wanted.length === 0)) return "destroys";
  // A word nobody knows may be the option; it is the subcommand only where that stands.
  const doubt = given.includes(undefined) && missing.some(([first]) => !given[0] || first?.startsWith("-"));
  return doubt || given.some((word) => word?.startsWith("alias.")) ? "unknown" : "fine";
}

/** What a program really is behind a link; its own name where nothing can be followed. */
function realName(program: string, cwd: string): string {
  try {
    return program.includes("/") ? realpathSync(resolve(cwd, program)) : program;
  } catch {
    return program;
  }
}

function fits(given: string, word: string): boolean {
  if (word.startsWith("--")) return given.length > 3 && word.startsWith(given);
  if (/^-.$/.test(word)) return /^-[^-]/.test(given) && given.includes(word.charAt(1));
  return /[/+]$/.test(word) ? given.startsWith(word) : given === word;
}
