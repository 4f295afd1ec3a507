import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Fs, ignoringErrors, openFolder, replaceFile } from "../../files/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { fillerRecords } from "../formats/claude-code/write-record.ts";
import { checkObject, checkRecord } from "../option-checks.ts";
import { resolveInside, safeId } from "../safe-paths.ts";
import { type ResumeState, readTranscriptConversation } from "./resume-state.ts";
import { openTranscriptWriter, type TranscriptWriter } from "./transcript-writer.ts";

/** A session of the store, open for appending to its main file and to those of its agents. */
export interface StoreSession extends TranscriptWriter {
  readonly id: string;
  readonly place: SessionPlace;
  /** Where everything but the main file goes. */
  readonly folder: string;
  /** The transcript of a subagent, with what is known about it noted beside. */
  openAgent(id: string, meta: Readonly<Record<string, unknown>>): Promise<TranscriptWriter>;
}

export interface StoreSessionOptions {
  readonly place: SessionPlace;
  readonly cwd: string;
  readonly gitBranch?: string;
  readonly version: string;
  readonly entrypoint: string;
  readonly fs: Fs;
  readonly now: () => number;
  readonly uuid: () => string;
  /** What is in the main file already. */
  readonly goingOn?: ResumeState | undefined;
}

export function openStoreSession(options: StoreSessionOptions): StoreSession {
  const { place, cwd, gitBranch, version, entrypoint, fs, now, uuid, goingOn } = options;
  const folder = join(place.folder, place.id);
  const envelope = { sessionId: place.id, cwd, version, entrypoint, gitBranch };
  const common = { root: place.root.path, sessionFolder: folder, fs, now, uuid };
  const tip = goingOn?.leaf ?? null;
  const main = openTranscriptWriter({ ...common, file: place.file, envelope, tip });
  const agents: TranscriptWriter[] = [];
  let unanswered = goingOn?.unanswered === true;

  return {
    id: place.id,
    place,
    folder,
    file: place.file,
    get tip() {
      return main.tip;
    },
    async append(draft, appendOptions) {
      checkRecord(draft);
      if (unanswered && draft.type === "user") {
        unanswered = false;
        // The queue keeps order, so these stand before the prompt; should they fail, the prompt's own answer tells.
        for (const filler of fillerRecords) main.append(filler).catch(() => undefined);
      }
      return main.append(draft, appendOptions);
    },
    async openAgent(id, meta) {
      checkObject("meta", meta);
      const stem = join(folder, "subagents", `agent-${safeId(id)}`);
      const file = `${stem}.jsonl`;
      await resolveInside(place.root.path, file);
      await openFolder(join(folder, "subagents"), fs);
      await replaceFile(`${stem}.meta.json`, JSON.stringify(meta), { fs });
      const there = (await ignoringErrors(["ENOENT"], lstat(file))) !== undefined;
      const before = there ? (await readTranscriptConversation(file, { ofAgent: true })).branches.leaf : undefined;
      const agent = openTranscriptWriter({
        ...common,
        file,
        envelope: { ...envelope, agentId: id },
        tip: before ?? null,
      });
      agents.push(agent);
      return agent;
    },
    async close() {
      await Promise.all([main, ...agents].map((transcript) => transcript.close()));
    },
  };
}
