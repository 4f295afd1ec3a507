import { constants, fstatSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode, sha256, withFileSync } from "../../../files/internal.ts";
import { attempt } from "../../../protocol/internal.ts";
import { hasCodeExtension, type Language, languageOf } from "./program-kinds.ts";
import { budget, type KnownVariables, NotApprovable } from "./word-values.ts";

/** The current content of a file of the checkout, or of a script inside one. */
export interface NamedFile {
  /** From the checkout's folder, with `/`. A script of package.json is `package.json#scripts.NAME`. */
  readonly path: string;
  readonly sha256: string;
}

/** Something a command may run that an approval does not cover. */
export interface NotCovered {
  /** The path, package or form, as written. */
  readonly what: string;
  readonly why: string;
}

/** A file whose text is still to be searched for what it loads. */
export interface FileToSearch {
  readonly place: string;
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  /** For a text inside a command: the folders that its names may be relative to. */
  readonly folders?: readonly string[];
}

/** A shell text that is analyzed: where it is, and which of its words count. */
export interface ScriptWalk {
  /**
   * The prefix of messages: the file that contains the text. Only what the text runs counts. Empty for the command itself: there, every
   * file that a word names counts.
   */
  readonly label: string;
  /** The script's own file. */
  readonly file?: string;
  /** Folders that relative names may be relative to. Grows. */
  readonly folders: string[];
  readonly depth: number;
  readonly collector: CoverageCollector;
  /** It is only a quoted text that may be a command: the files it names count, the programs it calls are not reported. */
  readonly isGuess?: boolean;
  readonly variables: KnownVariables;
}

/** Receives the content of each file that was read, so that what is shown is what was analyzed. */
export type OnBytes = (path: string, bytes: Buffer) => void;

const maxFiles = 2_000;
const maxTotalBytes = 128 * 1024 * 1024;
/** Each one is a system call before every run. */
const maxPaths = 20_000;
const maxCharacters = 2 * 1024 * 1024;

/** Collects the files that a command names and runs. Throws `NotApprovable` at a limit, and for a file that cannot be read. */
export class CoverageCollector {
  readonly files: Map<string, NamedFile> = new Map();
  readonly notCovered: Map<string, NotCovered> = new Map();
  readonly toSearch: FileToSearch[] = [];
  /** Shell texts that are still to be analyzed. */
  readonly scripts: { readonly text: string; readonly script: ScriptWalk }[] = [];
  /** The path of every file that was found, as it was found, with the mark of the file that was read there. */
  readonly places: Map<string, string> = new Map();
  private readonly searched = new Set<string>();
  private readonly countPaths = budget(maxPaths, `it may mean more than ${maxPaths} paths`);
  private readonly countBytes = budget(maxTotalBytes, `its files have more than ${maxTotalBytes} bytes`);
  /** Counts the characters of a shell text; nested scripts are read repeatedly. */
  readonly countCharacters: (count: number) => void = budget(maxCharacters, "its scripts are too long");
  readonly checkout: Checkout;
  /** The folder the command starts in. */
  readonly from: string;
  private readonly onBytes: OnBytes | undefined;

  constructor(checkout: Checkout, from: string, onBytes: OnBytes | undefined) {
    this.checkout = checkout;
    this.from = from;
    this.onBytes = onBytes;
  }

  /** Adds what is at a path, if it is a file of the checkout. */
  cover(place: string, language?: Language): "file" | "folder" | "nothing" {
    this.countPaths(1);
    const path = insidePath(place, this.checkout);
    const entry = readEntry(place);
    if (entry === "folder") return "folder";
    if (entry === "nothing" || path === undefined) return "nothing";
    if ("unusable" in entry) throw new NotApprovable(`${path} ${entry.unusable}`);
    if (!this.files.has(path)) this.add(path, entry.bytes);
    this.places.set(place, entry.mark);
    this.search(place, path, entry, language);
    return "file";
  }

  /** Adds a text that is part of a file. False when it was added before. */
  coverText(path: string, text: string): boolean {
    if (this.files.has(path)) return false;
    this.add(path, Buffer.from(text));
    return true;
  }

  /** Covers programs whose path is one of the strings in a file, or a word of one. */
  coverTexts(texts: readonly string[], folders: readonly string[]): void {
    for (const text of new Set(texts))
      for (const word of text.length > 1_000 ? [] : text.split(/\s+/))
        if (hasCodeExtension(word) && !/[\0*${}]/.test(word))
          for (const folder of folders) this.cover(join(folder, word));
  }

