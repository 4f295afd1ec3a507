import type { IncomingMessage } from "node:http";

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body, not from piece to piece. */
  readonly withinMs: number;
}

export type Body =
  | { readonly bytes: Buffer }
  | { readonly status: 408 | 413; readonly why: string }
  | { readonly gone: true };

/** Contract: settles within the limits; nothing larger than the limit is ever held. */
export function readBody(request: IncomingMessage, { maxBytes, withinMs }: BodyLimits): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve(tooLarge(maxBytes));
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    let ended = false;
    const timer = setTimeout(() => end({ status: 408, why: `the body took longer than ${withinMs} ms` }), withinMs);
    const end = (body: Body) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      resolve(body);
    };
    request.on("data", (part: Buffer) => {
      if (ended) return;
      length += part.length;
      if (length > maxBytes) end(tooLarge(maxBytes));
      else parts.push(part);
    });
    request.on("end", () => end({ bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts) }));
    request.on("error", () => end({ gone: true }));
    request.on("close", () => end({ gone: true }));
  });
}

function tooLarge(maxBytes: number): Body {
  return { status: 413, why: `the body is larger than ${maxBytes} bytes` };
}
