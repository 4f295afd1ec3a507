import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";

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

export type Looked =
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
