import { dirname, join, relative } from "node:path";
import { isInside } from "../../files/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import { type IncludeWalk, type InstructionFile, readWithIncludes } from "./instruction-includes.ts";
import type { ReadRoots } from "./prompt-file.ts";

/** Instructions in `cwd` and in all folders above it are read. */
interface InstructionsOptions
  extends Pick<AgentOptions, "settingSources" | "configFolder" | "cwd" | "managedFolder">,
    Pick<IncludeWalk, "home" | "mayRead" | "warn"> {
  /** Added folders: files below them load instructions too. */
  readonly directories: () => readonly string[];
}

interface Candidate {
  readonly path: string;
  readonly type: MemoryType;
  /** The folders that must contain the file, with links resolved; the user's own file may be a link to anywhere. */
  readonly roots: ReadRoots;
}

/** The instruction files of one session: those of the start, and those that a touched file adds. */
export function openInstructions(options: InstructionsOptions) {
  let start: readonly InstructionFile[] = [];
  /** Paths that each reader has read: a subagent and the main thread do not know each other's. */
  const readBy = new WeakMap<object, Set<string>>();
  const defaultReader = {};

  async function read(candidates: readonly Candidate[], reason: LoadReason, seen: Set<string>, trigger?: string) {
    const files: InstructionFile[] = [];
    const room = { chars: maxChars };
    for (const { path, type, roots } of candidates) {
      if (!isRead(type, options.settingSources)) continue;
      const walk: IncludeWalk = { ...options, roots, ...includeRoots(type, dirname(path), options), seen, room };
      files.push(...(await readWithIncludes({ path, type, reason, ...defined({ trigger }) }, walk)));
    }
    return files;
  }

  return {
    /** Reads all files of the start again, for a reader that has none of them. Each returned file is one InstructionsLoaded. */
    async load(
      reason: "session_start" | "compact",
      reader: object = defaultReader,
    ): Promise<readonly InstructionFile[]> {
      readBy.delete(reader);
      start = await read(startFiles(options), reason, new Set());
      return start;
    },
    /** The files between a touched file and the project, each once per reader. */
    async touched(path: string, reader: object = defaultReader): Promise<readonly InstructionFile[]> {
      const known = readBy.get(reader) ?? new Set(start.map((file) => file.path));
      readBy.set(reader, known);
      const roots = [options.cwd, ...options.directories()];
      const folders = roots.flatMap((root) => foldersBetween(root, dirname(path)));
      const candidates = [...new Set(folders)].flatMap((folder) => projectFiles(folder, options));
      return read(candidates, "nested_traversal", known, path);
    },
    /** The files of the start, in order. */
    loaded: (): readonly InstructionFile[] => start,
  };
}

function startFiles(options: InstructionsOptions): Candidate[] {
  const { configFolder, managedFolder, cwd } = options;
  const own: Candidate = { path: join(configFolder, "CLAUDE.md"), type: "User", roots: "anywhere" };
  const project = foldersDownTo(cwd).flatMap((folder) => projectFiles(folder, options));
  if (managedFolder === undefined) return [own, ...project];
  return [{ path: join(managedFolder, "CLAUDE.md"), type: "Managed", roots: "anywhere" }, own, ...project];
}

/** A checkout decides about its files, so a link in it must not lead to files outside. */
function projectFiles(folder: string, { cwd, directories }: InstructionsOptions): Candidate[] {
  const roots = [folder, cwd, ...directories()];
  return [
    { path: join(folder, "CLAUDE.md"), type: "Project", roots },
    { path: join(folder, ".claude", "CLAUDE.md"), type: "Project", roots },
    { path: join(folder, "CLAUDE.local.md"), type: "Local", roots },
  ];
}

function isRead(type: MemoryType, sources: InstructionsOptions["settingSources"]): boolean {
  return sources === undefined || sources.some((source) => source === type.toLowerCase()) || type === "Managed";
}

/** More than the window of any model. */
const maxChars = 8 * 2 ** 20;

function includeRoots(type: MemoryType, folder: string, options: InstructionsOptions) {
  const { configFolder, home, cwd, directories } = options;
  if (type === "User" || type === "Managed") return { includeRoots: [folder, configFolder, home] };
  // A project's file may include notes in the user's own folder: this shares them between checkouts.
  return { includeRoots: [folder, cwd, ...directories()], notes: configFolder };
}

type MemoryType = InstructionFile["type"];

type LoadReason = InstructionFile["reason"];

/** The event's own fields, in the order in which Claude Code sends them. */
export function loadedPayload({ path, type, reason, parent, trigger }: InstructionFile): Record<string, string> {
  const origin = defined({ trigger_file_path: trigger, parent_file_path: parent });
  return { file_path: path, memory_type: type, load_reason: reason, ...origin };
}

const origins: Readonly<Record<MemoryType, string>> = {
  Managed: "instructions of the administrator of this machine",
  User: "the user's own instructions for all projects",
  Project: "project instructions, checked into the codebase",
  Local: "the user's own instructions for this project, not checked in",
};

/** The text for the model: each file after a line that names it and its origin. */
export function instructionsText(files: readonly InstructionFile[]): string {
  return files.map(({ path, type, text }) => `Contents of ${path} (${origins[type]}):\n\n${text.trim()}`).join("\n\n");
}

/** From the top of the file system to the folder itself. */
function foldersDownTo(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...foldersDownTo(above), folder];
}

/** The folders below `root` down to `folder`; none when it is outside. */
function foldersBetween(root: string, folder: string): string[] {
  if (relative(root, folder) === "" || !isInside(folder, root)) return [];
  return [...foldersBetween(root, dirname(folder)), folder];
}
