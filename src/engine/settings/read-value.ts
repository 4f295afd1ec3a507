import { type Fs, nodeFs } from "../../files/internal.ts";
import { parseJsonc, plainValue } from "./json/jsonc.ts";
import { readSourceFile } from "./settings-source.ts";

/** What a file of settings holds, as it is written there. */
export type FileValue =
  | { readonly is: "read"; readonly value: unknown }
  | { readonly is: "missing" }
  | { readonly is: "unreadable"; readonly why: string };

/** Contract: never throws, and never waits for whoever put something else than a file there. */
export async function readValue(file: string, fs: Fs = nodeFs): Promise<FileValue> {
  const source = await readSourceFile(file, fs);
  return source.is === "read" ? valueIn(Buffer.from(source.bytes).toString("utf8")) : source;
}

/** The same of a text. */
export function valueIn(text: string): Exclude<FileValue, { is: "missing" }> {
  const parsed = parseJsonc(text);
  if (!("fault" in parsed)) return { is: "read", value: plainValue(parsed.tree) };
  const { line, column, why } = parsed.fault;
  return { is: "unreadable", why: `line ${line}, column ${column}: ${why}` };
}
