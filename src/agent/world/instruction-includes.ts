import { realpath } from "node:fs/promises";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { type PromptFile, type ReadRoots, readPromptFile } from "./prompt-file.ts";

/** One file that entered the context, with the fields of InstructionsLoaded. */
export interface InstructionFile {
  readonly path: string;
  readonly type: "User" | "Project" | "Local" | "Managed";
  readonly text: string;
  readonly reason: "session_start" | "nested_traversal" | "include" | "compact";
  /** The file that includes it. */
  readonly parent?: string;
  /** The touched file that loaded it. */
  readonly trigger?: string;
}

export interface IncludeWalk {
  readonly home: string;
  /** Whether rules let the model see a file that another one includes. Default: yes. */
  readonly mayRead?: (path: string) => Promise<boolean>;
  /** Called for each file that exists and cannot be used. */
  readonly warn: (message: string) => void;
  /** The folders that must contain the first file, with links resolved. */
  readonly roots: ReadRoots;
  /** The folders that must contain included files. */
  readonly includeRoots: readonly string[];
  /** A user folder from which a checkout's files may include notes only: it also contains tokens and transcripts. */
  readonly notes?: string;
  /** Characters that may still be loaded: one file can have any number of names. */
  readonly room: { chars: number };
  /** Paths that are loaded already: each file is loaded once, so a circle ends by itself. */
  readonly seen: Set<string>;
}

const maxDepth = 5;

/** A file and the files that it includes, the file first. Empty when the file is missing. */
export async function readWithIncludes(
  wanted: Omit<InstructionFile, "text">,
  walk: IncludeWalk,
  depth = 0,
): Promise<InstructionFile[]> {
  const { path, type } = wanted;
  const { seen, home, warn } = walk;
  if (seen.has(path)) return [];
  const text = await readInstructions(path, walk, depth > 0);
  if (text === undefined) return [];
  seen.add(path);
  const files: InstructionFile[] = [{ ...wanted, text }];
  for (const given of includedPaths(text)) {
    const target = given.startsWith("~/") ? join(home, given.slice(2)) : resolve(dirname(path), given);
    if (depth < maxDepth)
      files.push(...(await readWithIncludes({ path: target, type, reason: "include", parent: path }, walk, depth + 1)));
    else if (!seen.has(target))
      warn(`${target} is not loaded: it is included more than ${maxDepth} files deep, by ${path}.`);
  }
  return files;
}

async function readInstructions(
  path: string,
  { mayRead, warn, roots, includeRoots, notes, room }: IncludeWalk,
  included: boolean,
): Promise<string | undefined> {
  const skip = (why: string): undefined => void warn(`${path} is not loaded: ${why}.`);
  const inRoots = await readPromptFile(path, included ? includeRoots : roots);
  const isNote = included && notes !== undefined && inRoots !== undefined && "fault" in inRoots;
  const found = isNote ? ((await readNote(path, notes)) ?? inRoots) : inRoots;
  if (found === undefined) return undefined;
  if ("fault" in found) return skip(found.fault);
  if (included && (await mayRead?.(found.real)) === false) return skip("a rule denies reading it");
  room.chars -= found.text.length;
  return room.chars < 0 ? skip("there are too many instructions already") : found.text;
}

/** A checkout may include notes of the user's own folder: Markdown files outside `projects`, which contains sessions. */
async function readNote(path: string, folder: string): Promise<PromptFile | undefined> {
  const found = await readPromptFile(path, [folder]);
  if (found === undefined || "fault" in found) return undefined;
  const below = relative(await realpath(folder), found.real);
  return extname(found.real) === ".md" && !below.startsWith(`projects${sep}`) ? found : undefined;
}

/** The paths that a text includes with `@path`, in order; paths in code are ignored. */
export function includedPaths(text: string): string[] {
  const found = [...withoutCode(text).matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)].map(([, path = ""]) => path);
  const paths = found.map((path) => path.replaceAll("\\ ", " ").replace(/#.*$/, "")).filter(isPath);
  return [...new Set(paths)];
}

/** `@name` alone may be a user or a package; a path has a slash, a dot inside, or both. */
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

/** Removes code spans: from one run of backticks to the next of the same length. Linear in the line. */
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
