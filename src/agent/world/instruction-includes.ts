import { realpath } from "node:fs/promises";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { defined } from "../../protocol/internal.ts";
import type { InstructionFile, LoadReason, MemoryType } from "./instructions.ts";
import { type PromptFile, readPromptFile } from "./prompt-file.ts";

export interface IncludeWalk {
  /** Where the first file must really lie. */
  readonly roots: readonly string[] | "anywhere";
  /** Where included files must. */
  readonly includeRoots: readonly string[];
  /** A user folder from which a checkout's files may include notes only: tokens and transcripts are there too. */
  readonly notes?: string;
  /** Whether rules let the model see a file that is included; the path is the real one. */
  readonly mayRead?: (path: string) => Promise<boolean>;
  /** What may still come in: one file can have any number of names. */
  readonly room: { chars: number };
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

const maxDepth = 5;

/** A file and what it includes, the file first. Empty when the file is missing. */
export async function readWithIncludes(
  wanted: Wanted,
  walk: IncludeWalk,
  warn: (message: string) => void,
  depth = 0,
): Promise<InstructionFile[]> {
  const { path, type, why, parent, trigger } = wanted;
  if (walk.seen.has(path)) return [];
  const text = await readInstructions(path, walk, depth > 0, warn);
  if (text === undefined) return [];
  walk.seen.add(path);
  const file: InstructionFile = {
    path,
    type,
    text,
    reason: why,
    ...defined({ parent, trigger }),
  };
  const included: InstructionFile[] = [];
  for (const given of includedPaths(text)) {
    const target = targetOf(given, path, walk.home);
    if (depth < maxDepth) {
      const next: Wanted = { path: target, type, why: "include", parent: path };
      included.push(...(await readWithIncludes(next, walk, warn, depth + 1)));
    } else if (!walk.seen.has(target))
      warn(`${target} is not loaded: it is included more than ${maxDepth} files deep, by ${path}.`);
  }
  return [file, ...included];
}

function targetOf(given: string, from: string, home: string): string {
  return given.startsWith("~/") ? join(home, given.slice(2)) : resolve(dirname(from), given);
}

async function readInstructions(
  path: string,
  { roots, includeRoots, notes, mayRead, room }: IncludeWalk,
  included: boolean,
  warn: (message: string) => void,
): Promise<string | undefined> {
  const inRoots = await readPromptFile(path, included ? includeRoots : roots);
  const isNote = included && notes !== undefined && inRoots !== undefined && "fault" in inRoots;
  const found = isNote ? ((await readNote(path, notes)) ?? inRoots) : inRoots;
  if (found === undefined) return undefined;
  if ("fault" in found) return skip(warn, path, found.fault);
  if (included && !((await mayRead?.(found.real)) ?? true)) return skip(warn, path, "a rule denies reading it");
  room.chars -= found.text.length;
  if (room.chars < 0) return skip(warn, path, "there are too many instructions already");
  return found.text;
}

/** Of a person's own folder a checkout may name notes: Markdown, and nothing of what sessions leave there. */
async function readNote(path: string, folder: string): Promise<PromptFile | undefined> {
  const found = await readPromptFile(path, [folder]);
  if (found === undefined || "fault" in found) return undefined;
  const below = relative(await realpath(folder), found.real);
  return extname(found.real) === ".md" && !below.startsWith(`projects${sep}`) ? found : undefined;
}

function skip(warn: (message: string) => void, path: string, why: string): undefined {
  warn(`${path} is not loaded: ${why}.`);
  return undefined;
}

/** The paths that a text includes with `@path`, in order; paths in code are ignored. */
export function includedPaths(text: string): string[] {
  const found = [...withoutCode(text).matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)].map(([, path = ""]) => path);
  const paths = found.map((path) => path.replaceAll("\\ ", " ").replace(/#.*$/, "")).filter(isPath);
  return [...new Set(paths)];
}

/** `@name` alone may be a person or a package; a path has a slash, a dot inside, or both. */
function isPath(text: string): boolean {
  return /^(?:~?\/|\.{1,2}\/|[A-Za-z0-9._-])/.test(text) && /[./]/.test(text) && !text.includes("\0");
}

function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence === undefined) lines.push(withoutSpans(line));
  }
  return lines.join("\n");
}

/** Code in a line goes from one run of backticks to the next of the same length. Each run is looked at once, whatever the line. */
function withoutSpans(line: string): string {
  const parts = line.split(/(`+)/);
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (let run = parts.length - 2; run > 0; run -= 2) {
    const size = parts[run]?.length ?? 0;
    next.set(run, ends.get(size) ?? -1);
    ends.set(size, run);
  }
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const end = next.get(at) ?? -1;
    kept.push(end > 0 ? " " : (parts[at] ?? ""));
    if (end > 0) at = end;
  }
  return kept.join("");
}