  reportNotCovered(what: string, why: string): void {
    const shown = what.length > 200 ? `${what.slice(0, 200)}…` : what;
    if (this.notCovered.size > maxFiles) throw new NotApprovable("too much of it is not covered");
    this.notCovered.set(`${shown}\n${why}`, { what: shown, why });
  }

  private add(path: string, bytes: Buffer): void {
    if (this.files.size >= maxFiles) throw new NotApprovable(`it runs or names more than ${maxFiles} files`);
    this.countBytes(bytes.length);
    this.files.set(path, { path, sha256: sha256(bytes) });
    this.onBytes?.(path, bytes);
  }

  private search(
    place: string,
    path: string,
    { bytes, executable }: { bytes: Buffer; executable: boolean },
    given: Language | undefined,
  ): void {
    const head = bytes.subarray(0, 4_096).toString("latin1");
    const language = languageOf(path, head, executable) ?? given;
    if (language === undefined || this.searched.has(`${language} ${place}`)) return;
    this.searched.add(`${language} ${place}`);
    const real = realPathOf(place) ?? place;
    const why = `it is a link to ${real}, outside the folder; what it loads from there is not followed`;
    if (!isBelow(real, this.checkout.real)) this.reportNotCovered(path, why);
    this.toSearch.push({ place, path, text: bytes.toString("utf8"), language });
  }
}

/** A checkout: the folder as given, and its real path. */
export interface Checkout {
  readonly cwd: string;
  readonly real: string;
  readonly home: string;
}

/** The paths that a path may mean. After a link, `..` is the parent of the link's target. */
export function possiblePaths(path: string, folder: string): readonly string[] {
  const place = resolve(folder, path);
  if (!/(?:^|[/\\])\.\.[/\\]/.test(path)) return [place];
  const really = realPathOf(isAbsolute(path) ? path : `${folder}${sep}${path}`);
  return really === undefined || really === place ? [place] : [place, really];
}

/** The path from the checkout's folder with `/`, by its name or by its real path; undefined outside. */
export function insidePath(place: string, { cwd, real }: Checkout): string | undefined {
  for (const root of [real, cwd]) if (isBelow(place, root)) return portable(relative(root, place));
  const really = realPathOf(place);
  return really !== undefined && isBelow(really, real) ? portable(relative(real, really)) : undefined;
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function portable(path: string): string {
  return path.split(sep).join("/");
}

/** Undefined when nothing exists at the path. */
export function realPathOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

/** The texts between quotes on one line. Bounded: an unterminated string would be scanned from each of its quotes. */
export function quotedTexts(source: string): readonly string[] {
  return [...source.matchAll(/(["'])((?:\\.|(?!\1)[^\\\n]){0,500})\1/g)].map(([, , text = ""]) => text);
}

/** The largest file that can be approved. */
const maxFileBytes = 16 * 1024 * 1024;

type EntryContent =
  | "nothing"
  | "folder"
  | { readonly bytes: Buffer; readonly executable: boolean; readonly mark: string }
  | { readonly unusable: string };

export function readEntry(path: string): EntryContent {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return "nothing";
    if (stat.isDirectory()) return "folder";
    return readWhole(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    // A name that no file can have, or a broken link, is not a file.
    return /^(ENAMETOOLONG|ELOOP|ENOTDIR|ENOENT|ERR_INVALID_ARG_VALUE)$/.test(code)
      ? "nothing"
      : { unusable: `cannot be read (${code})` };
  }
}

/** Changes when a file is replaced or modified. For a folder only its identity counts: it changes with every file created in it. */
export function fileMark(stat: Stats): string {
  return stat.isDirectory() ? `${stat.dev} ${stat.ino}` : `${stat.dev} ${stat.ino} ${stat.size} ${stat.ctimeMs}`;
}

/** What a loader finds at a path. Nothing can be loaded from a path that cannot be read. */
export function kindAt(path: string): "file" | "folder" | "nothing" {
  const stat = attempt(() => statSync(path, { throwIfNoEntry: false }));
  return stat?.isFile() ? "file" : stat?.isDirectory() ? "folder" : "nothing";
}

/** Contract: never blocks on a pipe or a device. Throws system errors. */
function readWhole(path: string): Exclude<EntryContent, string> {
  return withFileSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), (file) => {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { unusable: "is not a regular file" };
    if (stat.size > maxFileBytes)
      return { unusable: `has ${stat.size} bytes; at most ${maxFileBytes} can be approved` };
    // One byte more than the size detects a file that changes while it is read.
    const bytes = Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0)
        return { bytes: bytes.subarray(0, length), executable: (stat.mode & 0o111) !== 0, mark: fileMark(stat) };
      length += read;
    }
    return { unusable: "changes while it is read" };
  });
}
