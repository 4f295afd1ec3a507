import { once } from "node:events";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type DaemonRecord, errorCode, takeLock } from "../../files/internal.ts";
import { type Loopback, newToken, openLoopback } from "../../loopback/internal.ts";
import { defined, messageOf } from "../../protocol/internal.ts";
import { appendLog, appKey } from "../../sdk/internal.ts";
import { endpointFor } from "../endpoint.ts";
import { type Env, type OwnRecord, openDaemonFolder, openOwnRecord, ownStart, readDaemon } from "../record-file.ts";
import { environmentReader } from "./client-call.ts";
import { drainCalls, openKnownAgents, watchFileThreads, watchIdle } from "./lifetime.ts";
import { routes } from "./routes.ts";
import { openWarmApp } from "./warm-app.ts";

export interface ServeOptions {
  readonly hooksFile: string;
  readonly env: Env;
  readonly version: string;
  /** The module that calls `runWorker`. */
  readonly thread: URL;
  /** Default: 30 minutes. */
  readonly idleMs?: number;
  readonly keep?: (payload: string) => void;
  /** Whether work continues without calls, such as tasks. Asked before an idle daemon leaves. */
  readonly busy?: () => Promise<boolean>;
  readonly complain: (line: string) => void;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Called once it answers. */
  readonly ready?: (record: DaemonRecord) => void;
}

/** A daemon that leaves releases its lock at once, so this wait is only for one that starts or is about to leave. */
const lockWaitMs = 2_000;
/** For a daemon of another version, which leaves, on a busy machine. */
const otherVersionWaitMs = 20_000;
/** How often it checks that clients can still find it. */
const lookEveryMs = 30_000;

/**
 * One daemon for one hooks file, until it is asked to leave, is idle, or meets a client of another version.
 * Contract: resolves when it has left, having finished the calls it had; `taken` when another one has the file.
 */
export async function serve(options: ServeOptions): Promise<"left" | "taken"> {
  const file = realpathSync(options.hooksFile);
  const folder = await openDaemonFolder(file, options.env);
  const take = (waitMs: number) => takeLock(join(folder, "daemon"), { waitMs });
  let lock = await take(lockWaitMs);
  if (!lock.held && (await readDaemon(file, options.env))?.version !== options.version)
    lock = await take(otherVersionWaitMs);
  if (!lock.held) return "taken";
  try {
    await serveAlone(file, folder, lock.release, options);
    return "left";
  } finally {
    await lock.release();
  }
}

/** Contract: whatever happens, nothing is left that would keep the process alive. */
async function serveAlone(
  file: string,
  folder: string,
  release: () => Promise<void>,
  options: ServeOptions,
): Promise<void> {
  const { env, version, complain } = options;
  const secret = newToken();
  const agents = openKnownAgents();
  const since = Date.now();
  const leaving = new AbortController();
  const ending = new AbortController();
  const endpoint = await endpointFor(file, { env });
  let record: OwnRecord | undefined;
  const app = await openWarmApp({
    file,
    cwd: process.cwd(),
    module: options.thread,
    complain,
    changed: (sourceHash) => record?.updateSource(sourceHash),
    failed({ event, session, why, log }, { transport }) {
      complain(why);
      const noted = { time: new Date().toISOString(), event, failed: why, transport, source: app.sourceHash };
      if (log !== false) appendLog({ ...(session ? { session: String(session) } : {}), ...noted }, env, complain, log);
    },
  });
  const leave = () => leaving.abort();
  const busy = async () => app.open > 0 || agents.anyAlive() || (await options.busy?.()) === true;
  const unwatch = watchFileThreads(() => app.open > 0);
  const idle = watchIdle(options.idleMs ?? 30 * 60_000, busy, leave, complain);
  const answer = routes({
    ...{ key: appKey(file), file, version, secret, app, leave, complain, ending: ending.signal },
    health: () => ({ pid: process.pid, version, source: app.sourceHash, since, calls: app.open }),
    noteAgent: agents.noteAgent,
    canReadEnvironment: environmentReader(),
    ...defined({ keep: options.keep }),
  });
  const handle: typeof answer = (request, reply) => {
    idle.touch();
    answer(request, reply);
  };
  const socket = socketIn(folder);
  const { token } = endpoint;
  const open = (port: number) => openLoopback({ port, ...defined({ socket }), token, handle });
  let server: Loopback | undefined;
  let looking: NodeJS.Timeout | undefined;
  try {
    // When another program has the port, http entries are not answered, but clients still find the daemon through the record.
    server = await open(endpoint.port).catch((error: unknown) => {
      if (errorCode(error) !== "loopback/port-taken") throw error;
      complain(
        `${messageOf(error)} Entries of type http are not answered; hookline doctor --fix chooses another port.`,
      );
      return open(0);
    });
    const own = { pid: process.pid, start: ownStart(), node: process.execPath, version, since, hooksFile: file };
    const here = { port: server.port, token, secret, socket: socket ?? "", sourceHash: app.sourceHash };
    record = await openOwnRecord({ ...own, ...here }, env, complain);
    options.ready?.({ ...own, ...here });
    looking = setInterval(() => void leaveUnlessFound(record, leave), lookEveryMs).unref();
    const ended = AbortSignal.any([options.signal, leaving.signal]);
    if (!ended.aborted) await once(ended, "abort");
    // First remove the record: a client that comes now starts another daemon.
    await record.remove();
    server.stop();
    await release();
    await drainCalls(app, ending);
  } finally {
    clearInterval(looking);
    idle.end();
    unwatch();
    await app.end();
    // Calls without an answer are settled in this turn of the event loop.
    await new Promise((done) => setImmediate(done));
    server?.stop();
    server?.end();
  }
}

/** A daemon that clients no longer find would keep port and lock from one that they find. */
async function leaveUnlessFound(record: OwnRecord | undefined, leave: () => void): Promise<void> {
  if ((await record?.isPublished()) === false) leave();
}

/** Undefined for a path that is too long for a socket; the port always works. */
function socketIn(folder: string): string | undefined {
  const path = join(folder, "socket");
  return Buffer.byteLength(path) < 100 && process.platform !== "win32" ? path : undefined;
}
