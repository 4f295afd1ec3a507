import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { defined } from "../../protocol/internal.ts";
import { type IncludeWalk, readWithIncludes } from "./instruction-includes.ts";

export interface InstructionsOptions {
  /** Whose files are read; all by default. */
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /** The folder of the user's own file: `~/.claude`. */
  readonly configFolder: string;
  readonly home: string;
  /** Where the session works: its folder and all above it are looked into. */
  readonly projectRoot: string;
  /** Added folders; files below them count as touched too. */
  readonly directories: () => readonly string[];
  /** Of the machine's owner, when there is one. */
  readonly managedFolder?: string;
  /** Whether rules let the model see a file that another one includes. Default: yes. */
  readonly mayRead?: (path: string) => Promise<boolean>;
  /** Called for each file that exists and cannot be used. */
  readonly warn: (message: string) => void;
}

/** The instruction files of one session: what is loaded, and what comes in when a file below is touched. */
export interface Instructions {
  /** Reads everything from the start again, for a reader who has forgotten it. Each file in the answer is one InstructionsLoaded. */
  load(reason: "session_start" | "compact", reader?: object): Promise<readonly InstructionFile[]>;
  /** What a touched file brings in: those between it and the project, each once for each reader. */
  touched(path: string, reader?: object): Promise<readonly InstructionFile[]>;
  /** What was loaded from the start, in order. */
  loaded(): readonly InstructionFile[];
}

interface Candidate {
  readonly path: string;
  readonly type: MemoryType;
  /** The folders in which the file itself must really be; the user's own file may be a link to anywhere. */
  readonly roots: readonly string[] | "anywhere";
}

export function openInstructions(options: InstructionsOptions): Instructions {
  let start: readonly InstructionFile[] = [];
  /** Paths that came in on the way, by who has read them: what an agent knows, the main thread does not. */
  const onTheWay = new WeakMap<object, Set<string>>();
  const everybody = {};

  async function take(
    candidates: readonly Candidate[],
    why: LoadReason,
    seen: Set<string>,
    trigger?: string,
  ): Promise<InstructionFile[]> {
    const fresh: InstructionFile[] = [];
    const room = { chars: maxChars };
    for (const { path, type, roots } of candidates) {
      if (!isRead(type, options.settingSources)) continue;
      const walk: IncludeWalk = {
        roots,
        ...includeRoots(type, dirname(path), options),
        home: options.home,
        seen,
        room,
        ...(options.mayRead === undefined ? {} : { mayRead: options.mayRead }),
      };
      fresh.push(...(await readWithIncludes({ path, type, why, trigger }, walk, options.warn)));
    }
    return fresh;
  }

  return {
    async load(reason, reader = everybody) {
      onTheWay.delete(reader);
      start = await take(startFiles(options), reason, new Set());
      return start;
    },
    async touched(path, reader = everybody) {
      const known = onTheWay.get(reader) ?? new Set(start.map((file) => file.path));
      onTheWay.set(reader, known);
      const roots = [options.projectRoot, ...options.directories()];
      const folders = roots.flatMap((root) => foldersBetween(root, dirname(path)));
      const candidates = [...new Set(folders)].flatMap((folder) => projectFiles(folder, options));
      return take(candidates, "nested_traversal", known, path);
    },
    loaded: () => start,
  };
}

function startFiles(options: InstructionsOptions): Candidate[] {
  const { configFolder, managedFolder, projectRoot } = options;
  const managed: Candidate[] =
    managedFolder === undefined ? [] : [{ path: join(managedFolder, "CLAUDE.md"), type: "Managed", roots: "anywhere" }];
  const own: Candidate = { path: join(configFolder, "CLAUDE.md"), type: "User", roots: "anywhere" };
  return [...managed, own, ...foldersDownTo(projectRoot).flatMap((folder) => projectFiles(folder, options))];
}

/** A checkout decides what its files are; a link in it must not bring in what lies elsewhere. */
function projectFiles(folder: string, { projectRoot, directories }: InstructionsOptions): Candidate[] {
  const roots = [folder, projectRoot, ...directories()];
  return [
    { path: join(folder, "CLAUDE.md"), type: "Project", roots },
    { path: join(folder, ".claude", "CLAUDE.md"), type: "Project", roots },
    { path: join(folder, "CLAUDE.local.md"), type: "Local", roots },
  ];
}

function isRead(type: MemoryType, sources: InstructionsOptions["settingSources"]): boolean {
  return sources === undefined || sources.some((source) => source === type.toLowerCase()) || type === "Managed";
}

/** More than any model takes. */
const maxChars = 8 * 2 ** 20;

function includeRoots(
  type: MemoryType,
  folder: string,
  { configFolder, home, projectRoot, directories }: InstructionsOptions,
): Pick<IncludeWalk, "includeRoots" | "notes"> {
  if (type === "User" || type === "Managed") return { includeRoots: [folder, configFolder, home] };
  // Notes in a person's own folder may be named by a project's file: that is how they are shared between checkouts.
  return { includeRoots: [folder, projectRoot, ...directories()], notes: configFolder };
}

export type MemoryType = "User" | "Project" | "Local" | "Managed";

export type LoadReason = "session_start" | "nested_traversal" | "include" | "compact";

/** One file that entered the context, with the fields of InstructionsLoaded. */
export interface InstructionFile {
  readonly path: string;
  readonly type: MemoryType;
  readonly text: string;
  readonly reason: LoadReason;
  /** The file that includes it. */
  readonly parent?: string;
  /** The touched file that brought it in. */
  readonly trigger?: string;
}

/** The event's own fields, in the order in which the client sends them. */
export function loadedPayload({ path, type, reason, parent, trigger }: InstructionFile): Record<string, string> {
  return {
    file_path: path,
    memory_type: type,
    load_reason: reason,
    ...defined({ trigger_file_path: trigger, parent_file_path: parent }),
  };
}

const origins: Readonly<Record<MemoryType, string>> = {
  Managed: "instructions of whoever manages this machine",
  User: "the person's own instructions for all projects",
  Project: "project instructions, checked into the codebase",
  Local: "the person's own instructions for this project, not checked in",
};

/** What the model is given: each file under a line that says what it is. */
export function instructionsText(files: readonly InstructionFile[]): string {
  return files.map(({ path, type, text }) => `Contents of ${path} (${origins[type]}):\n\n${text.trim()}`).join("\n\n");
}

/** From the top of the file system to the folder itself. */
export function foldersDownTo(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...foldersDownTo(above), folder];
}

/** The folders below `root` on the way to `folder`, that one included; none when it lies elsewhere. */
export function foldersBetween(root: string, folder: string): string[] {
  const way = relative(root, folder);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return [];
  let at = root;
  return way.split(sep).map((part) => {
    at = join(at, part);
    return at;
  });
}
