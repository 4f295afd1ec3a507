import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  errorCode,
  findFolder,
  isFileProblem,
  isInside,
  nodeFs,
  openState,
  readState,
  replaceFile,
  sha256,
  statePath,
  succeedsUnless,
  withLock,
} from "../../files/internal.ts";
import { attempt, messageOf, Problem } from "../../protocol/internal.ts";
import type { ResolvedOptions } from "../options.ts";
import { realFile } from "../settings/settings-source.ts";
import type { Checkout } from "./coverage/gather-files.ts";
import { noPins, type Pins, parsePins, printPins } from "./pins.ts";

/** The folder in question, and where the approvals of the user are kept. The host provides all of it. */
export type TrustPlaces = Pick<ResolvedOptions, "cwd" | "home" | "env">;

/** The path below the state folder of the file with the approvals of one folder. `real` is the real path of the folder. */
function pathInState(real: string): readonly [folder: string, file: string] {
  return ["trust", `${sha256(real)}.json`];
}

function pinFile(places: TrustPlaces, real: string): string {
  return join(statePath(places), ...pathInState(real));
}

/** Empty when there is no state folder. `readPins` reports the reason. */
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

/** Reads the approvals of a folder; none, with the reason, when their file is refused. Creates and writes nothing. */
export async function readPins(places: TrustPlaces, real: string, checkout: string = real) {
  const none = noPins(real);
  try {
    const file = pinFile(places, real);
    const refused = await whySelfApproving(places, checkout);
    if (refused !== undefined) return { pins: none, refused };
    const bytes = await readState(pathInState(real), places);
    const pins = bytes === undefined ? none : parsePins(bytes.toString("utf8"), real);
    return "fault" in pins ? { pins: none, refused: `${file} cannot be used: ${pins.fault}` } : { pins };
  } catch (error) {
    if (isFileProblem(error)) return { pins: none, refused: error.message };
    if (errorCode(error) === undefined) throw error;
    return { pins: none, refused: `the approvals cannot be read: ${messageOf(error)}` };
  }
}

/** Changes the approvals of a folder under a lock. Only this user can read the file. */
export async function changePins(places: TrustPlaces, real: string, change: (pins: Pins) => Pins): Promise<void> {
  const refused = await whySelfApproving(places, real);
  if (refused !== undefined) throw cannotApprove(refused);
  const [folder] = pathInState(real);
  await openState([folder], places);
  const file = pinFile(places, real);
  await withLock(file, async () => {
    const { pins, refused } = await readPins(places, real);
    if (refused !== undefined) throw cannotApprove(refused);
    await replaceFile(file, printPins(change(pins)), { mode: 0o600 });
  });
  await notifyListeners(file);
}

/** Deletes all approvals of a folder, even if the file is damaged. False when there were none. */
export async function dropPins(places: TrustPlaces, real: string): Promise<boolean> {
  const file = pinFile(places, real);
  if (!(await findFolder(dirname(file)))) return false;
  const isDropped = await withLock(file, () => succeedsUnless(["ENOENT"], nodeFs.unlink(file)));
  await notifyListeners(file);
  return isDropped;
}

/**
 * A checkout that contains the state folder could come with its own approvals. The home folder and its parents may contain it.
 */
async function whySelfApproving(places: TrustPlaces, real: string): Promise<string | undefined> {
  const state = statePath(places);
  const [stateReal, homeReal] = await Promise.all([realFile(state), realFile(places.home)]);
  if (!isInside(stateReal, real) || isInside(homeReal, real)) return undefined;
  return `the state directory ${state} is inside ${real}, which could then approve itself. Set HOOKLINE_HOME to a directory outside`;
}

function cannotApprove(why: string): Problem {
  const message = `Nothing can be approved: ${why}. hookline trust --revoke deletes the approvals of the directory.`;
  return new Problem("trust/store-refused", message);
}

/** The pin files that engines of this process follow. */
const followers = new Set<{ readonly files: readonly string[]; readonly listener: () => Promise<void> }>();

/** Calls `listener` when this process changes approvals in one of the files, until the returned function is called. */
export function onPinsChanged(files: readonly string[], listener: () => Promise<void>): () => void {
  const follower = { files, listener };
  followers.add(follower);
  return () => void followers.delete(follower);
}

/** Contract: resolves when every engine of this process uses the new approvals. */
async function notifyListeners(file: string): Promise<void> {
  const affected = [...followers].filter(({ files }) => files.includes(file));
  await Promise.all(affected.map(({ listener }) => listener()));
}

/** The state of the files on disk. It differs after another process changed approvals. */
export function pinMarks(files: readonly string[]): string {
  return files
    .map((file) => {
      // If a file cannot be read, `readPins` reports why.
      const stat = attempt(() => statSync(file, { throwIfNoEntry: false }));
      return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    })
    .join("\n");
}
