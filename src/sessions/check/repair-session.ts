import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Fs, type HomeSource, nodeFs, openState, withLock } from "../../files/internal.ts";
import { Problem } from "../../protocol/index.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { callsAndTokens } from "../keep/call-fingerprint.ts";
import { differences, swapIn } from "../keep/replace-session-files.ts";
import { type Backup, backUp } from "../keep/session-backup.ts";
import { copySession, removeTree } from "../keep/session-copy.ts";
import { checkPlace } from "../option-checks.ts";
import { sessionAt } from "../session.ts";
import type { Mend } from "./repair-changes.ts";
import { mendCopy } from "./repair-copy.ts";
import { validateSession } from "./validate-session.ts";

export interface RepairOptions extends HomeSource {
  /** Say what would be done, and do nothing. */
  readonly dryRun?: boolean;
  /** Put the mended files where the flawed ones are. */
  readonly inPlace?: boolean;
  /** A process is still writing the session: then it is not repaired in place. */
  readonly live?: boolean;
  readonly fs?: Fs;
  readonly now?: () => number;
  readonly uuid?: () => string;
}

export interface Repair {
  readonly mends: readonly Mend[];
  /** The mended session; absent when there was nothing to mend, or for a dry run. */
  readonly place?: SessionPlace;
  /** The files as they were. */
  readonly backup?: Backup;
}

/**
 * Mends what `validate` calls an error. The mended session is a copy in the state folder, unless `inPlace`; what is taken
 * out of it is kept beside it, and the original in a backup.
 *
 * Contract: the result has no errors and the same calls and tokens as before, and every line that no mend names has its
 * bytes. If that cannot be had, it throws and the original is as it was.
 */
export async function repairSession(place: SessionPlace, options: RepairOptions = {}): Promise<Repair> {
  checkPlace(place);
  const { fs = nodeFs, inPlace = false } = options;
  if (place.file.endsWith(".gz")) throw archived(place);
  if (!inPlace || options.dryRun === true) return repairCopy(place, { ...options, inPlace: false });
  if (options.live === true) throw stillLive(place);
  return withLock(place.file, () => repairCopy(place, options), { fs });
}

async function repairCopy(place: SessionPlace, options: RepairOptions): Promise<Repair> {
  const { fs = nodeFs, now = Date.now, uuid = randomUUID } = options;
  const name = `${new Date(now()).toISOString().replaceAll(":", "-")}-${place.id}-${uuid().slice(0, 8)}`;
  const root = join(await openState(["repaired"], options, fs), name);
  const copy = await copySession(place, root, fs);
  const mends = await mendCopy(copy.place, place, fs, uuid);
  if (mends.length > 0) {
    await checkResult(place, copy.place, options.dryRun === true).catch(async (error: unknown) => {
      if (options.dryRun === true) await removeTree(root, fs);
      throw error;
    });
  }
  if (mends.length === 0 || options.dryRun === true) {
    await removeTree(root, fs);
    return { mends };
  }
  const backups = await openState(["backups"], options, fs);
  if (options.inPlace === true) {
    const backup = await swapIn(place, copy, { backups, why: "repair", now: now() }, fs);
    await removeTree(root, fs);
    return { mends, place, backup };
  }
  const paths = (await differences(place, copy)).changed.map((path) => join(place.folder, path));
  const backup = await backUp({ root: backups, session: place.id, why: "repair", paths, now: now() }, fs);
  return { mends, place: copy.place, backup };
}

async function checkResult(place: SessionPlace, copy: SessionPlace, dryRun: boolean): Promise<void> {
  const { counts, findings } = await validateSession(copy);
  const left = findings.find(({ severity }) => severity === "error");
  const [before, after] = await Promise.all([sessionAt(place).load(), sessionAt(copy).load()]);
  const counted = callsAndTokens(before) === callsAndTokens(after);
  if (counts.error === 0 && counted) return;
  const why = left === undefined ? "its calls would not count the same" : `${left.code} would be left: ${left.message}`;
  const attempt = dryRun ? "" : `; the attempt is in ${copy.folder}`;
  throw new Problem(
    "sessions/not-mendable",
    `${place.id} cannot be repaired: ${why}. The original is untouched${attempt}.`,
    { about: { session: place.id, findings: findings.filter(({ severity }) => severity === "error") } },
  );
}

function stillLive(place: SessionPlace): Problem {
  return new Problem(
    "sessions/live",
    `${place.id} is still being written. Repair a copy (without --in-place), or end it first.`,
    {
      about: { session: place.id },
    },
  );
}

function archived(place: SessionPlace): Problem {
  return new Problem(
    "sessions/archived",
    `${place.id} lies in the archive, which keeps what was. Fork it and repair the fork.`,
    {
      about: { session: place.id, file: place.file },
    },
  );
}
