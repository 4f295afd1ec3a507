import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { closestName, fitsWildcard, Problem } from "../protocol/internal.ts";
import { findRoots, findTranscripts, folderName, type RootOptions, type TranscriptFile } from "../sessions/internal.ts";
import { type PastEvent, type PastEventName, pastEventNames } from "./past-event.ts";

/** Which of the past is wanted; what is left out is all of it. */
export interface EventFilter {
  readonly sinceMs?: number | undefined;
  /** Names of tools; `*` in one stands for anything. */
  readonly tools?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
}

/** Contract: a wish for an event that no transcript tells of is a `replay/event` problem, not an empty report. */
export function eventFilter(wish: EventFilter): (event: PastEvent) => boolean {
  const events = new Set((wish.events?.length ? wish.events : pastEventNames).map(eventName));
  const tools = (wish.tools ?? []).map(toolPattern);
  return ({ name, tool, at }) =>
    events.has(name) &&
    (tools.length === 0 || (tool !== undefined && tools.some((pattern) => pattern(tool)))) &&
    (wish.sinceMs === undefined || Date.parse(at ?? "") >= wish.sinceMs);
}

function eventName(text: string): PastEventName {
  const name = pastEventNames.find((known) => known === text);
  if (name !== undefined) return name;
  const near = closestName(text, pastEventNames);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `Transcripts tell of ${pastEventNames.join(", ")}; "${text}" cannot be replayed.${hint}`;
  throw new Problem("replay/event", message, { about: { event: text } });
}

/** `Task` is the older name of `Agent`; hosts treat them as one tool. */
function toolPattern(name: string): (tool: string) => boolean {
  if (name === "Task" || name === "Agent") return (tool) => tool === "Task" || tool === "Agent";
  return (tool) => fitsWildcard(name, tool);
}

export interface WhichTranscripts extends RootOptions {
  /** Only sessions that began in this folder. Default: all sessions. */
  readonly project?: string | undefined;
  /** Files that were last written before this hold nothing newer. */
  readonly sinceMs?: number | undefined;
}

/** The transcripts to replay, agents behind their session, in the order of their paths. */
export async function chosenTranscripts(
  which: WhichTranscripts,
  onUnread: (path: string, error: unknown) => void,
): Promise<readonly TranscriptFile[]> {
  const names = which.project === undefined ? undefined : await folderNames(which.project);
  return findTranscripts(await findRoots(which), onUnread).filter(
    ({ project, mtimeMs }) =>
      (names?.has(project) ?? true) && (which.sinceMs === undefined || mtimeMs >= which.sinceMs),
  );
}

/** Clients name a project's folder after the path they were started in, linked or real. */
async function folderNames(project: string): Promise<ReadonlySet<string>> {
  const given = resolve(project);
  const real = await realpath(given).catch(() => given);
  return new Set([folderName(given), folderName(real)]);
}

/** Remembers keys by 53 bits of their hash: years of transcripts fit, and two keys that meet are rarer than a disk error. */
interface KeySet {
  /** True the first time. */
  add(key: string): boolean;
}

export function openKeySet(): KeySet {
  const seen = new Set<number>();
  return {
    add(key) {
      const hash = hashOf(key);
      if (seen.has(hash)) return false;
      seen.add(hash);
      return true;
    },
  };
}

/** Two independent 32-bit mixes, folded into one whole number that a double can hold. */
function hashOf(key: string): number {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    one = Math.imul(one ^ code, 0x9e3779b1);
    two = Math.imul(two ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (two & 0x1fffff) * 2 ** 32 + (one >>> 0);
}
