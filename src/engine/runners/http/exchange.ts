import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type LookupFunction, type Socket } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type CapturedOutput, capture } from "../../../exec/internal.ts";
import { packageVersion, proofHeaders } from "../../../files/internal.ts";
import { messageOf } from "../../../protocol/internal.ts";
import { maxOutputBytes } from "../runner-result.ts";
import type { Address } from "./destination.ts";
import type { HeaderList } from "./headers.ts";

interface Exchange {
  readonly url: URL;
  /** The addresses that were checked; no other is connected to. */
  readonly addresses: readonly Address[];
  readonly headers: HeaderList;
  readonly body: string;
  /** Set when only the daemon of an app may receive the request and answer it. */
  readonly daemon: OwnDaemon | undefined;
}

/** How to call an http entry that `hookline install` wrote: only that app's daemon receives the request and may answer it. */
export interface OwnDaemon {
  /** Asks for the proof. */
  readonly header: readonly [name: string, value: string];
  /** Called after connecting. Undefined when the listening process is the daemon; otherwise the reason why nothing is sent. */
  refuses(): Promise<string | undefined>;
  proves(status: number, body: string, proof: unknown): boolean;
}

export type Exchanged =
  | { readonly status: number; readonly body: ResponseBody }
  /** No status came back; `sent` is false when the other side has seen nothing of the request. */
  | { readonly broken: string; readonly sent: boolean };

const mostHeaderBytes = 64 * 1024;

/**
 * One POST over one connection of its own, without proxies and redirects.
 * Contract: never rejects for what the other side does; nothing stays open once it has resolved or `signal` was aborted.
 */
export async function exchange(ask: Exchange, signal: AbortSignal): Promise<Exchanged> {
  const { daemon } = ask;
  if (daemon === undefined) return exchangeOver(undefined, ask, signal);
  let socket: Socket | undefined;
  try {
    socket = await openSocket(ask, signal);
    // Checked after connecting: the record describes the process that listens now, or it no longer exists.
    const refused = await daemon.refuses();
    return refused === undefined ? await exchangeOver(socket, ask, signal) : { broken: refused, sent: false };
  } catch (error) {
    return { broken: errorText(error), sent: false };
  } finally {
    socket?.destroy();
  }
}

function openSocket({ url, addresses: [first] }: Exchange, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: first?.address ?? "", port: Number(url.port), signal });
    socket.once("connect", () => resolve(socket));
    // Stays for the connection's life, as that of a request does.
    socket.on("error", reject);
  });
}

async function exchangeOver(socket: Socket | undefined, ask: Exchange, signal: AbortSignal): Promise<Exchanged> {
  const { url, daemon } = ask;
  const secure = url.protocol === "https:";
  const options: RequestOptions = {
    method: "POST",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || (secure ? 443 : 80),
    path: url.pathname + url.search,
    // Connections are not shared: a kept one would outlive the check of its address.
    ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
    lookup: only(ask.addresses),
    maxHeaderSize: mostHeaderBytes,
    signal,
  };
  const request = secure ? httpsRequest(options) : httpRequest(options);
  const body = Buffer.from(ask.body);
  request.setHeader("accept", "application/json");
  for (const [name, value] of ask.headers) request.setHeader(name, value);
  request.setHeader("host", url.host);
  request.setHeader("content-type", "application/json");
  request.setHeader("content-length", body.length);
  request.setHeader("accept-encoding", acceptEncoding);
  request.setHeader("user-agent", `Hookline/${packageVersion()}`);
  let sent = socket !== undefined;
  request.once("socket", (socket) => {
    socket.once(secure ? "secureConnect" : "connect", () => {
      sent = true;
    });
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", resolve);
      // Stays for the request's life: an error after the answer is ignored.
      request.on("error", reject);
      request.once("close", () => reject(new Error("the connection was closed without an answer")));
      request.once("upgrade", (_, socket) => {
        socket.destroy();
        reject(new Error("the server switched to another protocol"));
      });
      request.end(body);
    });
    const [status, answered] = [response.statusCode ?? 0, await readResponseBody(response)];
    if (daemon !== undefined && !daemon.proves(status, answered.text, response.headers[proofHeaders.proof]))
      return { broken: "answered without proof that it is the daemon", sent };
    return { status, body: answered };
  } catch (error) {
    return { broken: errorText(error), sent };
  } finally {
    request.destroy();
  }
}

/** A DNS lookup that returns the checked addresses for any host. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, [...addresses]);
    const [first] = addresses;
    if (first === undefined) return callback(new Error("no address"), "");
    return callback(null, first.address, first.family);
  };
}

function errorText(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  if (error instanceof Error && "code" in error && error.code === "HPE_HEADER_OVERFLOW") {
    return "answered with more than 64 KiB of headers";
  }
  return messageOf(error);
}

/** `droppedBytes` came beyond the cap before the sender was stopped; `trouble`: why the body is incomplete. */
interface ResponseBody extends CapturedOutput {
  readonly trouble: string | undefined;
}

/** Contract: never rejects; keeps the first 1 MiB and then stops reading. */
async function readResponseBody(response: IncomingMessage): Promise<ResponseBody> {
  const coding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const source = decoded(response, coding);
  if (source === undefined)
    return { text: "", droppedBytes: 0, trouble: `answered in the coding "${coding.slice(0, 40)}"` };
  const kept = capture(maxOutputBytes);
  let trouble: string | undefined;
  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      kept.add(piece);
      if (kept.droppedBytes === 0) continue;
      trouble = "answered with more than 1 MiB";
      break;
    }
  } catch (error) {
    trouble = `broke off its answer (${messageOf(error)})`;
  }
  return { ...kept.output(), trouble };
}

/** The codings we ask for. `deflate` is read but not asked for: half of the servers send it without its wrapper. */
const acceptEncoding = "gzip, br";

/**
 * The body with its content-encoding undone; undefined for an unknown coding. Nothing is decoded ahead of its reader.
 * Several codings in a row are refused: only decompression bombs use them.
 */
function decoded(body: Readable, coding: string): Readable | undefined {
  if (coding === "" || coding === "identity") return body;
  const decoder = decoderFor(coding);
  // An error on either side ends both; the reader of the decoder sees it.
  return decoder && pipeline(body, decoder, () => undefined);
}

function decoderFor(name: string): Transform | undefined {
  if (name === "gzip" || name === "x-gzip") return createGunzip();
  if (name === "deflate") return createInflate();
  return name === "br" ? createBrotliDecompress() : undefined;
}
