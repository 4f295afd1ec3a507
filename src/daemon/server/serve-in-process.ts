import { newToken, openLoopback } from "../../loopback/index.ts";
import { Problem } from "../../protocol/index.ts";
import { type AppInside, appKey } from "../../sdk/internal.ts";
import { drained } from "./drain-calls.ts";
import { appHere, type HereOptions } from "./in-process-app.ts";
import { routes } from "./routes.ts";

export interface ServeHereOptions extends HereOptions {
  readonly port: number;
  /** Undefined: one is made. */
  readonly token: string | undefined;
  readonly version: string;
  readonly signal: AbortSignal | undefined;
}

/** A server that answers until it is closed. */
export interface ServedApp {
  readonly port: number;
  /** Where events are posted. */
  readonly url: string;
  /** What every request must carry: `Authorization: Bearer TOKEN`. */
  readonly token: string;
  /** Takes no more calls, and resolves when those that have begun are answered; handlers that take too long are told so first. */
  close(): Promise<void>;
}

/**
 * Answers for an app that this process holds, on 127.0.0.1 alone and behind the daemon's gate and routes.
 * Contract: never without a token; one that can be guessed is a `Problem`.
 */
export async function serveHere(app: AppInside, options: ServeHereOptions): Promise<ServedApp> {
  const { port, version, file, signal } = options;
  const token = options.token ?? newToken();
  if (!/^[!-~]{16,512}$/.test(token)) {
    const message = "A token has 16 to 512 printable characters without blanks. Leave it out, and one is made.";
    throw new Problem("sdk/weak-token", message);
  }
  const ending = new AbortController();
  const here = appHere(app, options);
  const since = Date.now();
  const nothing = () => undefined;
  const key = file === undefined ? newToken().slice(0, 32) : appKey(file);
  const handle = routes({
    ...{ key, version, app: here, ending: ending.signal },
    // Clients find a daemon by its record, and there is none: whoever says it is one is turned away.
    ...{ file: "", secret: newToken(), leave: nothing, sawHost: nothing, canSee: () => false },
    complain: options.complain,
    health: () => ({ pid: process.pid, version, source: here.sourceHash, since, calls: here.open }),
  });
  const server = await openLoopback({ port, token, handle });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    server.stop();
    await drained(here, ending);
    server.end();
    await app.end?.();
  };
  const close = (): Promise<void> => {
    closing ??= end();
    return closing;
  };
  const told = (error: unknown) => options.complain(`A provider was not disposed: ${String(error)}`);
  if (signal?.aborted) await close();
  signal?.addEventListener("abort", () => void close().catch(told), { once: true });
  return { port: server.port, url: `http://127.0.0.1:${server.port}/v1/hook/${key}`, token, close };
}
