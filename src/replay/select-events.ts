import { createHash } from "node:crypto";
import { closestName, defined, fitsWildcard, Problem } from "../protocol/internal.ts";
import {
  findRoots,
  findTranscripts,
  projectFolderFilter,
  type RootOptions,
  type TranscriptFile,
} from "../sessions/internal.ts";
import { type PastEvent, type PastEventName, pastEventNames } from "./past-event.ts";
import type { ReplayReport } from "./replay-report.ts";

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

/** The patterns of `--tool` that match none of the tools that occur, each with the name that was probably meant. */
export function toolsNotFound(
  { tools: patterns = [] }: EventFilter,
  occurring: ReadonlySet<string>,
): ReplayReport["toolsNotFound"] {
  const occurs = [...occurring].sort();
  const unmatched = patterns.filter((pattern) => !occurs.some(toolPattern(pattern)));
  if (unmatched.length === 0) return undefined;
  return unmatched.map((tool) => ({ tool, ...defined({ meant: closestName(tool, occurs) }), occurring: occurs }));
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
  const names = filter.project === undefined ? undefined : (await projectFolderFilter(filter.project)).names;
  return findTranscripts(await findRoots(filter), onUnread).filter(
    ({ project, mtimeMs }) =>
      (names?.has(project) ?? true) && (filter.sinceMs === undefined || mtimeMs >= filter.sinceMs),
  );
}

/** Returns true for a key that it gets for the first time. It stores 53-bit hashes, so that years of transcripts fit in memory. */
export function firstTimeTest(): (key: string) => boolean {
  const hashes = new Set<number>();
  return (key) => {
    const { size } = hashes;
    // The largest integer that a double holds exactly has 53 bits.
    hashes.add(Number(createHash("sha1").update(key).digest().readBigUInt64BE() >> 11n));
    return hashes.size > size;
  };
}
