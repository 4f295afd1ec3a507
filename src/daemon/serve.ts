import { realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../files/index.ts";
import { type Loopback, newToken, openLoopback } from "../loopback/index.ts";
import { appKey } from "../sdk/index.ts";
import { seesEnvironments } from "./caller.ts";
import { drained } from "./drained.ts";
import { type Endpoint, endpointFor } from "./endpoint.ts";
import { type Env, openDaemonFolder } from "./folder.ts";
import { openHosts } from "./hosts.ts";
import { watchIdle } from "./idle.ts";
import { type DaemonRecord, ownStart, recordPath, writeRecord } from "./record.ts";
import { routes } from "./routes.ts";
import { openWarmApp } from "./warm-app.ts";

export interface ServeOptions {
  readonly hooksFile: string;
  readonly env: Env;
  readonly version: string;
  /** The module whose body is `answerCalls`. */
  readonly thread: URL;
  /** 30 minutes unless told. */
  readonly idleMs?: number;
  readonly keep?: (payload: string) => void;
  /** Work that goes on without calls, such as tasks. */
  readonly busy?: () => boolean;
  readonly complain: (line: string) => void;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Called once it answers. */
  readonly ready?: (record: DaemonRecord) => void;
}

/** One that leaves lets go of its lock at once, so this is only for one that is on its way up or just going. */
const lockWaitMs = 2_000;

/**
 * One daemon for one hooks file, until it is asked to leave, is idle, or meets a client of another version.
 * Contract: resolves when it has left, having finished the calls it had; `taken` when another one has the file.
 */
export async function serve(options: ServeOptions): Promise<"left" | "taken"> {
  const { env, version, complain } = options;
  const file = realpathSync(options.hooksFile);
  const folder = await openDaemonFolder(file, env);
  const lock = await takeLock(join(folder, "daemon"), { waitMs: lockWaitMs });
  if (!lock.held) return "taken";
  const secret = newToken();
  const hosts = openHosts();
  const since = Date.now();
  const leaving = new AbortController();
  const ending = new AbortController();
  const endpoint = await endpointFor(file, { env });
  let record: DaemonRecord | undefined;
  const app = await openWarmApp({
    file,
    cwd: process.cwd(),
    module: options.thread,
    complain,
    changed: (sourceHash) => {
      if (record === undefined || leaving.signal.aborted) return;
      record = { ...record, sourceHash };
      void writeRecord(record, env).catch((error: unknown) => complain(`The record is old: ${String(error)}`));
    },
  });
  const idle = watchIdle({
    idleMs: options.idleMs ?? 30 * 60_000,
    busy: () => app.open > 0 || hosts.anyAlive() || options.busy?.() === true,
    leave: () => leaving.abort(),
  });
  const answer = routes({
    key: appKey(file),
    file,
    version,
    secret,
    app,
    health: () => ({ pid: process.pid, version, source: app.sourceHash, since, calls: app.open }),
    leave: () => leaving.abort(),
    sawHost: hosts.saw,
    canSee: seesEnvironments(),
    ending: ending.signal,
    ...(options.keep === undefined ? {} : { keep: options.keep }),
  });
  const open = (port: number) =>
    openLoopback({
      port,
      ...socketIn(folder),
      token: endpoint.token,
      handle(request, reply) {
        idle.touch();
        answer.handle(request, reply);
      },
      handleWhole(request, socket) {
        idle.touch();
        return answer.handleWhole(request, socket);
      },
    });
  const server = await openAt(endpoint, open, complain);
  const socket = socketIn(folder).socket ?? "";
  const { token } = endpoint;
  const own = { pid: process.pid, start: ownStart(), node: process.execPath, version, since };
  record = { ...own, port: server.port, token, secret, sourceHash: app.sourceHash, socket, hooksFile: file };
  await writeRecord(record, env);
  options.ready?.(record);
  await either(options.signal, leaving.signal);
  leaving.abort();
  idle.end();
  // Gone for new callers first: whoever comes now starts another one.
  await rm(recordPath(file, env), { force: true });
  server.stop();
  await lock.release();
  await drained(app, ending);
  const ended = app.end();
  server.end();
  await ended;
  return "left";
}

/** A stranger on the port keeps http entries from us, but clients find us through the record. */
async function openAt(
  { port }: Endpoint,
  open: (port: number) => Promise<Loopback>,
  complain: (line: string) => void,
): Promise<Loopback> {
  try {
    return await open(port);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "loopback/port-taken")) throw error;
    complain(`${error.message} Entries of type http are not answered; hookline doctor --fix chooses another port.`);
    return open(0);
  }
}

/** A path longer than systems take for a socket means none; the port is always there. */
function socketIn(folder: string): { socket?: string } {
  const path = join(folder, "socket");
  return Buffer.byteLength(path) < 100 && process.platform !== "win32" ? { socket: path } : {};
}

function either(one: AbortSignal, other: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of [one, other]) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });
}
