import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { defined, memoized } from "../../protocol/internal.ts";
import { isTranscriptRecord } from "../formats/claude-code/build-entry.ts";
import { checkRoots } from "../option-checks.ts";
import { recordSource, recordsOf } from "../read/json-records.ts";
import { readLines } from "../read/read-lines.ts";
import { isSafeId } from "../safe-paths.ts";
import { originRank, type SessionRoot } from "./session-roots.ts";
import { listEntries, sessionFilesBelow, transcriptName, withoutGz } from "./transcript-files.ts";

/** The location of one session. Its id is its file name. */
export interface SessionPlace {
  readonly id: string;
  readonly root: SessionRoot;
  /** Name of the project folder. */
  readonly project: string;
  /** The project folder itself. */
  readonly folder: string;
  /** The main transcript. */
  readonly file: string;
}

/** A subagent's transcript. */
export interface SubagentFile {
  readonly id: string;
  readonly file: string;
  /** Its `.meta.json`, if it has one. */
  readonly meta?: string;
  /** The workflow run it belongs to. */
  readonly run?: string;
  /** The file is next to the main transcript, as older versions wrote it. */
  readonly nextToMain?: true;
}

/** Paths of everything that belongs to one session. Unknown files are listed in `others` and never opened. */
export interface SessionFiles {
  readonly main: string;
  readonly agents: readonly SubagentFile[];
  readonly workflows: readonly WorkflowFiles[];
  readonly toolResults: readonly string[];
  readonly others: readonly string[];
}

/** Paths of the files of one workflow run. */
export interface WorkflowFiles {
  readonly run: string;
  readonly journal?: string;
  readonly state?: string;
}

export function findSessionsIn({ root, project, folder }: Omit<SessionPlace, "id" | "file">): SessionPlace[] {
  return listEntries(root.path, folder).flatMap((entry) => {
    const id = entry.folder ? undefined : transcriptName(entry.name);
    return id === undefined || id.startsWith("agent-") ? [] : [{ id, root, project, folder, file: entry.path }];
  });
}

/** Every session of these roots, project by project. */
export function findSessions(roots: readonly SessionRoot[]): SessionPlace[] {
  checkRoots(roots);
  return roots.flatMap((root) =>
    listEntries(root.path, join(root.path, "projects")).flatMap(({ name, path, folder }) =>
      folder ? findSessionsIn({ root, project: name, folder: path }) : [],
    ),
  );
}

/** Each session of a project once: of several roots that hold it, the one with the best origin. */
export function bestPlaces(roots: readonly SessionRoot[]): SessionPlace[] {
  const best = new Map<string, SessionPlace>();
  for (const place of findSessions(roots)) {
    const key = `${place.project}/${place.id}`;
    const other = best.get(key);
    if (other === undefined || originRank[place.root.origin] < originRank[other.root.origin]) best.set(key, place);
  }
  return [...best.values()];
}

/** Resolves the file of a session. A project folder may link to another one, and then each of its sessions has two places. */
export function realFileFinder(): (place: SessionPlace) => Promise<string> {
  const real = memoized(realFolder);
  return async ({ folder, file }) => join(await real(folder), basename(file));
}

/** Gives a session the real name of its project folder, where that folder links to another one of the same root. */
export function projectFolderResolver(): (place: SessionPlace) => Promise<SessionPlace> {
  const real = memoized(realFolder);
  return async (place) => {
    const parent = dirname(place.folder);
    const target = await real(place.folder);
    const project = basename(target);
    if (project === place.project || dirname(target) !== (await real(parent))) return place;
    const folder = join(parent, project);
    return { ...place, project, folder, file: join(folder, basename(place.file)) };
  };
}

/** A folder that was removed keeps its path. */
function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

