import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { reviewTrust, type TrustEntry, type TrustReview } from "../../engine/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { appInputs } from "../../sdk/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { askLine, canAsk } from "../command-line/confirm.ts";
import { jsonText } from "../print/json.ts";
import { styleFor } from "../print/style.ts";
import { entryLine, entryLines, reviewJson, reviewText } from "../print/trust-review.ts";

export const command: Command = {
  usage: "[DIR] [--show] [--yes] [--pin HOOK=sha256:…]… [--workspace] [--revoke] [--json]",
  about: `Shows what a folder's own settings would run, and approves it by content.

Hooks run with your full rights: whatever you can do, they can. An approval is of exactly what is shown, the definition and the files
of the folder that it names; when a byte of that changes, it no longer counts, and when the byte is put back it does again. Approvals
are kept outside the folder, under its real path.

On a terminal each thing that is not approved is asked about. Without one, --yes approves everything that is shown, and --pin approves
one thing only if its digest is the one given (both as --show prints them). --workspace accepts the folder as a whole, for agents that
trust folders. The exit status is 0, or 1 when nothing could be decided.`,
  mostArguments: 1,
  options: {
    show: { type: "boolean", excludes: ["workspace", "revoke", "pin"], about: "show, and approve nothing" },
    yes: { type: "boolean", short: "y", about: "approve everything without asking, after showing it" },
    pin: { type: "string", value: "HOOK=sha256:…", multiple: true, about: "approve this if its digest is equal" },
    workspace: { type: "boolean", excludes: ["revoke", "pin"], about: "accept the folder as a whole" },
    revoke: { type: "boolean", excludes: ["pin"], about: "forget every approval of the folder" },
    json: { type: "boolean", about: "print one JSON object" },
  },
  examples: [
    "hookline trust",
    "hookline trust --show --json",
    "hookline trust . --pin project:PreToolUse:0.0:3f2a9c1e=sha256:9f86d0…",
  ],
  async run(call, io) {
    const [folder = "."] = call.words;
    const cwd = resolve(io.cwd, folder);
    if (!existsSync(cwd)) throw new Problem("cli/bad-input", `There is no folder ${cwd}.`);
    const review = await reviewTrust({ cwd, home: io.home, env: io.env }, { inputsOf: appInputs });
    if (call.flag("revoke")) return revoke(review, call, io);
    if (call.texts("pin").length > 0) return pinExactly(review, call, io);
    if (!call.flag("json")) await io.out(reviewText(review, asks(call, io) ? [] : review.entries, styleFor(io)));
    if (call.flag("show")) return told(review, [], call, io);
    return call.flag("workspace") ? accept(review, call, io) : decide(review, call, io);
  },
};

/** Whether each entry is shown when it is asked about, and not before. */
function asks(call: Call, io: Io): boolean {
  return canAsk(io) && !["show", "yes", "workspace"].some((name) => call.flag(name));
}

async function revoke(review: TrustReview, call: Call, io: Io): Promise<number> {
  const revoked = await review.revoke();
  await io.out(
    call.flag("json")
      ? jsonText({ project: review.project, revoked })
      : `${revoked ? "Nothing of" : "Nothing was approved of"} ${review.project}${revoked ? " is approved any more" : ""}.\n`,
  );
  return 0;
}

async function pinExactly(review: TrustReview, call: Call, io: Io): Promise<number> {
  const entries = call.texts("pin").map((text) => matchingEntry(text, review));
  await review.pin(entries);
  return told(review, entries, call, io);
}

function matchingEntry(text: string, { entries, project }: TrustReview): TrustEntry {
  const [, id, digest] = /^(.+)=(sha256:[0-9a-f]{64})$/is.exec(text) ?? [];
  if (id === undefined || digest === undefined) {
    throw new Problem("cli/usage", `--pin takes HOOK=sha256:…, as hookline trust --show prints it, not "${text}".`);
  }
  const entry = entries.find((one) => one.id === id);
  if (entry === undefined) {
    throw new Problem(
      "trust/unknown-hook",
      `Nothing in ${project} is called "${id}". hookline trust --show lists what there is. Nothing was approved.`,
      { about: { id } },
    );
  }
  if (entry.digest === undefined) throw notApprovable(entry);
  if (entry.digest !== digest.toLowerCase()) {
    throw new Problem(
      "trust/digest-mismatch",
      `"${id}" is not what that digest was made of: it is ${entry.digest} now. Nothing was approved.`,
      { about: { id, digest: entry.digest, given: digest } },
    );
  }
  return entry;
}

function notApprovable({ id, unusable }: TrustEntry): Problem {
  return new Problem("trust/not-approvable", `"${id}" cannot be approved: ${unusable ?? ""}. Nothing was approved.`);
}

async function accept(review: TrustReview, call: Call, io: Io): Promise<number> {
  if (!(await agreed(`Let every hook run in ${review.project} and in folders below it?`, call, io))) return 1;
  await review.accept();
  await io.out(
    call.flag("json") ? jsonText({ project: review.project, accepted: true }) : `${review.project} is accepted.\n`,
  );
  return 0;
}

async function agreed(question: string, call: Call, io: Io): Promise<boolean> {
  if (call.flag("yes")) return true;
  if (!canAsk(io)) throw needsTerminal();
  return /^y(es)?$/i.test(await askLine(`${question} [y/N] `, io));
}

async function decide(review: TrustReview, call: Call, io: Io): Promise<number> {
  const open = review.entries.filter(({ state, digest }) => state !== "trusted" && digest !== undefined);
  if (open.length === 0 || call.flag("yes")) {
    if (open.length > 0) await review.pin(open);
    return told(review, open, call, io);
  }
  if (!canAsk(io)) throw needsTerminal();
  const chosen = await choose(open, io);
  if (chosen.length > 0) await review.pin(chosen);
  return told(review, chosen, call, io);
}

function needsTerminal(): Problem {
  return new Problem(
    "trust/needs-terminal",
    "Approving needs a terminal to ask on. Look with --show, then approve with --yes, or exactly with --pin. Nothing was approved.",
  );
}

/** One question per entry; "all" answers the rest, "quit" leaves the rest as it is. */
async function choose(open: readonly TrustEntry[], io: Io): Promise<readonly TrustEntry[]> {
  const chosen: TrustEntry[] = [];
  await io.err("Hooks run with your full rights: whatever you can do, they can.\n");
  for (const [index, entry] of open.entries()) {
    await io.err(`\n${entryLines(entry, styleFor(io)).join("\n")}\n`);
    const answer = await askLine(`Approve this (${index + 1} of ${open.length})? [y]es [N]o [a]ll [q]uit `, io);
    if (/^a(ll)?$/i.test(answer)) return [...chosen, ...open.slice(index)];
    if (/^q(uit)?$/i.test(answer)) break;
    if (/^y(es)?$/i.test(answer)) chosen.push(entry);
  }
  return chosen;
}

async function told(review: TrustReview, pinned: readonly TrustEntry[], call: Call, io: Io): Promise<number> {
  if (call.flag("json")) {
    const pins = pinned.map(({ id, digest }) => ({ id, digest }));
    await io.out(jsonText({ ...reviewJson(review), pinned: pins }));
    return 0;
  }
  if (call.flag("show")) return 0;
  const lines = pinned.map((entry) => `approved  ${entryLine(entry)}`);
  await io.out(`${lines.length > 0 ? lines.join("\n") : "Nothing was approved."}\n`);
  return 0;
}
