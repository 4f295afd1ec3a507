import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { argumentWords, shellWords, type Word } from "./words.ts";

/** What is started, as settings write it. */
export interface NamedCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** What `${CLAUDE_PLUGIN_ROOT}` stands for. */
  readonly root?: string | undefined;
}

/** A checkout: the folder as it was named, and where it really lies. */
export interface Checkout {
  readonly cwd: string;
  readonly real: string;
  readonly home: string;
}

/** A file of the checkout as it is now. */
export interface NamedFile {
  /** From the checkout's folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
}

/** Paths that a command may mean, as written, variables filled in. Undefined: more than anybody could look at. */
export function namedPaths(named: NamedCommand, checkout: Checkout): readonly string[] | undefined {
  const { command, args } = named;
  const words = args === undefined ? shellWords(command) : argumentWords(command, args);
  const paths = new Set<string>();
  for (const word of words) {
    for (const path of meanings(word, named, checkout)) paths.add(path);
    if (paths.size > mostPaths) return undefined;
  }
  return [...paths];
}

const mostPaths = 2_000;
const longestPath = 4_096;

/** A word as a path, and its pieces: `--config=x`, `@x`, `file:x` name x. */
function meanings({ text, use }: Word, named: NamedCommand, checkout: Checkout): readonly string[] {
  if (use === "written" || text.length > longestPath) return [];
  const path = filled(text, named, checkout);
  return [path, ...path.split(/[=,:@]/)].filter((path) => path !== "" && !path.includes("\0"));
}

const variable = /\$\{(?:env:)?([A-Za-z_]\w*)[^}]{0,200}\}|\$(?:env:)?([A-Za-z_]\w*)|%([A-Za-z_]\w*)%/g;

/** A variable nobody knows becomes nothing: what is left of `$DIR/hooks/check.sh` still says which file is meant. */
export function filled(text: string, { root }: NamedCommand, { real, home }: Checkout): string {
  const values: Readonly<Record<string, string | undefined>> = {
    CLAUDE_PROJECT_DIR: real,
    CLAUDE_PLUGIN_ROOT: root,
    PWD: real,
    HOME: home,
  };
  const path = text.replace(variable, (_, braced?: string, plain?: string, percent?: string) => {
    const name = braced ?? plain ?? percent ?? "";
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? "";
  });
  return path.replace(/^~(?=\/|$)/, home);
}

export interface LookOptions {
  /** The folder that relative paths count from; the checkout's own unless told. */
  readonly from?: string;
  /** Gets what was read of each file, so that what is shown is what was looked at. */
  readonly onBytes?: (path: string, bytes: Buffer) => void;
}

/**
 * The files of the checkout that paths lead to from a folder of it, as they are now. Undefined: one of them is too large to be
 * looked at before every run, or cannot be read.
 */
export function namedFiles(
  paths: readonly string[],
  checkout: Checkout,
  { from = checkout.real, onBytes }: LookOptions = {},
): readonly NamedFile[] | { readonly unusable: string } {
  const files = new Map<string, NamedFile>();
  const folders = [from];
  // Every folder that is named is one that relative names may count from: `cd hooks && ./check.sh`.
  for (let index = 0; index < folders.length && index < mostFolders; index++) {
    for (const path of paths) {
      for (const place of placesOf(path, folders[index] ?? from, checkout)) {
        const inside = insidePath(place, checkout);
        if (inside === undefined || files.has(inside)) continue;
        const found = lookAt(place);
        if (found === "folder" && !folders.includes(place)) folders.push(place);
        if (typeof found === "string") continue;
        if ("unusable" in found) return { unusable: `${inside} ${found.unusable}` };
        files.set(inside, { path: inside, sha256: createHash("sha256").update(found.bytes).digest("hex") });
        onBytes?.(inside, found.bytes);
      }
    }
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const mostFolders = 8;

/**
 * Where a path may lead. An absolute path outside may be one whose beginning was a variable we do not know; behind a link, `..` leads
 * to the folder above what the link points to.
 */
function placesOf(path: string, folder: string, { cwd, real }: Checkout): readonly string[] {
  const place = resolve(folder, path);
  const places = [place];
  const outside = isAbsolute(path) && !isBelow(place, real) && !isBelow(place, cwd);
  if (outside) places.push(resolve(folder, `.${sep}${path}`));
  if (!/(?:^|[/\\])\.\.[/\\]/.test(path)) return places;
  const really = realPathOf(isAbsolute(path) ? path : `${folder}${sep}${path}`);
  return really === undefined ? places : [...places, really];
}

/** The path from the checkout's folder, by name or by where it really lies; undefined outside. */
function insidePath(place: string, { cwd, real }: Checkout): string | undefined {
  for (const root of [real, cwd]) if (isBelow(place, root)) return portable(relative(root, place));
  const really = realPathOf(place);
  return really !== undefined && isBelow(really, real) ? portable(relative(real, really)) : undefined;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function portable(path: string): string {
  return path.split(sep).join("/");
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // What is not there lies nowhere.
    return undefined;
  }
}

/** The most a file may weigh whose bytes are compared before every run. */
const mostBytes = 16 * 1024 * 1024;

type Looked = "nothing" | "folder" | { readonly bytes: Buffer } | { readonly unusable: string };

function lookAt(path: string): Looked {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return "nothing";
    if (stat.isDirectory()) return "folder";
    return readNamedFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // A name that no file can have, or a link that leads nowhere, is no file.
    return code === "ENAMETOOLONG" || code === "ELOOP" || code === "ENOTDIR" || code === "ENOENT"
      ? "nothing"
      : { unusable: `cannot be read (${code})` };
  }
}

/** Contract: a pipe or a device delays nobody. Throws what the system throws. */
function readNamedFile(path: string): Exclude<Looked, string> {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { unusable: "is no ordinary file" };
    if (stat.size > mostBytes) return { unusable: `has ${stat.size} bytes; at most ${mostBytes} can be approved` };
    // One byte more than the size: what grows while it is read must not pass for its beginning.
    const bytes = Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) return { bytes: bytes.subarray(0, length) };
      length += read;
    }
    return { unusable: "grows while it is read" };
  } finally {
    closeSync(file);
  }
}
