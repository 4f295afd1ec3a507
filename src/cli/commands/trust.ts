import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { reviewTrust, type TrustEntry, type TrustReview } from "../../engine/internal.ts";
import { Problem, type ProblemCode } from "../../protocol/internal.ts";
import { appInputs } from "../../sdk/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { jsonText, styleFor } from "../print/terminal.ts";
import { entryLine, entryLines, reviewJson, reviewText } from "../print/trust-review.ts";

export const command: Command = {
  usage: "[DIR] [--show] [--yes] [--pin HOOK=sha256:…]… [--workspace] [--revoke] [--json]",
  about: `Shows what the settings of a directory would run, and approves it by content.

Hooks run with all your permissions. An approval covers exactly what is shown: the definition and the files in the directory that it
names. It no longer applies when a byte of them changes, and applies again when the byte is restored. Approvals are stored outside the
directory, under its real path.

On a terminal you are asked about each entry that is not approved. Without one, --yes approves everything that is shown, and --pin approves
one entry if its digest matches (both as printed by --show). --workspace accepts the whole directory, for agents that trust directories.
Exit status: 0, or 1 when something needs approval and nothing could be approved, or when settings cannot be read.`,
  mostArguments: 1,
  options: {
    show: { excludes: ["workspace", "revoke", "pin"], about: "show without approving" },
    yes: { short: "y", about: "show and approve everything without asking" },
    pin: { value: "HOOK=sha256:…", multiple: true, about: "approve this entry if its digest matches; can be repeated" },
    workspace: { excludes: ["revoke", "pin"], about: "accept the whole directory" },
    revoke: { excludes: ["pin"], about: "revoke every approval of the directory" },
    json: { about: "print one JSON object" },
  },
  examples: [
    "hookline trust",
    "hookline trust --show --json",
    "hookline trust . --pin project:PreToolUse:0.0:3f2a9c1e=sha256:9f86d0…",
  ],
  async run(call, io) {
    const [folder = "."] = call.operands;
    const cwd = resolve(io.cwd, folder);
    if (!existsSync(cwd)) throw new Problem("cli/bad-input", `The directory ${cwd} does not exist.`);
    const review = await reviewTrust({ cwd, home: io.home, env: io.env }, { inputsOf: appInputs });
    if (call.flag("revoke")) return revoke(review, call, io);
    if (call.texts("pin").length > 0) return pinExactly(review, call, io);
    if (!call.flag("json")) await io.out(reviewText(review, asks(call, io) ? [] : review.entries, styleFor(io)));
    if (call.flag("show")) return (await printResult(review, [], call, io)) || Number(review.warnings.length > 0);
    return call.flag("workspace") ? accept(review, call, io) : decide(review, call, io);
  },
};

/** Whether the user is asked about each entry, which is shown then and not before. */
function asks(call: ParsedCall, io: Io): boolean {
  return isInteractive(io) && !["show", "yes", "workspace"].some((name) => call.flag(name));
}

async function revoke(review: TrustReview, call: ParsedCall, io: Io): Promise<number> {
  const revoked = await review.revoke();
  const { project } = review;
  const text = `${revoked ? "All approvals were revoked" : "Nothing was approved"} in ${project}.\n`;
  await io.out(call.flag("json") ? jsonText({ project, revoked }) : text);
  return 0;
}

async function pinExactly(review: TrustReview, call: ParsedCall, io: Io): Promise<number> {
  const entries = call.texts("pin").map((text) => matchingEntry(text, review));
  await review.pin(entries);
  return printResult(review, entries, call, io);
}

function matchingEntry(text: string, { entries, project }: TrustReview): TrustEntry {
  const [, id, digest] = /^(.+)=(sha256:[0-9a-f]{64})$/is.exec(text) ?? [];
  if (id === undefined || digest === undefined) {
    throw new Problem("cli/usage", `--pin must be HOOK=sha256:…, as printed by hookline trust --show, not "${text}".`);
  }
  const entry = entries.find((one) => one.id === id);
  if (entry === undefined)
    throw refused("trust/unknown-hook", `No hook "${id}" in ${project}. Run hookline trust --show to list them.`);
  if (entry.digest === undefined)
    throw refused("trust/not-approvable", `"${id}" cannot be approved: ${entry.unusable ?? ""}.`);
  if (entry.digest !== digest.toLowerCase())
    throw refused("trust/digest-mismatch", `The digest of "${id}" does not match; it is now ${entry.digest}.`);
  return entry;
}

