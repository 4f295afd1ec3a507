import { dirname, join, relative, sep } from "node:path";
import { ensureFolder, type Fs, replaceFile } from "../../files/internal.ts";
import { Problem, plainLine } from "../../protocol/index.ts";
import type { SessionPlace } from "../find/session-files.ts";
import type { Linked } from "../model/entry-graph.ts";
import { cutDeep } from "../read/nesting-limit.ts";
import { liesUnder, realInside } from "../safe-paths.ts";
import { withField } from "../write/edit-line.ts";
import { isPartName, readPart } from "./part-files.ts";
import { partsOf } from "./restore-large-parts.ts";

/**
 * The bytes of an entry for another session, whose folder is given copies of the files that the entry names. Files are
 * opened below their own session's folder only, so a path in a line that leads elsewhere stays as it is.
 */
export async function carryParts(entry: Linked, from: SessionPlace, to: SessionPlace, fs: Fs): Promise<Uint8Array> {
  const line = entry.raw();
  const result =
    entry.kind === "user" && persistedPath(entry.toolUseResult) !== undefined ? asWritten(line) : undefined;
  const path = persistedPath(result);
  for (const part of partsOf({ hookline: entry.hookline })) await copy(part.file, from, to, fs);
  const home = join(from.folder, from.id);
  if (path === undefined || !liesUnder(home, path)) return line;
  const name = relative(home, path).split(sep).join("/");
  const copied = await copy(name, from, to, fs);
  if (copied === undefined) return line;
  return withField(line, "toolUseResult", { ...(result as Record<string, unknown>), persistedOutputPath: copied });
}

/** The entry has its large parts in it; what goes into the new line must not. */
function asWritten(line: Uint8Array): unknown {
  const record = JSON.parse(Buffer.from(line).toString("utf8")) as Readonly<Record<string, unknown>>;
  cutDeep(record);
  return record["toolUseResult"];
}

function persistedPath(result: unknown): string | undefined {
  if (typeof result !== "object" || result === null || !("persistedOutputPath" in result)) return undefined;
  return typeof result.persistedOutputPath === "string" ? result.persistedOutputPath : undefined;
}

/** The path of the copy; undefined when there is nothing to copy, which a reader of the fork will see as well. */
async function copy(name: string, from: SessionPlace, to: SessionPlace, fs: Fs): Promise<string | undefined> {
  if (!isPartName(name)) return undefined;
  const home = join(from.folder, from.id);
  await realInside(from.root.path, home);
  const bytes = readPart(home, name);
  if ("why" in bytes) {
    if (bytes.missing) return undefined;
    const path = join(home, name);
    throw new Problem("sessions/unreadable-file", plainLine(`${path} cannot be copied: ${bytes.why}`), {
      about: { path },
    });
  }
  const target = join(to.folder, to.id, name);
  await ensureFolder(dirname(target), fs);
  await replaceFile(target, bytes, { fs });
  return target;
}
