import { realpathSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { turnAway } from "../../loopback/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import type { FailureMode } from "../../sdk/internal.ts";
import type { WarmAnswer } from "../worker/app-version.ts";
import { environmentOf } from "../worker/call-environment.ts";
import { cutNote, failedAnswer, type HookRequest, type WorkerAnswer } from "../worker/messages.ts";
import type { WarmApp } from "./warm-app.ts";

export interface ClientOptions {
  readonly file: string;
  readonly version: string;
  readonly secret: string;
  readonly app: WarmApp;
  /** Called when a client has another version of the package. */
  readonly leave: () => void;
  readonly noteAgent: (pid: number) => void;
  /** Whether the environment of this client can be looked up. */
  readonly canReadEnvironment: (caller: Caller) => boolean;
  /** Keeps a payload, when that was asked for. */
  readonly keep?: (payload: string) => void;
}

/** A client that gets nothing for two seconds treats the daemon as hung. */
const signOfLifeEveryMs = 1_000;

/** The handshake. A client that is rejected answers in process. */
export function checkHandshake(
  caller: Caller,
  reply: ServerResponse,
  { file, version, leave, noteAgent }: ClientOptions,
): boolean {
  if (caller.protocol !== "1" || caller.version !== version) {
    turnAway(reply, 409, `this daemon has version ${version} and is exiting`, { "Hookline-Version": version });
    leave();
    return false;
  }
  if (!isSameFile(caller.hooksFile, file)) {
    turnAway(reply, 421, `this daemon answers for ${file}`);
    return false;
  }
  if (caller.hostPid > 0) noteAgent(caller.hostPid);
  return true;
}

/** Calls the app, and aborts the call when the caller of the reply goes away. */
export type CallApp = (asked: HookRequest, reply: ServerResponse) => Promise<WarmAnswer>;

export async function answerClient(
  caller: Caller,
  bytes: Buffer,
  onFailure: FailureMode | undefined,
  reply: ServerResponse,
  call: CallApp,
  options: ClientOptions,
): Promise<void> {
  const envBytes = Math.min(caller.envBytes, bytes.length);
  const text = bytes.toString("utf8", envBytes);
  const env = envBytes > 0 ? bytes.toString("utf8", 0, envBytes) : undefined;
  const envOf = env === undefined ? caller.pid : 0;
  if (envOf > 0 && !options.canReadEnvironment(caller)) {
    return turnAway(reply, 428, "the environment of the client cannot be read");
  }
  const signOfLife = setInterval(() => reply.writeProcessing(), signOfLifeEveryMs);
  const asked = { text, transport: "client", onFailure, env, envOf, cwd: caller.cwd } as const;
  const answer = await call(asked, reply).finally(() => clearInterval(signOfLife));
  if ("busy" in answer) return turnAway(reply, 503, answer.busy);
  // More of the payload may still be on its way to the client; `run` reads on where it stopped.
  if (answer.unreadable) return turnAway(reply, 422, "the payload is incomplete");
  send(reply, fitted(answer, asked), options);
}

/** The answer in a form whose lengths fit the head. An answer that is too large is a failure; what was printed is cut. */
export function fitted(answer: WorkerAnswer, asked: HookRequest): WorkerAnswer {
  const { stdout, stderr } = answer;
  if (Buffer.byteLength(stdout) > mostBytes) {
    return failedAnswer(asked, asked.onFailure ?? "continue", `The answer is larger than ${mostBytes} bytes.`);
  }
  if (Buffer.byteLength(stderr) <= mostBytes) return answer;
  return { ...answer, stderr: cutText(stderr, mostBytes - cutNote.length) + cutNote };
}

const lengthDigits = 8;
const mostBytes = 10 ** lengthDigits - 1;

/** At most this many bytes of a text, without a part of a character at the end. */
function cutText(text: string, sizeBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, sizeBytes), { stream: true });
}

/**
 * The secret shows that it is us. Every field has a width of its own, so that a shell reads the whole head at once; the client knows its
 * length, for it has our version.
 */
function send(reply: ServerResponse, answer: WorkerAnswer, { secret, version, app }: ClientOptions): void {
  const wide = (value: number, width: number) => String(value).padStart(width, "0");
  const out = Buffer.byteLength(answer.stdout);
  const error = Buffer.byteLength(answer.stderr);
  const source = app.sourceHash.padStart(64, "0");
  const headers = {
    Hookline: `${secret} ${wide(answer.exitCode, 3)} ${wide(out, lengthDigits)} ${wide(error, lengthDigits)} ${source} ${version}`,
    "Content-Length": wide(out + error, 10),
    Connection: "close",
  };
  if (reply.headersSent || reply.destroyed) return;
  reply.writeHead(200, headers);
  reply.end(answer.stdout + answer.stderr);
}

/** The headers of a client; see the client page of the docs. */
export interface Caller {
  readonly protocol: string;
  readonly version: string;
  readonly hooksFile: string;
  readonly hostPid: number;
  readonly cwd: string | undefined;
  /** How many bytes of the body come before the payload: the environment, each entry ended by NUL. */
  readonly envBytes: number;
  /** The client's own number, where its environment can be read from the system. */
  readonly pid: number;
  readonly onFailure: FailureMode | undefined;
}

/** Undefined when the request is a host's own, not a client's. */
export function callerOf({ headers }: Pick<IncomingMessage, "headers">): Caller | undefined {
  const given = headers["hookline-client"];
  if (typeof given !== "string") return undefined;
  const [protocol = "", version = "", hostPid, pid, envBytes, mode] = given.split(" ");
  return {
    protocol,
    version,
    hostPid: number(hostPid),
    pid: number(pid),
    envBytes: number(envBytes),
    onFailure: mode === "block" || mode === "continue" ? mode : undefined,
    hooksFile: text(headers["hookline-file"]) ?? "",
    cwd: text(headers["hookline-cwd"]),
  };
}

const mostSeen = 1_000;

/** Clients of one host are all where the first one is: what could be seen once is not looked at again before a handler asks. */
export function environmentReader(): (caller: Caller) => boolean {
  const seen = new Set<number>();
  return ({ pid, hostPid }) => {
    if (seen.has(hostPid)) return true;
    if (environmentOf(pid) === undefined) return false;
    if (seen.size >= mostSeen) seen.clear();
    if (hostPid > 0) seen.add(hostPid);
    return true;
  };
}

/** Whether a path leads to this very file; a link may point elsewhere since the daemon was started. */
function isSameFile(path: string, file: string): boolean {
  // A file that was removed: running it in process reports that.
  return path === file || attempt(() => realpathSync(path)) === file;
}

/** Header values come as single bytes; paths are UTF-8. */
function text(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? Buffer.from(value, "latin1").toString("utf8") : undefined;
}

function number(value: string | undefined): number {
  const read = Number(value ?? 0);
  return Number.isSafeInteger(read) && read > 0 ? read : 0;
}
