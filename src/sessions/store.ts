import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Fs, type HomeSource, nodeFs, openFolder, replaceFile } from "../files/index.ts";
import type { Draft } from "./formats/claude-code/compose.ts";
import { folderName } from "./formats/claude-code/folder-name.ts";
import { findSessions, type SessionPlace } from "./formats/claude-code/locate.ts";
import { type Root, storeRoot } from "./formats/claude-code/roots.ts";
import { realInside } from "./inside.ts";
import { safeId } from "./session-id.ts";
import { checkFormat } from "./store-format.ts";
import { tipOf } from "./tip.ts";
import { openTranscript, type Transcript } from "./transcript.ts";

/** Sessions that a host writes itself, laid out as the client lays out its own, so that every reader here reads them. */
export interface Store {
  readonly root: Root;
  /** A new session, or one to go on with: its next record hangs on the newest one. */
  open(options: OpenOptions): Promise<StoreSession>;
  /** Resolves when everything appended to any of its sessions is written. */
  close(): Promise<void>;
}

export interface StoreOptions extends HomeSource {
  /** Where the store lies instead of the user's state folder. */
  readonly root?: string;
  /** The host's own version and name, as they stand in each line. */
  readonly version: string;
  readonly entrypoint?: string;
  readonly fs?: Fs;
  readonly now?: () => number;
  readonly uuid?: () => string;
}

export interface OpenOptions {
  readonly cwd: string;
  readonly id?: string;
  readonly gitBranch?: string;
}

export interface StoreSession extends Transcript {
  readonly id: string;
  readonly place: SessionPlace;
  /** Where everything but the main file goes. */
  readonly folder: string;
  /** The transcript of a subagent, and what is known about it beside. */
  openAgent(id: string, meta: Readonly<Record<string, unknown>>): Promise<Transcript>;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { version, entrypoint = "hookline", fs = nodeFs, now = Date.now, uuid = randomUUID } = options;
  const path = options.root ?? storeRoot(options).path;
  await openFolder(path, fs);
  await checkFormat(path, fs);
  const root: Root = { path, origin: "hookline" };
  const open = new Set<Transcript>();

  async function openOne(place: SessionPlace, { cwd, gitBranch }: OpenOptions): Promise<StoreSession> {
    await realInside(path, place.file);
    await openFolder(place.folder, fs);
    const folder = join(place.folder, place.id);
    const common = { sessionFolder: folder, fs, now, uuid };
    const envelope = { sessionId: place.id, cwd, version, entrypoint, gitBranch };
    const main = openTranscript({ ...common, file: place.file, envelope, tip: await tipOf(place.file) });
    open.add(main);

    async function openAgent(agentId: string, meta: Readonly<Record<string, unknown>>): Promise<Transcript> {
      const stem = join(folder, "subagents", `agent-${safeId(agentId)}`);
      await realInside(path, `${stem}.jsonl`);
      await openFolder(folder, fs);
      await openFolder(join(folder, "subagents"), fs);
      await replaceFile(`${stem}.meta.json`, JSON.stringify(meta), { fs });
      const file = `${stem}.jsonl`;
      const agent = openTranscript({ ...common, file, envelope: { ...envelope, agentId }, tip: await tipOf(file) });
      open.add(agent);
      return agent;
    }

    return Object.defineProperties(
      { ...main, id: place.id, place, folder, openAgent },
      { tip: { get: () => main.tip, enumerable: true } },
    );
  }

  return {
    root,
    async open(wanted) {
      const id = safeId(wanted.id ?? uuid());
      return openOne((wanted.id && (await placeOf(root, id))) || newPlace(root, id, wanted.cwd), wanted);
    },
    async close() {
      await Promise.all([...open].map((transcript) => transcript.close()));
    },
  };
}

async function placeOf(root: Root, id: string): Promise<SessionPlace | undefined> {
  for await (const place of findSessions([root])) if (place.id === id) return place;
  return undefined;
}

function newPlace(root: Root, id: string, cwd: string): SessionPlace {
  const project = folderName(cwd);
  const folder = join(root.path, "projects", project);
  return { id, root, project, folder, file: join(folder, `${id}.jsonl`) };
}

export type { Draft };
