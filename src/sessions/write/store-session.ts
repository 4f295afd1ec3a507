import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Fs, type HomeSource, ignoringErrors, openFolder, replaceFile } from "../../files/internal.ts";
import { mustBe } from "../../protocol/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { fillerRecords } from "../formats/claude-code/write-record.ts";
import { checkArgument } from "../option-checks.ts";
import { realPathBelow, safeId } from "../safe-paths.ts";
import { type ResumeState, readAgentConversation } from "./resume-state.ts";
import {
  closedProblem,
  type OpenTranscript,
  openTranscriptWriter,
  type TranscriptWriter,
} from "./transcript-writer.ts";

/** A session of the store, open for appending to its main file and to those of its agents. */
export interface StoreSession extends TranscriptWriter {
  /** The id of the session. */
  readonly id: string;
  /** Where the session is. */
  readonly place: SessionPlace;
  /** The folder of all files except the main transcript. */
  readonly folder: string;
  /** Opens the transcript of a subagent, and writes `meta` to its `.meta.json`. While it is open, returns the same writer again. */
  openAgent(id: string, meta: Readonly<Record<string, unknown>>): Promise<TranscriptWriter>;
}

/** Options of `SessionStore.resume`. */
export interface SessionOptions {
  /** The working directory, written to each line. */
  readonly cwd: string;
  /** The git branch, written to each line. */
  readonly gitBranch?: string;
}

/** Options of `openStore`. */
export interface StoreOptions extends HomeSource {
  /** The folder of the store. Default: in the user's state folder. */
  readonly root?: string;
  /** The host's own version, written to each line. */
  readonly version: string;
  /** The name of the host, written to each line. Default: `hookline`. */
  readonly entrypoint?: string;
  /** Replaces the file system, for tests. */
  readonly fs?: Fs;
  /** Replaces the clock, for tests. */
  readonly now?: () => number;
  /** Makes the ids of records, for tests. */
  readonly uuid?: () => string;
}

/** What all sessions of a store have in common. */
type StoreHost = Required<Pick<StoreOptions, "version" | "entrypoint" | "fs" | "now" | "uuid">>;

export function openStoreSession(
  place: SessionPlace,
  { cwd, gitBranch }: SessionOptions,
  { version, entrypoint, fs, now, uuid }: StoreHost,
  state: ResumeState | undefined,
  closed: () => void,
): StoreSession {
  const folder = join(place.folder, place.id);
  const envelope = { sessionId: place.id, cwd, version, entrypoint, gitBranch };
  const common = { root: place.root.path, sessionFolder: folder, fs, now, uuid };
  const fillers = state?.unanswered === true ? fillerRecords : [];
  const main = openTranscriptWriter({ ...common, file: place.file, envelope, tip: state?.leaf ?? null, fillers });
  /** The writer of each agent, once it is open. It stays here when it is closed. */
  const agents = new Map<string, Promise<OpenTranscript | undefined>>();
  let isClosed = false;

  return {
    id: place.id,
    place,
    folder,
    file: place.file,
    get tip() {
      return main.tip;
    },
    append: main.append,
    async openAgent(id, meta) {
      checkArgument("meta", meta, mustBe.object);
      if (isClosed) throw closedProblem(place.file);
      const before = agents.get(id);
      const opening = openAgentWriter(id, meta, before);
      const opened = opening.catch(() => before);
      agents.set(id, opened);
      return opening;
    },
    async close() {
      isClosed = true;
      const closing = main.close();
      const writers = await Promise.all(agents.values());
      await Promise.all([closing, ...writers.map((writer) => writer?.close())]);
      closed();
    },
  };

  async function openAgentWriter(
    id: string,
    meta: object,
    before: Promise<OpenTranscript | undefined> | undefined,
  ): Promise<OpenTranscript> {
    const stem = join(folder, "subagents", `agent-${safeId(id)}`);
    const file = `${stem}.jsonl`;
    // As for a session, two writers would each continue from their own last record.
    const open = await before;
    await realPathBelow(place.root.path, file);
    await openFolder(join(folder, "subagents"), fs);
    await replaceFile(`${stem}.meta.json`, JSON.stringify(meta), { fs });
    if (open?.isClosed === false) return open;
    await open?.close();
    const tip = (await exists(file)) ? ((await readAgentConversation(file)).branches.leaf ?? null) : null;
    return openTranscriptWriter({ ...common, file, envelope: { ...envelope, agentId: id }, tip });
  }
}

export async function exists(path: string): Promise<boolean> {
  return (await ignoringErrors(["ENOENT"], lstat(path))) !== undefined;
}
