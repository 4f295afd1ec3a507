import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** The codings we ask for. `deflate` is read but not asked for: half of the servers send it without its wrapper. */
export const acceptEncoding = "gzip, br";

/**
 * The body with its content-encoding undone, or the name of a coding that cannot be. Nothing is decoded ahead of its reader.
 * Layers of codings are unknown ones: only bombs need them.
 */
export function decoded(body: Readable, coding: string | undefined): Readable | { readonly unknown: string } {
  const name = (coding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  const decoder = decoderFor(name);
  if (decoder === undefined) return { unknown: name.slice(0, 40) };
  // An error on either side ends both; the reader of the decoder sees it.
  return pipeline(body, decoder, () => undefined);
}

function decoderFor(name: string): Transform | undefined {
  if (name === "gzip" || name === "x-gzip") return createGunzip();
  if (name === "deflate") return createInflate();
  return name === "br" ? createBrotliDecompress() : undefined;
}
