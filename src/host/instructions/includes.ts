import { dirname, join, resolve } from "node:path";
import { unless } from "../../files/index.ts";
import { resolveInside } from "../../permissions/index.ts";
import { Problem } from "../../protocol/index.ts";
import { openFile } from "../tools/text-file.ts";
import { includedPaths } from "./include-marks.ts";
import type { InstructionFile, LoadReason, MemoryType } from "./instruction-file.ts";

export interface IncludeWalk {
  /** Where the first file must really lie. */
  readonly roots: readonly string[] | "anywhere";
  /** Where included files must. */
  readonly includeRoots: readonly string[];
  readonly home: string;
  /** Paths that are in already: each file comes in once, so a circle ends by itself. */
  readonly seen: Set<string>;
}

interface Wanted {
  readonly path: string;
  readonly type: MemoryType;
  readonly why: LoadReason;
  readonly parent?: string;
  readonly trigger?: string | undefined;
}

const deepest = 5;
const mostBytes = 2 ** 20;

/** A file and what it includes, the file first. Nothing when it is not there. */
export async function readWithIncludes(
  wanted: Wanted,
  walk: IncludeWalk,
  warn: (message: string) => void,
  depth = 0,
): Promise<InstructionFile[]> {
  const { path, type, why, parent, trigger } = wanted;
  if (walk.seen.has(path)) return [];
  const text = await readInstructions(path, depth === 0 ? walk.roots : walk.includeRoots, warn);
  if (text === undefined) return [];
  walk.seen.add(path);
  const file: InstructionFile = {
    path,
    type,
    text,
    reason: why,
    ...(parent === undefined ? {} : { parent }),
    ...(trigger === undefined ? {} : { trigger }),
  };
  const included: InstructionFile[] = [];
  for (const given of includedPaths(text)) {
    const target = targetOf(given, path, walk.home);
    if (depth < deepest) {
      const next: Wanted = { path: target, type, why: "include", parent: path };
      included.push(...(await readWithIncludes(next, walk, warn, depth + 1)));
    } else if (!walk.seen.has(target))
      warn(`${target} is not loaded: it is included more than ${deepest} files deep, by ${path}.`);
  }
  return [file, ...included];
}

function targetOf(given: string, from: string, home: string): string {
  return given.startsWith("~/") ? join(home, given.slice(2)) : resolve(dirname(from), given);
}

/** Read at its real path, without following anything further. */
async function readInstructions(
  path: string,
  roots: readonly string[] | "anywhere",
  warn: (message: string) => void,
): Promise<string | undefined> {
  try {
    const real = resolveInside(path, roots === "anywhere" ? ["/"] : roots, { cwd: dirname(path) });
    const file = await unless(["ENOENT", "ENOTDIR"], openFile(real));
    if (file === undefined) return undefined;
    try {
      const found = await file.stat();
      if (!found.isFile()) return skip(warn, path, "it is no ordinary file");
      if (found.size > mostBytes) return skip(warn, path, `it has more than ${mostBytes} bytes`);
      const bytes = await file.readFile();
      return bytes.includes(0) ? skip(warn, path, "it is no text") : bytes.toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    return skip(warn, path, error instanceof Problem ? error.message : String(error));
  }
}

function skip(warn: (message: string) => void, path: string, why: string): undefined {
  warn(`${path} is not loaded: ${why}.`);
  return undefined;
}
