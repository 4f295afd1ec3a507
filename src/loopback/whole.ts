/** A request that came in one piece, and plain enough to be read without a reader of HTTP. */
export interface WholeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: string[];
  readonly body: Buffer;
}

/**
 * Reading a request as HTTP wants it costs more than answering most of them. One that a program of ours writes at once needs little of
 * that. Contract: undefined for whatever is not exactly one such request; the reader of HTTP then has it, and refuses what is wrong.
 */
export function wholeRequest(piece: Buffer): WholeRequest | undefined {
  const end = piece.indexOf("\r\n\r\n");
  if (end < 0 || end > longestHead) return undefined;
  const [first = "", ...lines] = piece.toString("latin1", 0, end).split("\r\n");
  const [, method = "", url = ""] = /^([A-Z]+) (\/[!-~]*) HTTP\/1\.1$/.exec(first) ?? [];
  const headers: Record<string, string> = Object.create(null);
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Za-z-]+): ([ -~\x80-\xff]*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === "" || key in headers || needsReader.has(key)) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
  }
  const body = piece.subarray(end + 4);
  if (method === "" || headers["content-length"] !== String(body.length)) return undefined;
  return { method, url, headers, rawHeaders, body };
}

const longestHead = 16 * 1024;

/** What changes how a request is read or its connection used. */
const needsReader: ReadonlySet<string> = new Set([
  "transfer-encoding",
  "connection",
  "expect",
  "upgrade",
  "trailer",
  "te",
]);
