import type { IncomingMessage, ServerResponse } from "node:http";
import { answerProof, proofHeaders } from "../../files/internal.ts";
import { letSend, readBody, sendJson, sendText, turnAway } from "../../loopback/internal.ts";
import type { FailureMode } from "../../sdk/internal.ts";
import { failedAnswer, type WorkerAnswer } from "../worker/messages.ts";
import {
  answerClient,
  type CallApp,
  type Caller,
  type ClientOptions,
  callerOf,
  checkHandshake,
} from "./client-call.ts";

export interface RouteOptions extends ClientOptions {
  readonly key: string;
  readonly health: () => Readonly<Record<string, unknown>>;
  /** Aborted when calls that still run have had their time. */
  readonly ending: AbortSignal;
  readonly complain: (line: string) => void;
}

const limits = { maxBytes: 25 * 2 ** 20, withinMs: 10_000 };

/** What the daemon answers, behind the gate. */
export function routes(options: RouteOptions): (request: IncomingMessage, reply: ServerResponse) => void {
  const open = new Set<AbortController>();
  const endCalls = () => {
    for (const one of open) one.abort(new Error("the daemon is exiting"));
  };
  options.ending.addEventListener("abort", endCalls, { once: true });
  const call: CallApp = (asked, reply) => {
    options.keep?.(asked.text);
    const gone = new AbortController();
    open.add(gone);
    reply.on("close", () => {
      open.delete(gone);
      if (!reply.writableFinished) gone.abort(new Error("the host went away"));
    });
    return options.app.call(asked, gone.signal);
  };
  const hook = `/v1/hook/${options.key}`;

  async function answer(reply: ServerResponse, caller?: Caller, onFailure?: FailureMode): Promise<void> {
    const body = await readBody(reply.req, limits);
    if ("gone" in body) return;
    if ("status" in body) {
      letSend(reply.req);
      return sendFailure(reply, body.status, body.why, caller === undefined ? onFailure : undefined);
    }
    if (caller !== undefined) return answerClient(caller, body.bytes, onFailure, reply, call, options);
    const text = body.bytes.toString("utf8");
    const asked = { text, transport: "http", onFailure, env: undefined, envOf: 0, cwd: undefined } as const;
    const given = await call(asked, reply);
    if ("busy" in given) return sendFailure(reply, 503, given.busy, given.mode, text);
    const headers = { "Hookline-Version": options.version, "Hookline-Source": options.app.sourceHash };
    const isUnclear = given.unreadable === true && onFailure !== "block";
    if (isUnclear) sendJson(reply, 400, { error: given.stderr.trim() }, headers);
    else sendWithProof(reply, httpBody(given), headers);
  }

  /** With a proof the caller can tell our answer from that of another process on the port. */
  function sendWithProof(reply: ServerResponse, text: string, headers: Readonly<Record<string, string>> = {}): void {
    const challenge = reply.req.headers[proofHeaders.challenge];
    const isAsked = typeof challenge === "string" && /^[0-9a-f]{32,128}$/.test(challenge);
    const proof = isAsked ? { "Hookline-Proof": answerProof(options.secret, challenge, 200, text) } : {};
    sendText(reply, 200, text, { "Content-Type": "application/json", ...headers, ...proof });
  }

  /** Hosts let an action pass when an http hook answers with an error status, so under `block` the refusal is sent as an answer. */
  function sendFailure(reply: ServerResponse, status: number, why: string, mode?: FailureMode, text = ""): void {
    if (mode !== "block") sendJson(reply, status, { error: why });
    else sendWithProof(reply, httpBody(failedAnswer({ text, transport: "http" }, "block", why)));
  }

  return (request, reply) => {
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    if (path === "/v1/health") {
      if (request.method !== "GET") return turnAway(reply, 405, "health is asked with GET", { Allow: "GET" });
      return sendJson(reply, 200, options.health());
    }
    if (path !== hook) return turnAway(reply, 404, "there is no such app here");
    if (request.method !== "POST") return turnAway(reply, 405, "events are sent with POST", { Allow: "POST" });
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? ""))
      return turnAway(reply, 415, "an event is application/json");
    const caller = callerOf(request);
    if (caller !== undefined && !checkHandshake(caller, reply, options)) return;
    const onFailure = caller?.onFailure ?? modeIn(query);
    answer(reply, caller, onFailure).catch((error: unknown) => {
      options.complain(`A call was not answered: ${String(error)}`);
      sendFailure(reply, 500, "the daemon failed", caller === undefined ? onFailure : undefined);
    });
  };
}

function modeIn(query: string): FailureMode | undefined {
  const [, mode] = /(?:^|&)on-?[fF]ailure=(block|continue)(?:&|$)/.exec(query) ?? [];
  return mode as FailureMode | undefined;
}

/** An http answer has no exit status, so a refusal by exit status becomes fields that most events know. */
function httpBody({ exitCode, stdout, stderr, json }: WorkerAnswer): string {
  if (json) return stdout;
  if (exitCode !== 0) {
    const reason = stderr.trim() || "refused";
    return JSON.stringify({ decision: "block", reason, continue: false, stopReason: reason });
  }
  return stdout === "" ? "{}" : JSON.stringify({ systemMessage: stdout.trim() });
}
