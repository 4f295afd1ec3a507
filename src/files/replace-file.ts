import type { Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  closeAfter,
  type Fs,
  type FsFile,
  ignoringErrors,
  nodeFs,
  notOurs,
  openFlags,
  readWholeFile,
  succeedsUnless,
  writeWholeFile,
} from "./disk.ts";
import { sweepLeftoversOnce, tempName } from "./temp-file.ts";

interface ReplaceOptions {
  readonly fs?: Fs;
  /** Mode of a new file; an existing one keeps its own. Default: 0600. */
  readonly mode?: number;
  /** A link at the path: `refuse` (default) for files that only we use, `through` writes what it points to. */
  readonly links?: "refuse" | "through";
  /** Replace only while the file still has these bytes; `null`: only while there is none. */
  readonly expect?: Uint8Array | null;
}

/** `changed`: the file was not what `expect` says, so it was left as it is. */
type Replaced = "replaced" | "changed";

/**
 * Replaces the content of a file atomically: every reader sees the old or the new content, even if this process is killed.
 *
 * Contract: on disk when it resolves. Mode and owner stay, a linked file stays a link, and nothing but the file changes.
 * It does not lock: callers that read, change and write hold the file's lock meanwhile.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array | string,
  options: ReplaceOptions = {},
): Promise<Replaced> {
  const { fs = nodeFs, mode = 0o600, links = "refuse", expect } = options;
  const target = await targetOf(path, links, fs);
  const folder = dirname(target);
  await sweepLeftoversOnce(folder, fs);
  const old = await ignoringErrors(["ENOENT"], fs.lstat(target));
  if (old !== undefined && !old.isFile())
    throw notOurs(target, "should be a file. Move away what is there and try again.");
  const temp = tempName(target);
  try {
    await writeTemp(temp, Buffer.from(bytes), { target, old, mode }, fs);
    if (expect !== undefined && !(await hasBytes(target, expect, fs))) {
      await fs.unlink(temp);
      return "changed";
    }
    await fs.rename(temp, target);
  } catch (error) {
    // Should this fail too, the next start sweeps the folder.
    await Promise.allSettled([fs.unlink(temp)]);
    throw error;
  }
  await fs.syncFolder(folder);
  return "replaced";
}

/** The file that a write to `path` changes. A link may point to a file that does not exist yet. */
async function targetOf(path: string, links: "refuse" | "through", fs: Fs): Promise<string> {
  let target = resolve(path);
  for (let steps = 0; steps < 40; steps += 1) {
    const stat = await ignoringErrors(["ENOENT"], fs.lstat(target));
    if (stat === undefined || !stat.isSymbolicLink()) return target;
    if (links === "refuse") throw notOurs(path, "is a link. It was not followed; remove it and try again.");
    // A relative link is resolved from the real folder it is in.
    target = resolve(await fs.realpath(dirname(target)), await fs.readlink(target));
  }
  throw notOurs(path, "is a link that leads in a circle.");
}

async function writeTemp(
  temp: string,
  bytes: Uint8Array,
  { target, old, mode }: { target: string; old: Stats | undefined; mode: number },
  fs: Fs,
): Promise<void> {
  const file = await fs.open(temp, openFlags.creating, 0o600);
  await closeAfter(file, async () => {
    await writeWholeFile(file, bytes);
    await keepOwner(file, old, target);
    await file.chmod(old === undefined ? mode : old.mode & 0o7777);
    await file.sync();
  });
}

async function keepOwner(file: FsFile, old: Stats | undefined, target: string): Promise<void> {
  if (old === undefined || process.getuid === undefined) return;
  const now = await file.stat();
  if (now.uid === old.uid && now.gid === old.gid) return;
  if (await succeedsUnless(["EPERM"], file.chown(old.uid, old.gid))) return;
  const owner = `another user or group (${old.uid}:${old.gid})`;
  throw notOurs(target, `belongs to ${owner}, which a new file of yours cannot. Make it yours (chown) and try again.`);
}

async function hasBytes(path: string, expect: Uint8Array | null, fs: Fs): Promise<boolean> {
  const file = await ignoringErrors(["ENOENT"], fs.open(path, openFlags.reading));
  if (file === undefined) return expect === null;
  const bytes = await closeAfter(file, () => readWholeFile(file));
  return expect !== null && bytes.equals(expect);
}
