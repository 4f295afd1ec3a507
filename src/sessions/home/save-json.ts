import { replaceFile } from "../../files/internal.ts";
import { Problem } from "../../protocol/index.ts";
import type { Root } from "../find/session-roots.ts";
import { readRegistry, type StartOf } from "./live-sessions.ts";

/** A file as it was loaded: it is written again only while it still has these bytes. */
export interface LoadedFile {
  readonly root: Root;
  readonly sessionId: string;
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface SaveOptions {
  /** Allow any change of status. */
  readonly force?: boolean;
  readonly startOf?: StartOf;
}

/** Contract: by temporary file and rename; refused while the client runs that session, and when somebody wrote meanwhile. */
export async function saveJson(loaded: LoadedFile, value: unknown, { startOf }: SaveOptions): Promise<Uint8Array> {
  if (loaded.root.origin === "client") await refuseWhileLive(loaded, startOf);
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  if ((await inTurn(loaded.file, () => replaceFile(loaded.file, bytes, { expect: loaded.bytes }))) === "replaced")
    return bytes;
  throw new Problem("sessions/changed", `${loaded.file} was changed since it was loaded. Load it again.`, {
    about: { file: loaded.file },
  });
}

const writes = new Map<string, Promise<unknown>>();

/** One write to a file after the other: of two at once, the second must see what the first wrote. */
async function inTurn<T>(file: string, write: () => Promise<T>): Promise<T> {
  const before = writes.get(file) ?? Promise.resolve();
  const mine = before.then(write, write);
  writes.set(file, mine);
  try {
    return await mine;
  } finally {
    if (writes.get(file) === mine) writes.delete(file);
  }
}

async function refuseWhileLive({ root, sessionId, file }: LoadedFile, startOf: StartOf | undefined): Promise<void> {
  const running = await readRegistry({ roots: [root], ...(startOf === undefined ? {} : { startOf }) });
  const owner = running.find((session) => session.sessionId === sessionId && session.live !== "no");
  if (owner === undefined) return;
  throw new Problem("sessions/live", `${file} belongs to a session that runs (process ${owner.pid}). End it first.`, {
    about: { file, sessionId, pid: owner.pid },
  });
}

const after: Readonly<Record<string, readonly string[]>> = {
  pending: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
};

/** Any status can be loaded; only these steps can be saved. */
export function checkTransition(
  what: string,
  from: string | undefined,
  to: string | undefined,
  force: boolean | undefined,
): void {
  if (force || from === to || from === undefined || to === undefined) return;
  const allowed = Object.hasOwn(after, from) ? after[from] : undefined;
  if (allowed === undefined || allowed.includes(to)) return;
  const way = allowed.length === 0 ? "nothing" : allowed.join(" or ");
  throw new Problem(
    "sessions/bad-transition",
    `${what} is ${from}; after that comes ${way}, not ${to}. Use force to set it anyway.`,
    {
      about: { from, to },
    },
  );
}
