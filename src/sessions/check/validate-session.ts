import type { SessionPlace } from "../find/session-files.ts";
import type { SessionModel } from "../model/session-model.ts";
import { checkPlace } from "../option-checks.ts";
import { readLines } from "../read/read-lines.ts";
import { sessionAt } from "../session.ts";
import { checkLinks } from "./check-conversation.ts";
import type { Check, Checked, CheckFinding, FileTail, Severity } from "./check-finding.ts";
import { checkLines } from "./check-lines.ts";
import { checkSession } from "./check-session.ts";
import { checkTools } from "./check-tools.ts";
import { forecastResume, type ResumeForecast } from "./parent-chain-check.ts";

export interface Validation {
  readonly findings: readonly CheckFinding[];
  readonly counts: Readonly<Record<Severity, number>>;
  /** What a reader that merely follows parents from the end would get. */
  readonly resume: ResumeForecast;
}

export interface ValidateOptions {
  /** A process is still writing it; then an unfinished last line is no flaw. */
  readonly live?: boolean;
  /** Rules of the caller's own, beside ours. */
  readonly checks?: readonly Check[];
}

const ourChecks: readonly Check[] = [checkLines, checkLinks, checkTools, checkSession];

/** Looks for everything that is wrong with a session. Contract: changes nothing. */
export async function validateSession(place: SessionPlace, options: ValidateOptions = {}): Promise<Validation> {
  checkPlace(place);
  const session = await examine(place, options.live ?? false);
  const findings: CheckFinding[] = [];
  for (const check of [...ourChecks, ...(options.checks ?? [])]) {
    for await (const finding of check(session)) findings.push(finding);
  }
  findings.sort((a, b) => compare(a.file, b.file) || a.offset - b.offset || compare(a.code, b.code));
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  return {
    findings,
    counts: { error: count("error"), warning: count("warning"), note: count("note") },
    resume: forecastResume(session.model.main),
  };
}

/** Everything the checks look at, read once. */
export async function examine(place: SessionPlace, live: boolean): Promise<Checked> {
  const model = await sessionAt(place).load();
  const own = model.agents.filter(({ borrowedFrom }) => borrowedFrom === undefined);
  const threads = [model.main, ...own.map(({ thread }) => thread)];
  return { model, live, threads, tails: await tailsOf(model) };
}

async function tailsOf({ files }: SessionModel): Promise<FileTail[]> {
  const tails: FileTail[] = [];
  for (const file of [files.main, ...files.agents.map((agent) => agent.file)]) {
    const lines = readLines(file);
    for await (const _ of lines);
    if (lines.tail !== undefined) tails.push({ file, line: lines.cursor.lines + 1, ...lines.tail });
  }
  return tails;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
