import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { openFolder, processStart, replaceFile } from "../files/index.ts";
import { liveSessions } from "../sessions/index.ts";
import type { AgentOptions } from "./options.ts";

/** This process's line in the registry of running sessions, `sessions/<pid>.json`. */
export interface LiveEntry {
  set(status: "busy" | "idle" | "waiting", waitingFor?: string): Promise<void>;
  rename(name: string): Promise<void>;
  /** `/clear` goes on under another id. */
  move(sessionId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Contract: replaced as a whole at each change. A registry that cannot be written ends nothing: it only informs. */
export async function openLiveEntry(
  { root, id }: { readonly root: string; readonly id: string },
  options: AgentOptions,
  warn: (text: string) => void,
): Promise<LiveEntry> {
  if (!options.persist) return silent;
  const { clock, cwd, interactive, version } = options;
  const folder = join(root, "sessions");
  const file = join(folder, `${process.pid}.json`);
  const startedAt = Math.round(clock.now());
  let note: Readonly<Record<string, unknown>> = {
    pid: process.pid,
    sessionId: id,
    cwd,
    startedAt,
    procStart: processStart(process.pid) ?? "",
    version,
    kind: interactive ? "interactive" : "print",
    entrypoint: "hookline",
    ...(options.name === undefined
      ? { name: `${basename(cwd)}-${randomBytes(1).toString("hex")}`, nameSource: "derived" }
      : { name: options.name }),
  };
  let turn: Promise<void> = Promise.resolve();
  let told = false;
  let removed = false;

  function change(fields: Readonly<Record<string, unknown>>): Promise<void> {
    // What a turn that was left behind still has to say comes too late.
    if (removed) return turn;
    note = { ...note, ...fields };
    const text = JSON.stringify(note);
    turn = turn.then(() => replaceFile(file, text).then(() => undefined)).catch(tellOnce);
    return turn;
  }

  function tellOnce(error: unknown): void {
    if (!told) warn(`${file} cannot be written: ${String(error)}`);
    told = true;
  }

  await openFolder(folder);
  await sweep(root);
  return {
    set(status, waitingFor) {
      const now = Math.round(clock.now());
      const { waitingFor: _, ...rest } = note;
      note = rest;
      return change({
        status,
        updatedAt: now,
        statusUpdatedAt: now,
        ...(waitingFor === undefined ? {} : { waitingFor }),
      });
    },
    rename(name) {
      const { nameSource: _, ...rest } = note;
      note = rest;
      return change({ name });
    },
    move: (sessionId) => change({ sessionId }),
    async remove() {
      removed = true;
      await turn;
      await rm(file, { force: true });
    },
  };
}

/** What dead processes left behind. */
async function sweep(root: string): Promise<void> {
  const all = await liveSessions({ roots: [{ path: root, origin: "hookline" }], all: true });
  await Promise.all(all.filter(({ live }) => live === "no").map(({ file }) => rm(file, { force: true })));
}

const silent: LiveEntry = {
  set: async () => undefined,
  rename: async () => undefined,
  move: async () => undefined,
  remove: async () => undefined,
};
