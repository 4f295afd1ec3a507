import { join } from "node:path";
import { isTranscriptRecord } from "../formats/claude-code/to-entry.ts";
import { checkRoots } from "../option-checks.ts";
import { recordsOf } from "../read/json-records.ts";
import { readLines } from "../read/read-lines.ts";
import { isSafeId } from "../safe-paths.ts";
import type { SessionRoot } from "./session-roots.ts";
import { type FolderEntry, listEntries } from "./transcript-files.ts";

/** A folder of sessions. Its name says nothing about its working directory: the records do. */
export interface ProjectFolder {
  readonly root: SessionRoot;
  readonly name: string;
  readonly path: string;
}

/** Where one session lies. Its id is its file name. */
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
  /** Its `.meta.json`, where there is one. */
  readonly meta?: string;
  /** The workflow run it belongs to. */
  readonly run?: string;
  /** It is next to the main transcript, as older versions wrote it. */
  readonly beside?: true;
}

/** Everything that belongs to one session, by path. Files we do not know are listed, not opened. */
export interface SessionFiles {
  readonly main: string;
  readonly agents: readonly SubagentFile[];
  readonly workflows: readonly WorkflowFiles[];
  readonly toolResults: readonly string[];
  readonly others: readonly string[];
}

export interface WorkflowFiles {
  readonly run: string;
  readonly journal?: string;
  readonly state?: string;
}

export async function findProjects(root: SessionRoot): Promise<ProjectFolder[]> {
  const found = listEntries(root.path, join(root.path, "projects"));
  return found.filter(({ folder }) => folder).map(({ name, path }) => ({ root, name, path }));
}

export async function findSessionsIn({ root, name, path }: ProjectFolder): Promise<SessionPlace[]> {
  const found = listEntries(root.path, path);
  return found.flatMap((entry) => {
    const id = transcriptName(entry);
    if (id === undefined || id.startsWith("agent-") || !isSafeId(id)) return [];
    return [{ id, root, project: name, folder: path, file: entry.path }];
  });
}

/** Every session of these roots, project by project. */
export async function* findSessions(roots: readonly SessionRoot[]): AsyncGenerator<SessionPlace, undefined> {
  checkRoots(roots);
  for (const root of roots) {
    for (const project of await findProjects(root)) yield* await findSessionsIn(project);
  }
}

/** Everything under `<session>/`, at any depth, and the subagents of older versions next to the main file. */
export async function sessionFilesOf(place: SessionPlace): Promise<SessionFiles> {
  const all = await walk(place.root.path, join(place.folder, place.id), "");
  const metas = new Set(all.map(({ way }) => way).filter((way) => unzipped(way).endsWith(".meta.json")));
  const agents: SubagentFile[] = [];
  const runs = new Map<string, { run: string; journal?: string; state?: string }>();
  const toolResults: string[] = [];
  const others: string[] = [];
  for (const { way, path } of all) {
    const plain = unzipped(way);
    const agent = /^subagents\/(?:workflows\/(wf_[^/]+)\/)?(?:.*\/)?agent-([^/]+)\.jsonl$/.exec(plain);
    const journal = /^subagents\/workflows\/(wf_[^/]+)\/journal\.jsonl$/.exec(plain)?.[1];
    const state = /^workflows\/(wf_[^/]+)\.json$/.exec(plain)?.[1];
    if (agent?.[2] !== undefined && isSafeId(agent[2])) {
      const meta = [`${plain.slice(0, -6)}.meta.json`, `${plain.slice(0, -6)}.meta.json.gz`].find((name) =>
        metas.has(name),
      );
      agents.push({
        id: agent[2],
        file: path,
        ...(meta === undefined ? {} : { meta: join(place.folder, place.id, meta) }),
        ...(agent[1] === undefined ? {} : { run: agent[1] }),
      });
    } else if (journal !== undefined) runs.set(journal, { ...runs.get(journal), run: journal, journal: path });
    else if (state !== undefined) runs.set(state, { ...runs.get(state), run: state, state: path });
    else if (plain.startsWith("tool-results/")) toolResults.push(path);
    else if (!plain.endsWith(".meta.json")) others.push(path);
  }
  agents.push(...(await agentsBeside(place)));
  return { main: place.file, agents, workflows: [...runs.values()], toolResults, others };
}

async function walk(root: string, folder: string, way: string): Promise<{ way: string; path: string }[]> {
  const files: { way: string; path: string }[] = [];
  for (const entry of listEntries(root, folder)) {
    const below = way === "" ? entry.name : `${way}/${entry.name}`;
    if (!entry.folder) files.push({ way: below, path: entry.path });
    // Links inside the root could form a ring; no client nests folders anywhere near this deep.
    else if (below.split("/").length < 16) files.push(...(await walk(root, entry.path, below)));
  }
  return files;
}

async function agentsBeside({ root, folder, id }: SessionPlace): Promise<SubagentFile[]> {
  const agents: SubagentFile[] = [];
  for (const entry of listEntries(root.path, folder)) {
    const name = transcriptName(entry);
    if (!name?.startsWith("agent-") || !isSafeId(name.slice(6))) continue;
    if ((await ownerSessionId(entry.path)) === id) agents.push({ id: name.slice(6), file: entry.path, beside: true });
  }
  return agents;
}

function transcriptName({ name, folder }: FolderEntry): string | undefined {
  const plain = unzipped(name);
  return !folder && plain.endsWith(".jsonl") ? plain.slice(0, -6) : undefined;
}

function unzipped(name: string): string {
  return name.endsWith(".gz") ? name.slice(0, -3) : name;
}

/** The first `sessionId` inside a transcript: whose agent this is, where the path does not say. Looks at 64 KiB at most. */
async function ownerSessionId(file: string): Promise<string | undefined> {
  const lines = readLines(file, { chunkBytes: 64 * 1024, maxLineBytes: 64 * 1024, tail: "give" });
  for await (const batch of lines) {
    for (const line of batch) {
      for (const record of recordsOf({ path: file, dev: 0, ino: 0 }, line, isTranscriptRecord)) {
        const id = record.kind === "record" ? record.object["sessionId"] : undefined;
        if (typeof id === "string") return id;
      }
    }
    if (lines.cursor.offset >= 64 * 1024) break;
  }
  return undefined;
}

/** How many agents a session has, by the names in its own folder alone: a list has no time for more. */
export async function countSubagents({ root, folder, id }: SessionPlace): Promise<number> {
  const own = join(folder, id, "subagents");
  const direct = listEntries(root.path, own);
  let count = direct.filter(isAgent).length;
  if (!direct.some(({ name }) => name === "workflows")) return count;
  for (const run of listEntries(root.path, join(own, "workflows"))) {
    if (run.folder) count += listEntries(root.path, run.path).filter(isAgent).length;
  }
  return count;
}

function isAgent({ name, folder }: { name: string; folder: boolean }): boolean {
  return !folder && /^agent-.+\.jsonl(?:\.gz)?$/.test(name);
}