const agentFile = /^subagents\/(?:workflows\/(wf_[^/]+)\/)?(?:.*\/)?agent-([^/]+)\.jsonl$/;
const journalFile = /^subagents\/workflows\/(wf_[^/]+)\/journal\.jsonl$/;
const stateFile = /^workflows\/(wf_[^/]+)\.json$/;

/** Everything under `<session>/`, at any depth, and the subagents of older versions next to the main file. */
export async function sessionFilesOf(place: SessionPlace): Promise<SessionFiles> {
  const own = join(place.folder, place.id);
  const files = sessionFilesBelow(place.root.path, own, "");
  const metaNames = new Set(files.map(({ name }) => name).filter((name) => withoutGz(name).endsWith(".meta.json")));
  const agents: SubagentFile[] = [];
  const workflows = new Map<string, WorkflowFiles>();
  const toolResults: string[] = [];
  const others: string[] = [];
  for (const { name, path } of files) {
    const plain = withoutGz(name);
    const [, agentRun, id] = agentFile.exec(plain) ?? [];
    const journalRun = journalFile.exec(plain)?.[1];
    const stateRun = stateFile.exec(plain)?.[1];
    if (id !== undefined && isSafeId(id)) {
      const metaName = `${plain.slice(0, -6)}.meta.json`;
      const meta = [metaName, `${metaName}.gz`].find((candidate) => metaNames.has(candidate));
      agents.push({ id, file: path, ...defined({ meta: meta && join(own, meta), run: agentRun }) });
    } else if (journalRun !== undefined) {
      workflows.set(journalRun, { ...workflows.get(journalRun), run: journalRun, journal: path });
    } else if (stateRun !== undefined) {
      workflows.set(stateRun, { ...workflows.get(stateRun), run: stateRun, state: path });
    } else if (plain.startsWith("tool-results/")) toolResults.push(path);
    else if (!plain.endsWith(".meta.json")) others.push(path);
  }
  agents.push(...(await agentsNextToMain(place)));
  return { main: place.file, agents, workflows: [...workflows.values()], toolResults, others };
}

/** A transcript of a session. `agentId` is absent for the main one. */
export interface SessionTranscript {
  readonly file: string;
  readonly agentId?: string;
}

/** The main transcript and those of all agents. */
export async function transcriptsOf(place: SessionPlace): Promise<SessionTranscript[]> {
  const { agents } = await sessionFilesOf(place);
  return [{ file: place.file }, ...agents.map(({ file, id }) => ({ file, agentId: id }))];
}

async function agentsNextToMain({ root, folder, id }: SessionPlace): Promise<SubagentFile[]> {
  const agents: SubagentFile[] = [];
  for (const entry of listEntries(root.path, folder)) {
    const name = entry.folder ? undefined : transcriptName(entry.name);
    if (!name?.startsWith("agent-")) continue;
    if ((await ownerSessionId(entry.path)) === id)
      agents.push({ id: name.slice(6), file: entry.path, nextToMain: true });
  }
  return agents;
}

/** The first `sessionId` in the first 64 KiB of a transcript: the session of an agent whose path does not name one. */
async function ownerSessionId(file: string): Promise<string | undefined> {
  const lines = readLines(file, { chunkBytes: 64 * 1024, maxLineBytes: 64 * 1024, tail: "give" });
  for await (const batch of lines) {
    for (const line of batch) {
      for (const record of recordsOf(recordSource(file), line, isTranscriptRecord)) {
        const id = record.kind === "record" ? record.object["sessionId"] : undefined;
        if (typeof id === "string") return id;
      }
    }
    if (lines.cursor.offset >= 64 * 1024) break;
  }
  return undefined;
}

/** Counts agents by file names in the session's own folder. Faster than `sessionFilesOf`, which opens files. */
export function countSubagents({ root, folder, id }: SessionPlace): number {
  const files = sessionFilesBelow(root.path, join(folder, id, "subagents"), "subagents");
  return files.filter(({ name }) => agentFile.test(withoutGz(name))).length;
}
