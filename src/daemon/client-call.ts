import type { FailureMode } from "../sdk/index.ts";
import { type Caller, leadsTo } from "./caller.ts";
import { Interest } from "./interest.ts";
import type { ThreadAnswer } from "./message.ts";
import type { WarmApp } from "./warm-app.ts";

/** The way back to a client, whatever carries it. */
export interface ClientWire {
  turnAway(status: number, why: string, headers?: Readonly<Record<string, string>>): void;
  /** A sign of life: a client that hears nothing for two seconds takes us for hung. */
  still(): void;
  send(headers: Readonly<Record<string, string>>, body: string): void;
  /** Told when the client has gone, or has its answer. */
  onClose(tell: (answered: boolean) => void): void;
}

export interface ClientOptions {
  readonly file: string;
  readonly version: string;
  readonly secret: string;
  readonly app: WarmApp;
  /** Somebody with another version of the package is here: it is time to go. */
  readonly leave: () => void;
  readonly sawHost: (pid: number) => void;
  /** Whether the environment of this client can be looked up. */
  readonly canSee: (caller: Caller) => boolean;
  /** Keeps a payload, when that was asked for. */
  readonly keep?: (payload: string) => void;
}

const sayEveryMs = 1_000;

/** The handshake. Whoever is turned away answers in process. */
export function isWelcome(caller: Caller, wire: ClientWire, { file, version, leave, sawHost }: ClientOptions): boolean {
  if (caller.protocol !== "1" || caller.version !== version) {
    wire.turnAway(409, `this daemon is of version ${version} and leaves`, { "Hookline-Version": version });
    leave();
    return false;
  }
  if (!leadsTo(caller.hooksFile, file)) {
    wire.turnAway(421, `this daemon answers for ${file}`);
    return false;
  }
  if (caller.hostPid > 0) sawHost(caller.hostPid);
  return true;
}

export async function answerClient(
  caller: Caller,
  bytes: Buffer,
  onFailure: FailureMode | undefined,
  wire: ClientWire,
  open: Set<Interest>,
  options: ClientOptions,
): Promise<void> {
  const envBytes = Math.min(caller.envBytes, bytes.length);
  const text = bytes.toString("utf8", envBytes);
  const env = envBytes > 0 ? bytes.toString("utf8", 0, envBytes) : undefined;
  const envOf = env === undefined ? caller.pid : 0;
  if (envOf > 0 && !options.canSee(caller)) {
    return wire.turnAway(428, "the environment of the client cannot be seen from here");
  }
  options.keep?.(text);
  const interest = new Interest();
  open.add(interest);
  wire.onClose((answered) => {
    open.delete(interest);
    if (!answered) interest.lose("the host went away");
  });
  const still = setInterval(() => wire.still(), sayEveryMs);
  const asked = { text, transport: "client", onFailure, env, envOf, cwd: caller.cwd } as const;
  const said = await options.app.call(asked, interest).finally(() => clearInterval(still));
  if ("busy" in said) return wire.turnAway(503, said.busy);
  // More of the payload may still be on its way to the client; `run` reads on where it stopped.
  if (said.unreadable) return wire.turnAway(422, "the payload is not whole");
  send(wire, said, options);
}

/**
 * The secret shows that it is us. Every field has a width of its own, so that a shell reads the whole head at once; the client knows its
 * length, for it has our version.
 */
function send(wire: ClientWire, said: ThreadAnswer, { secret, version, app }: ClientOptions): void {
  const wide = (value: number, width: number) => String(value).padStart(width, "0");
  const out = Buffer.byteLength(said.stdout);
  const error = Buffer.byteLength(said.stderr);
  const source = app.sourceHash.padStart(64, "0");
  const headers = {
    Hookline: `${secret} ${wide(said.exitCode, 3)} ${wide(out, 8)} ${wide(error, 8)} ${source} ${version}`,
    "Content-Length": wide(out + error, 10),
    Connection: "close",
  };
  wire.send(headers, said.stdout + said.stderr);
}
