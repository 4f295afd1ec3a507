import { resolve } from "node:path";
import { packageVersion } from "../../files/internal.ts";
import { newToken, openLoopback } from "../../loopback/internal.ts";
import { defined, lazy, Problem } from "../../protocol/internal.ts";
import {
  type AppRuntime,
  appendLog,
  appFailure,
  appKey,
  type LogRecord,
  readPayload,
  runEnvironment,
  type SettledEvent,
  sourceHash,
  withExitGuard,
} from "../../sdk/internal.ts";
import { type HookRequest, workerAnswer } from "../worker/messages.ts";
import { drainCalls } from "./lifetime.ts";
import { routes } from "./routes.ts";
import type { WarmApp } from "./warm-app.ts";

/** Options of `serveApp`. */
export interface ServeAppOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** What callers must send. Default: a new one. A server without a token is not possible. */
  readonly token?: string;
  /** The hooks file of the app. Needed to run tasks in another process, to log the code's hash, and to use the daemon's URL. */
  readonly file?: string;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The directory of a payload without `cwd`. Default: that of the process. */
  readonly cwd?: string;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal;
  /** Receives messages about trouble, line by line. Default: standard error. */
  readonly complain?: (line: string) => void;
}

/** A server that answers until it is closed. */
export interface ServedApp {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Where events are posted. */
  readonly url: string;
  /** What every request must carry: `Authorization: Bearer TOKEN`. */
  readonly token: string;
  /** Takes no more calls, and resolves when those that have begun are answered. Handlers that take too long are aborted first. */
  close(): Promise<void>;
}

/**
 * Answers for an app that this process holds, on 127.0.0.1 alone and behind the daemon's gate and routes.
 * Contract: never without a token; one that can be guessed is a `Problem`.
 */
export async function serveInProcess(app: AppRuntime, options: ServeAppOptions): Promise<ServedApp> {
  const { port = 0, token = newToken(), env = process.env, cwd = process.cwd(), signal } = options;
  const complain = options.complain ?? ((line: string) => void process.stderr.write(`hookline: ${line}\n`));
  const file = options.file === undefined ? undefined : resolve(options.file);
  if (!/^[!-~]{16,512}$/.test(token)) {
    const message = "The token must have 16 to 512 printable characters without spaces. Omit it to generate one.";
    throw new Problem("sdk/weak-token", message);
  }
  const ending = new AbortController();
  const here = inProcessApp(app, { env, cwd, complain, file });
  const version = packageVersion();
  const since = Date.now();
  const nothing = () => undefined;
  const key = file === undefined ? newToken().slice(0, 32) : appKey(file);
  const handle = routes({
    ...{ key, version, app: here, ending: ending.signal },
    // Clients find a daemon by its record, and this server has none: a request that claims to come from a client is rejected.
    ...{ file: "", secret: newToken(), leave: nothing, noteAgent: nothing, canReadEnvironment: () => false },
    complain,
    health: () => ({ pid: process.pid, version, source: here.sourceHash, since, calls: here.open }),
  });
  const server = await openLoopback({ port, token, handle });
  const close = lazy(async (): Promise<void> => {
    server.stop();
    await drainCalls(here, ending);
    server.end();
    await app.end();
  });
  const notDisposed = (error: unknown) => complain(`A provider was not disposed: ${String(error)}`);
  if (signal?.aborted) await close();
  signal?.addEventListener("abort", () => void close().catch(notDisposed), { once: true });
  return { port: server.port, url: `http://127.0.0.1:${server.port}/v1/hook/${key}`, token, close };
}

/** An app that a program holds, as the routes ask for one. Nothing ends a handler that holds the thread. */
function inProcessApp(app: AppRuntime, world: Parameters<typeof runEnvironment>[1]): WarmApp {
  let open = 0;
  const { env, complain, file } = world;
  const source = file === undefined ? undefined : sourceHash(file, env);
  const about = ({ transport }: HookRequest) => ({ transport, ...defined({ source }) });
  /** What is left once the answer is out. */
  const finish = async ({ dispose }: SettledEvent, records: readonly LogRecord[], asked: HookRequest) => {
    for (const record of records) appendLog({ ...record, ...about(asked) }, env, complain, app.options.log);
    await dispose().catch((error: unknown) => complain(`A provider was not disposed: ${String(error)}`));
    open--;
  };
  return {
    sourceHash: source ?? "",
    get open() {
      return open;
    },
    end: async () => undefined,
    async call(asked, signal) {
      const payload = readPayload(asked.text);
      if ("fault" in payload) {
        const why = `The event cannot be read: ${payload.fault}.`;
        const failed = workerAnswer(appFailure(why, app.modeFor(undefined, asked.onFailure)));
        return { ...failed, unreadable: true };
      }
      const records: LogRecord[] = [];
      open++;
      const { onFailure } = asked;
      const environment = runEnvironment(app, { ...world, onFailure, signal }, records);
      const settled = await withExitGuard(() => app.dispatch(payload.value, environment));
      setImmediate(() => void finish(settled, records, asked));
      return workerAnswer(settled);
    },
  };
}
