/** A record as a host hands it in, in the spelling of the file: `type` and what is its own, without the envelope. */
export type Draft = Readonly<Record<string, unknown>> & { readonly type: string };

/** What every line of one file has in common. */
export interface Envelope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
  readonly entrypoint: string;
  readonly gitBranch?: string | undefined;
  /** Set for the file of a subagent. */
  readonly agentId?: string | undefined;
}

/** What is the line's alone. */
export interface Position {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly timestamp: string;
}

/** True for the types that are part of the conversation's graph; the others stand beside it. */
export function isThreaded(draft: Draft): boolean {
  return threaded.has(draft.type);
}

const threaded: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment"]);

/** A whole record. What the store sets wins over what the draft says; cwd and branch may change within a session. */
export function compose(draft: Draft, envelope: Envelope, position: Position): Record<string, unknown> {
  const { sessionId, cwd, version, entrypoint, gitBranch, agentId } = envelope;
  if (!isThreaded(draft)) return bare(draft, sessionId, position.timestamp);
  const { parentUuid, uuid, timestamp } = position;
  return {
    parentUuid,
    isSidechain: agentId !== undefined,
    ...(agentId === undefined ? {} : { agentId }),
    ...omit(draft, ownFields),
    uuid,
    timestamp,
    userType: "external",
    entrypoint,
    cwd: draft["cwd"] ?? cwd,
    sessionId,
    version,
    ...(draft["gitBranch"] === undefined && gitBranch === undefined
      ? {}
      : { gitBranch: draft["gitBranch"] ?? gitBranch }),
  };
}

const ownFields: ReadonlySet<string> = new Set([
  ...["parentUuid", "isSidechain", "agentId", "uuid", "timestamp", "userType"],
  ...["entrypoint", "cwd", "sessionId", "version", "gitBranch"],
]);

/** Snapshots and summaries name no session; operations of the queue say when. */
function bare(draft: Draft, sessionId: string, timestamp: string): Record<string, unknown> {
  if (draft.type === "summary" || draft.type.startsWith("file-history-")) return { ...draft };
  return draft.type === "queue-operation" ? { ...draft, timestamp, sessionId } : { ...draft, sessionId };
}

function omit(draft: Draft, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !names.has(name)));
}
