import type { SessionPlace } from "../find/session-files.ts";
import type { GraphEntry } from "../model/entry-graph.ts";
import { ownConversations, type SessionModel } from "../model/session-model.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { checkCallOptions, checkSessionPlace } from "../option-checks.ts";
import { readLines } from "../read/read-lines.ts";
import { sessionAt } from "../session.ts";
import { checkLines, checkLinks, checkTools } from "./check-conversation.ts";
import {
  type CheckedSession,
  type CheckFinding,
  checkSession,
  type FileTail,
  type SessionCheck,
  type Severity,
} from "./check-session.ts";

/** The result of `validateSession`. */
export interface ValidationResult {
  readonly findings: readonly CheckFinding[];
  readonly counts: Readonly<Record<Severity, number>>;
  /** What a reader finds that only follows parents from the end. */
  readonly resume: ParentChainResult;
}

/** Options of `validateSession`. */
export interface ValidateOptions {
  /** A process is still writing the session: then an unfinished last line is not an error. */
  readonly live?: boolean;
  /** Further checks of the caller. */
  readonly checks?: readonly SessionCheck[];
}

const ourChecks: readonly SessionCheck[] = [checkLines, checkLinks, checkTools, checkSession];

/** Finds everything that is wrong with a session. Contract: changes nothing. */
export async function validateSession(place: SessionPlace, options: ValidateOptions = {}): Promise<ValidationResult> {
  checkSessionPlace(place);
  checkCallOptions("validateSession", options, ["live", "checks"]);
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
    resume: checkParentChain(session.model.main),
  };
}

/** Everything that the checks need, read once. */
export async function examine(place: SessionPlace, live: boolean): Promise<CheckedSession> {
  const model = await sessionAt(place).load();
  return { model, live, threads: ownConversations(model), tails: await tailsOf(model) };
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

/** How much of a conversation is found by following parents from its last entry. */
export interface ParentChainResult {
  readonly reached: EntryCounts;
  readonly missed: EntryCounts;
  /** The first entry whose parent does not exist. */
  readonly breaksAt?: { readonly uuid: string; readonly parentUuid: string; readonly line: number };
}

/** The number of entries in a part of a conversation, with the prompts and tool results among them. */
export interface EntryCounts {
  readonly entries: number;
  readonly prompts: number;
  readonly toolResults: number;
}

/**
 * Compares with what a model should receive: everything since the last compaction. Results of parallel tools are the usual loss: each
 * has its own call as parent, and only one of them is on the way.
 */
function checkParentChain(thread: Conversation): ParentChainResult {
  const byUuid = new Map(thread.graph.nodes.map((node) => [node.uuid, node]));
  const walked = new Set<GraphEntry>();
  let breaksAt: ParentChainResult["breaksAt"];
  let at = byUuid.get(thread.branches.leaf ?? "");
  while (at !== undefined && !walked.has(at)) {
    walked.add(at);
    if (at.parentUuid === null) break;
    const parent = byUuid.get(at.parentUuid);
    if (parent === undefined) breaksAt = { uuid: at.uuid, parentUuid: at.parentUuid, line: at.line };
    at = parent;
  }
  const wanted = thread.context();
  return {
    reached: count(wanted.filter((entry) => walked.has(entry))),
    missed: count(wanted.filter((entry) => !walked.has(entry))),
    ...(breaksAt === undefined ? {} : { breaksAt }),
  };
}

function count(entries: readonly GraphEntry[]): EntryCounts {
  const users = entries.filter((entry) => entry.kind === "user");
  return {
    entries: entries.length,
    prompts: users.filter(({ role }) => role === "prompt").length,
    toolResults: users.filter(({ role }) => role === "result").length,
  };
}