function refused(code: ProblemCode, why: string): Problem {
  return new Problem(code, `${why} Nothing was approved.`);
}

async function accept(review: TrustReview, call: ParsedCall, io: Io): Promise<number> {
  const { project } = review;
  if (!call.flag("yes")) {
    if (!isInteractive(io)) throw needsTerminal();
    const question = `Allow every hook in ${project} and its subdirectories to run? [y/N] `;
    if (!/^y(es)?$/i.test(await promptLine(question, io))) return 1;
  }
  await review.accept();
  await io.out(call.flag("json") ? jsonText({ project, accepted: true }) : `Accepted ${project}.\n`);
  return 0;
}

async function decide(review: TrustReview, call: ParsedCall, io: Io): Promise<number> {
  const notApproved = review.entries.filter(({ state }) => state !== "trusted");
  const open = notApproved.filter(({ digest }) => digest !== undefined);
  if (open.length === 0) {
    await printResult(review, [], call, io);
    return notApproved.length === 0 && review.warnings.length === 0 ? 0 : 1;
  }
  if (call.flag("yes")) {
    await review.pin(open);
    return printResult(review, open, call, io);
  }
  if (!isInteractive(io)) throw needsTerminal();
  const chosen = await choose(open, io);
  if (chosen.length > 0) await review.pin(chosen);
  return printResult(review, chosen, call, io);
}

function needsTerminal(): Problem {
  const advice = "Review with --show, then approve with --yes or --pin.";
  return refused("trust/needs-terminal", `Approving requires a terminal. ${advice}`);
}

/** Asks about each entry. "all" approves the rest, "quit" skips it. */
async function choose(open: readonly TrustEntry[], io: Io): Promise<readonly TrustEntry[]> {
  const chosen: TrustEntry[] = [];
  const shown = new Set<string>();
  await io.err("Hooks run with all your permissions.\n");
  for (const [index, entry] of open.entries()) {
    await io.err(`\n${entryLines(entry, styleFor(io), shown).join("\n")}\n`);
    const answer = await promptLine(`Approve this (${index + 1} of ${open.length})? [y]es [N]o [a]ll [q]uit `, io);
    if (/^a(ll)?$/i.test(answer)) return [...chosen, ...open.slice(index)];
    if (/^q(uit)?$/i.test(answer)) break;
    if (/^y(es)?$/i.test(answer)) chosen.push(entry);
  }
  return chosen;
}

async function printResult(
  review: TrustReview,
  pinned: readonly TrustEntry[],
  call: ParsedCall,
  io: Io,
): Promise<number> {
  if (call.flag("json")) {
    const pins = pinned.map(({ id, digest }) => ({ id, digest }));
    await io.out(jsonText({ ...reviewJson(review), pinned: pins }));
    return 0;
  }
  if (call.flag("show")) return 0;
  const lines = pinned.map((entry) => `approved  ${entryLine(entry)}`);
  const isDone = review.entries.length > 0 && review.entries.every(({ state }) => state === "trusted");
  const nothing = isDone ? "Everything is already approved." : "Nothing was approved.";
  await io.out(`${lines.length > 0 ? lines.join("\n") : nothing}\n`);
  return 0;
}

/** Whether a user can be asked. */
function isInteractive({ stdin, terminal }: Io): boolean {
  return stdin.isTTY === true && terminal.err;
}

/** Asks the user for a line. Returns an empty string when the input ends or the command is interrupted. */
async function promptLine(question: string, io: Io): Promise<string> {
  await io.err(question);
  const lines = createInterface({ input: io.stdin, terminal: false });
  try {
    return await new Promise<string>((answered) => {
      lines.once("line", (line) => answered(line.trim()));
      lines.once("close", () => answered(""));
      io.signal.addEventListener("abort", () => answered(""), { once: true });
    });
  } finally {
    lines.close();
  }
}
