import { JsonEnd } from "./json-end.ts";

const maxBytes = 25 * 2 ** 20;

/**
 * Reads a stream until one JSON object is complete and then leaves it: some hosts keep it open.
 * Contract: settles within `silenceMs` of silence.
 */
export async function readStream(
  input: AsyncIterable<Uint8Array | string>,
  silenceMs: number,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  const chunks: Buffer[] = [];
  const end = new JsonEnd();
  let bytes = 0;
  const stream = input[Symbol.asyncIterator]();
  for (;;) {
    const next = await within(silenceMs, stream.next());
    if (next === "silence") {
      leave(input);
      return { fault: `no complete payload came within ${silenceMs / 1000} s` };
    }
    if (next.done) break;
    const chunk = Buffer.from(next.value as Uint8Array);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes || end.feed(chunk)) {
      leave(input);
      break;
    }
  }
  if (bytes > maxBytes) return { fault: `the payload is larger than ${maxBytes / 2 ** 20} MiB` };
  return { text: Buffer.concat(chunks).toString("utf8", 0, end.length) };
}

function within<Value>(ms: number, work: Promise<Value>): Promise<Value | "silence"> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((done) => {
    timer = setTimeout(() => done("silence"), ms);
  });
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}

/** An open stream would keep the process from ending. */
function leave(input: AsyncIterable<unknown> & { destroy?: () => unknown }): void {
  input.destroy?.();
}
