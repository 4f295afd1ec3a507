import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { sha256 } from "../../../files/internal.ts";
import { type Language, languageOf } from "./program-kinds.ts";
import type { Script } from "./script-walk.ts";
import { TooMany } from "./word-values.ts";

/** A file of the checkout, or a script that is text inside one, as it is now. */
export interface NamedFile {
  /** From the checkout's folder, with `/`. A script of package.json is `package.json#scripts.NAME`. */
  readonly path: string;
  readonly sha256: string;
}

/** Something a command may run that an approval does not cover. */
export interface NotCovered {
  /** The path, package or form, as it is written. */
  readonly what: string;
  readonly why: string;
}

/** A file whose text is still to be searched for what it loads. */
export interface Unsearched {
  readonly place: string;
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  /** Of a text inside a command: the folders that names in it may count from. */
  readonly folders?: readonly string[];
}

const mostFiles = 2_000;
const mostBytesInAll = 128 * 1024 * 1024;
/** Each costs a call of the system, before every run. */
const mostLooks = 20_000;
const mostCharacters = 2 * 1024 * 1024;

/** What is found on the way through a command and the files it runs. Throws `TooMany` at a limit, `Unusable` for a file that cannot be read. */
export class Gathering {
  readonly files: Map<string, NamedFile> = new Map();
  readonly notCovered: Map<string, NotCovered> = new Map();
  readonly unsearched: Unsearched[] = [];
  /** Shell texts that are still to be looked at. */
  readonly scripts: { readonly text: string; readonly script: Script }[] = [];
  /** The path of every file that was found, as it was found, with the mark of the file that was read there. */
  readonly places: Map<string, string> = new Map();
  private readonly searched = new Set<string>();
  private bytesLeft = mostBytesInAll;
  private looksLeft = mostLooks;
  private charactersLeft = mostCharacters;
  readonly checkout: Checkout;
  /** The folder the command starts in. */
  readonly from: string;
  private readonly onBytes: ((path: string, bytes: Buffer) => void) | undefined;

  constructor(checkout: Checkout, from: string, onBytes: ((path: string, bytes: Buffer) => void) | undefined) {
    this.checkout = checkout;
    this.from = from;
    this.onBytes = onBytes;
  }

  /** Adds what is at a path, if it is a file of the checkout. */
  cover(place: string, language?: Language): "file" | "folder" | "nothing" {
    this.looksLeft -= 1;
    if (this.looksLeft < 0) throw new TooMany(`it may mean more than ${mostLooks} paths`);
    const path = insidePath(place, this.checkout);
    const looked = lookAt(place);
    if (looked === "folder") return "folder";
    if (looked === "nothing" || path === undefined) return "nothing";
    if ("unusable" in looked) throw new Unusable(`${path} ${looked.unusable}`);
    if (!this.files.has(path)) this.add(path, looked.bytes);
    this.places.set(place, looked.mark);
    this.search(place, path, looked, language);
    return "file";
  }

  /** Adds a text that is part of a file. */
  coverText(path: string, text: string): void {
    if (!this.files.has(path)) this.add(path, Buffer.from(text));
  }

  /** Counts a shell text that is read; scripts inside scripts are read again and again. */
  count(text: string): void {
    this.charactersLeft -= text.length;
    if (this.charactersLeft < 0) throw new TooMany("its scripts are longer than can be looked at");
  }

  leaveOut(what: string, why: string): void {
    const shown = what.length > 200 ? `${what.slice(0, 200)}…` : what;
    if (this.notCovered.size > mostFiles) throw new TooMany("more is not covered than can be shown");
    this.notCovered.set(`${shown}\n${why}`, { what: shown, why });
  }

  private add(path: string, bytes: Buffer): void {
    this.bytesLeft -= bytes.length;
    if (this.files.size >= mostFiles) throw new TooMany(`it runs or names more than ${mostFiles} files`);
    if (this.bytesLeft < 0) throw new TooMany(`its files have more than ${mostBytesInAll} bytes`);
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
    if (!isBelow(real, this.checkout.real))
      this.leaveOut(path, `it is a link to ${real}, outside the folder; what it loads from there is not followed`);
    this.unsearched.push({ place, path, text: bytes.toString("utf8"), language });
  }
}

/** A file that an approval would have to cover and cannot. */
export class Unusable extends Error {}

/** A checkout: the folder as it was named, and its real path. */
export interface Checkout {
  readonly cwd: string;
  readonly real: string;
  readonly home: string;
}

/** Where a path may lead. Behind a link, `..` leads to the folder above what the link points to. */
export function placesOf(path: string, folder: string): readonly string[] {
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

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // There is nothing at this path, so it has no real one.
    return undefined;
  }
}

/** The largest file whose bytes are compared before every run. */
const mostBytes = 16 * 1024 * 1024;

type Looked =
  | "nothing"
  | "folder"
  | { readonly bytes: Buffer; readonly executable: boolean; readonly mark: string }
  | { readonly unusable: string };

export function lookAt(path: string): Looked {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return "nothing";
    if (stat.isDirectory()) return "folder";
    return readWhole(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // A name that no file can have, or a link that leads nowhere, is no file.
    return /^(ENAMETOOLONG|ELOOP|ENOTDIR|ENOENT|ERR_INVALID_ARG_VALUE)$/.test(code)
      ? "nothing"
      : { unusable: `cannot be read (${code})` };
  }
}

/** What shows that a file is another one, or has changed. A folder changes with every file that is made in it, which is no harm. */
export function markOf(stat: Stats): string {
  return stat.isDirectory() ? `${stat.dev} ${stat.ino}` : `${stat.dev} ${stat.ino} ${stat.size} ${stat.ctimeMs}`;
}

/** What a loader finds at a path. A path that cannot be looked at holds nothing that can be loaded now. */
export function kindAt(path: string): "file" | "folder" | "nothing" {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? "file" : stat?.isDirectory() ? "folder" : "nothing";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return "nothing";
  }
}

/** Contract: never waits for a pipe or a device. Throws what the system throws. */
function readWhole(path: string): Exclude<Looked, string> {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { unusable: "is not a regular file" };
    if (stat.size > mostBytes) return { unusable: `has ${stat.size} bytes; at most ${mostBytes} can be approved` };
    // One byte more than the size: a file that grows while it is read must not pass for its beginning.
    const bytes = Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0)
        return { bytes: bytes.subarray(0, length), executable: (stat.mode & 0o111) !== 0, mark: markOf(stat) };
      length += read;
    }
    return { unusable: "grows while it is read" };
  } finally {
    closeSync(file);
  }
}
