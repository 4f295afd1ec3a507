import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, sendJson, sendText, turnAway } from "../loopback/index.ts";
import { appFailure, type FailureMode, readPayload, withoutAnswer } from "../sdk/index.ts";
import { type Caller, callerOf, leadsTo } from "./caller.ts";
import { Interest } from "./interest.ts";
import { answerOf, type ThreadAnswer } from "./message.ts";
import type { WarmApp } from "./warm-app.ts";

export interface RouteOptions {
  readonly key: string;
  readonly file: string;
  readonly version: string;
  readonly secret: string;
  readonly app: WarmApp;
  readonly health: () => Readonly<Record<string, unknown>>;
  /** Somebody with another version of the package is here: it is time to go. */
  readonly leave: () => void;
  readonly sawHost: (pid: number) => void;
  /** Whether the environment of this client can be looked up. */
  readonly canSee: (caller: Caller) => boolean;
  /** Aborted when calls that still run have had their time. */
  readonly ending: AbortSignal;
  /** Keeps a payload, when that was asked for. */
  readonly keep?: (payload: string) => void;
}

const limits = { maxBytes: 25 * 2 ** 20, withinMs: 10_000 };
/** A client that hears nothing for two seconds takes us for hung. */
const sayEveryMs = 1_000;

/** What the daemon answers, behind the gate. */
export function routes(options: RouteOptions): (request: IncomingMessage, reply: ServerResponse) => void {
  const open = new Set<Interest>();
  const leave = () => {
    for (const one of open) one.lose("the daemon leaves");
  };
  options.ending.addEventListener("abort", leave, { once: true });
  return (request, reply) => {
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    if (path === "/v1/health") {
      if (request.method !== "GET") return turnAway(reply, 405, "health is asked with GET", { Allow: "GET" });
      return sendJson(reply, 200, options.health());
    }
    if (path !== `/v1/hook/${options.key}`) return turnAway(reply, 404, "there is no such app here");
    if (request.method !== "POST") return turnAway(reply, 405, "events are sent with POST", { Allow: "POST" });
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
      return turnAway(reply, 415, "an event is application/json");
    }
    const caller = callerOf(request);
    if (caller !== undefined && !isWelcome(caller, reply, options)) return;
    void answer(request, reply, caller, caller?.onFailure ?? modeIn(query), open, options);
  };
}

function modeIn(query: string): FailureMode | undefined {
  const [, mode] = /(?:^|&)on-?[fF]ailure=(block|continue)(?:&|$)/.exec(query) ?? [];
  return mode as FailureMode | undefined;
}

/** The handshake. Whoever is turned away answers in process. */
function isWelcome(caller: Caller, reply: ServerResponse, { file, version, leave, sawHost }: RouteOptions): boolean {
  if (caller.protocol !== "1" || caller.version !== version) {
    turnAway(reply, 409, `this daemon is of version ${version} and leaves`, { "Hookline-Version": version });
    leave();
    return false;
  }
  if (!leadsTo(caller.hooksFile, file)) {
    turnAway(reply, 421, `this daemon answers for ${file}`);
    return false;
  }
  if (caller.hostPid > 0) sawHost(caller.hostPid);
  return true;
}

async function answer(
  request: IncomingMessage,
  reply: ServerResponse,
  caller: Caller | undefined,
  onFailure: FailureMode | undefined,
  open: Set<Interest>,
  options: RouteOptions,
): Promise<void> {
  const body = await readBody(request, limits);
  if ("gone" in body) return;
  const blocks = caller === undefined && onFailure === "block";
  if ("status" in body) return blocks ? sendBlock(reply, body.why) : turnAway(reply, body.status, body.why);
  const envBytes = Math.min(caller?.envBytes ?? 0, body.bytes.length);
  const text = body.bytes.toString("utf8", envBytes);
  const env = envBytes > 0 ? body.bytes.toString("utf8", 0, envBytes) : undefined;
  const envOf = env === undefined ? (caller?.pid ?? 0) : 0;
  if (caller !== undefined && envOf > 0 && !options.canSee(caller)) {
    return turnAway(reply, 428, "the environment of the client cannot be seen from here");
  }
  options.keep?.(text);
  const interest = new Interest();
  open.add(interest);
  reply.on("close", () => {
    open.delete(interest);
    if (!reply.writableFinished) interest.lose("the host went away");
  });
  const still = caller === undefined ? undefined : setInterval(() => reply.writeProcessing(), sayEveryMs);
  const transport = caller === undefined ? "http" : "client";
  const said = await options.app.call({ text, transport, onFailure, env, envOf, cwd: caller?.cwd }, interest);
  clearInterval(still);
  if (said === "busy") {
    const why = "all threads are held by handlers";
    return blocks ? sendBlock(reply, why, text) : turnAway(reply, 503, why);
  }
  if (caller === undefined) return sendHttp(reply, said, onFailure, options);
  // More of the payload may still be on its way to the client; `run` reads on where it stopped.
  if (said.unreadable) return turnAway(reply, 422, "the payload is not whole");
  sendToClient(reply, said, options);
}

function sendHttp(
  reply: ServerResponse,
  said: ThreadAnswer,
  onFailure: FailureMode | undefined,
  { version, app }: RouteOptions,
): void {
  const headers = { "Hookline-Version": version, "Hookline-Source": app.sourceHash };
  const unclear = said.unreadable === true && onFailure !== "block";
  if (unclear) sendJson(reply, 400, { error: said.stderr.trim() }, headers);
  else sendText(reply, 200, httpBody(said), { "Content-Type": "application/json", ...headers });
}

/** Hosts let an action pass when an http hook answers with an error: whoever asked for `block` is told no in the words of an answer. */
function sendBlock(reply: ServerResponse, why: string, text = ""): void {
  const payload = readPayload(text);
  const said = "value" in payload ? withoutAnswer(payload.value, "block", why) : appFailure(why, "block");
  sendText(reply, 200, httpBody(answerOf(said)), { "Content-Type": "application/json", Connection: "close" });
}

/** An http answer has no exit status: what only a status could say is said in the words that most events know. */
function httpBody({ exitCode, stdout, stderr, json }: ThreadAnswer): string {
  if (json) return stdout;
  if (exitCode !== 0) {
    const reason = stderr.trim() || "refused";
    return JSON.stringify({ decision: "block", reason, continue: false, stopReason: reason });
  }
  return stdout === "" ? "{}" : JSON.stringify({ systemMessage: stdout.trim() });
}

/**
 * The secret shows that it is us. Every field has a width of its own, so that a shell reads the whole head at once; the client knows its
 * length, for it has our version.
 */
function sendToClient(reply: ServerResponse, said: ThreadAnswer, { secret, version, app }: RouteOptions): void {
  if (reply.headersSent || reply.destroyed) return;
  const wide = (value: number, width: number) => String(value).padStart(width, "0");
  const out = Buffer.byteLength(said.stdout);
  const error = Buffer.byteLength(said.stderr);
  const source = app.sourceHash.padStart(64, "0");
  reply.writeHead(200, {
    Hookline: `${secret} ${wide(said.exitCode, 3)} ${wide(out, 8)} ${wide(error, 8)} ${source} ${version}`,
    "Content-Length": wide(out + error, 10),
    Connection: "close",
  });
  reply.end(said.stdout + said.stderr);
}
