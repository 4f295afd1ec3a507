import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Fs,
  findFolder,
  ignoringErrors,
  isFileProblem,
  isInside,
  nodeFs,
  openState,
  readPrivate,
  replaceFile,
  sha256,
  statePath,
  withLock,
} from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { Checkout } from "./coverage/gather-files.ts";
import { noPins, type Pins, parsePins, printPins } from "./pins.ts";

/** Where a person's approvals are looked for. All of it is the host's word. */
export interface TrustPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fs?: Fs;
}

/** What is known about a folder; or why nothing of what is there can be relied on. */
export type KnownPins = { readonly pins: Pins } | { readonly refused: string };

const below = ["trust"];

/** The file with the approvals of one folder, by its real path. */
export function pinFile({ env, home }: TrustPlaces, real: string): string {
  const name = sha256(real);
  return join(statePath({ env, home }), ...below, `${name}.json`);
}

/** Where there is no place for approvals there is nothing to watch; reading them says why. */
export function pinFilesOf(folders: readonly string[], places: TrustPlaces): readonly string[] {
  try {
    return folders.map((folder) => pinFile(places, folder));
  } catch (error) {
    if (isFileProblem(error)) return [];
    throw error;
  }
}

/** A checkout with its real path. A folder that no longer exists is its own real path. */
export async function checkoutAt({ cwd, home }: TrustPlaces): Promise<Checkout> {
  const real = await realpath(cwd).catch(() => cwd);
  return { cwd, real, home };
}

/** Reads approvals. Makes nothing and writes nothing. */
export async function readPins(places: TrustPlaces, real: string, checkout: string = real): Promise<KnownPins> {
  const { fs = nodeFs } = places;
  try {
    const file = pinFile(places, real);
    const inside = await whyInside(places, checkout);
    if (inside !== undefined) return { refused: inside };
    for (const folder of [dirname(dirname(file)), dirname(file)]) {
      if (!(await findFolder(folder, fs))) return { pins: noPins(real) };
    }
    const bytes = await readPrivate(file, fs);
    if (bytes === undefined) return { pins: noPins(real) };
    const pins = parsePins(bytes.toString("utf8"), real);
    return "fault" in pins ? { refused: `${file} cannot be used: ${pins.fault}` } : { pins };
  } catch (error) {
    if (isFileProblem(error)) return { refused: error.message };
    if (error instanceof Error && "code" in error) return { refused: `the approvals cannot be read: ${error.message}` };
    throw error;
  }
}

/** Changes what is known about a folder: locked, all at once, for this user alone. */
export async function changePins(places: TrustPlaces, real: string, change: (pins: Pins) => Pins): Promise<void> {
  const { env, home, fs = nodeFs } = places;
  const inside = await whyInside(places, real);
  if (inside !== undefined) throw unusable(inside);
  await openState(below, { env, home }, fs);
  const file = pinFile(places, real);
  await withLock(
    file,
    async () => {
      const known = await readPins(places, real);
      if ("refused" in known) throw unusable(known.refused);
      await replaceFile(file, printPins(change(known.pins)), { fs, mode: 0o600 });
    },
    { fs },
  );
  await pinsChanged(file);
}

/** Forgets all about a folder, whatever the file holds. */
export async function dropPins(places: TrustPlaces, real: string): Promise<boolean> {
  const { fs = nodeFs } = places;
  const file = pinFile(places, real);
  if (!(await findFolder(dirname(file), fs))) return false;
  const dropped = await withLock(
    file,
    async () =>
      (await ignoringErrors(
        ["ENOENT"],
        fs.unlink(file).then(() => true),
      )) ?? false,
    { fs },
  );
  await pinsChanged(file);
  return dropped;
}

/**
 * A checkout that holds the state folder could bring its own approvals. The home folder holds it rightly, and so does a folder
 * around the home folder.
 */
async function whyInside(places: TrustPlaces, real: string): Promise<string | undefined> {
  const { env, home, fs = nodeFs } = places;
  const state = statePath({ env, home });
  const [stateReal, homeReal] = await Promise.all([realOrSame(state, fs), realOrSame(home, fs)]);
  if (!isInside(stateReal, real) || isInside(homeReal, real)) return undefined;
  return `the state folder ${state} is inside ${real}, which could then approve itself. Set HOOKLINE_HOME to a folder outside`;
}

async function realOrSame(path: string, fs: Fs): Promise<string> {
  const real = await ignoringErrors(["ENOENT", "ENOTDIR"], fs.realpath(path));
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(await realOrSame(parent, fs), path.slice(parent.length));
}

function unusable(why: string): Problem {
  const message = `Nothing can be approved: ${why}. hookline trust --revoke forgets what was approved.`;
  return new Problem("trust/store-refused", message);
}

type Listener = () => Promise<void>;

/** Who in this process wants to know when the approvals in a file change. */
const listeners = new Map<string, Set<Listener>>();

/** Calls `listener` whenever this process changes approvals in one of the files; returns the end of it. */
export function onPinsChanged(files: readonly string[], listener: Listener): () => void {
  for (const file of files) listeners.set(file, (listeners.get(file) ?? new Set()).add(listener));
  return () => {
    for (const file of files) {
      const left = listeners.get(file);
      left?.delete(listener);
      if (left?.size === 0) listeners.delete(file);
    }
  };
}

/** Contract: resolves when every engine of this process goes by the new approvals. */
async function pinsChanged(file: string): Promise<void> {
  await Promise.all([...(listeners.get(file) ?? [])].map((listener) => listener()));
}

/** By what a change of approvals shows that another process made. */
export function pinMarks(files: readonly string[]): string {
  return files
    .map((file) => {
      try {
        const stat = statSync(file, { throwIfNoEntry: false });
        return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
      } catch (error) {
        // The reader of approvals reports why it cannot be read.
        const { code } = error as NodeJS.ErrnoException;
        if (code === undefined) throw error;
        return code;
      }
    })
    .join("\n");
}
