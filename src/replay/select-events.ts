import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { closestName, fitsWildcard, Problem } from "../protocol/internal.ts";
import { findRoots, findTranscripts, folderName, type RootOptions, type TranscriptFile } from "../sessions/internal.ts";
import { type PastEvent, type PastEventName, pastEventNames } from "./past-event.ts";

/** Selects events. An omitted field selects all. */
export interface EventFilter {
  readonly sinceMs?: number | undefined;
  /** Names of tools, in which `*` matches any text. */
  readonly tools?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
}

/** Contract: an event that transcripts do not record is a `replay/event` problem, not an empty report. */
export function eventFilter(filter: EventFilter): (event: PastEvent) => boolean {
  const events = new Set((filter.events?.length ? filter.events : pastEventNames).map(eventName));
  const tools = (filter.tools ?? []).map(toolPattern);
  return ({ name, tool, at }) =>
    events.has(name) &&
    (tools.length === 0 || (tool !== undefined && tools.some((pattern) => pattern(tool)))) &&
    (filter.sinceMs === undefined || Date.parse(at ?? "") >= filter.sinceMs);
}

function eventName(text: string): PastEventName {
  const name = pastEventNames.find((one) => one === text);
  if (name !== undefined) return name;
  const near = closestName(text, pastEventNames);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `"${text}" cannot be replayed; transcripts record ${pastEventNames.join(", ")}.${hint}`;
  throw new Problem("replay/event", message, { about: { event: text } });
}

/** `Task` is the older name of `Agent`; hosts treat them as the same tool. */
function toolPattern(name: string): (tool: string) => boolean {
  if (name === "Task" || name === "Agent") return (tool) => tool === "Task" || tool === "Agent";
  return (tool) => fitsWildcard(name, tool);
}

export interface TranscriptFilter extends RootOptions {
  /** Only sessions that were started in this folder. Default: all sessions. */
  readonly project?: string | undefined;
  /** Only files that were written after this time. */
  readonly sinceMs?: number | undefined;
}

/** The transcripts to replay in the order of their paths; those of subagents follow their session. */
export async function selectTranscripts(
  filter: TranscriptFilter,
  onUnread: (path: string, error: unknown) => void,
): Promise<readonly TranscriptFile[]> {
  const names = filter.project === undefined ? undefined : await folderNames(filter.project);
  return findTranscripts(await findRoots(filter), onUnread).filter(
    ({ project, mtimeMs }) =>
      (names?.has(project) ?? true) && (filter.sinceMs === undefined || mtimeMs >= filter.sinceMs),
  );
}

/** Clients derive the name of a project's folder from its path, with or without links resolved. */
async function folderNames(project: string): Promise<ReadonlySet<string>> {
  const given = resolve(project);
  const real = await realpath(given).catch(() => given);
  return new Set([folderName(given), folderName(real)]);
}

/** Stores 53-bit hashes of keys. Collisions are negligible, and years of transcripts fit in memory. */
interface KeySet {
  /** False when the key was added before. */
  add(key: string): boolean;
}

export function openKeySet(): KeySet {
  const hashes = new Set<number>();
  return {
    add(key) {
      const hash = hashOf(key);
      if (hashes.has(hash)) return false;
      hashes.add(hash);
      return true;
    },
  };
}

/** Two independent 32-bit hashes, combined into one integer that a double holds exactly. */
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
