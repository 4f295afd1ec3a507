import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Fs, openFolder, replaceFile, unless } from "../../files/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { fillers } from "../formats/claude-code/write-record.ts";
import { checkObject, checkRecord } from "../option-checks.ts";
import { realInside, safeId } from "../safe-paths.ts";
import { type GoingOn, readConversation } from "./resume-state.ts";
import { openTranscript, type Transcript } from "./transcript-writer.ts";

/** A session of the store, open for appending to its main file and to those of its agents. */
export interface StoreSession extends Transcript {
  readonly id: string;
  readonly place: SessionPlace;
  /** Where everything but the main file goes. */
  readonly folder: string;
  /** The transcript of a subagent, with what is known about it noted beside. */
  openAgent(id: string, meta: Readonly<Record<string, unknown>>): Promise<Transcript>;
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
  readonly goingOn?: GoingOn | undefined;
}

export function openStoreSession(options: StoreSessionOptions): StoreSession {
  const { place, cwd, gitBranch, version, entrypoint, fs, now, uuid, goingOn } = options;
  const folder = join(place.folder, place.id);
  const envelope = { sessionId: place.id, cwd, version, entrypoint, gitBranch };
  const common = { root: place.root.path, sessionFolder: folder, fs, now, uuid };
  const tip = goingOn?.leaf ?? null;
  const main = openTranscript({ ...common, file: place.file, envelope, tip });
  const agents: Transcript[] = [];
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
        for (const filler of fillers) main.append(filler).catch(() => undefined);
      }
      return main.append(draft, appendOptions);
    },
    async openAgent(id, meta) {
      checkObject("meta", meta);
      const stem = join(folder, "subagents", `agent-${safeId(id)}`);
      const file = `${stem}.jsonl`;
      await realInside(place.root.path, file);
      await openFolder(join(folder, "subagents"), fs);
      await replaceFile(`${stem}.meta.json`, JSON.stringify(meta), { fs });
      const there = (await unless(["ENOENT"], lstat(file))) !== undefined;
      const before = there ? (await readConversation(file, { ofAgent: true })).branches.leaf : undefined;
      const agent = openTranscript({ ...common, file, envelope: { ...envelope, agentId: id }, tip: before ?? null });
      agents.push(agent);
      return agent;
    },
    async close() {
      await Promise.all([main, ...agents].map((transcript) => transcript.close()));
    },
  };
}
