import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Fs, type HomeSource, nodeFs, openState, withLock } from "../../files/internal.ts";
import { Problem } from "../../protocol/index.ts";
import { validateSession } from "../check/validate-session.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { checkObject, checkPlace } from "../option-checks.ts";
import { sessionAt } from "../session.ts";
import { refuseNewer } from "../write/store-format.ts";
import { callsAndTokens } from "./call-fingerprint.ts";
import { currentLayout, type MigrationStep, migrationSteps } from "./migration-steps.ts";
import { swapIn } from "./replace-session-files.ts";
import { type Backup, keepPresent, restoreBackup } from "./session-backup.ts";
import { copySession, removeTree, type SessionCopy } from "./session-copy.ts";

export interface MigrateOptions extends HomeSource {
  /** The layout wanted; there is one that all steps lead to. */
  readonly to?: string;
  readonly dryRun?: boolean;
  /** A process is still writing the session: then it is left alone. */
  readonly live?: boolean;
  readonly steps?: readonly MigrationStep[];
  readonly fs?: Fs;
  readonly now?: () => number;
}

export interface Migration {
  /** What was done, or for a dry run would be; nothing when the session is of the present layout. */
  readonly done: readonly { readonly from: string; readonly to: string; readonly what: readonly string[] }[];
  readonly backup?: Backup;
}

/**
 * Brings a session from older layouts to the present one: on a copy, which is checked, then swapped in file by file.
 *
 * Contract: the calls and tokens are the same after as before. Whenever it fails or is killed, the session can be read,
 * counts the same, and another run completes it. The backup stays until it is pruned.
 */
export async function migrateSession(place: SessionPlace, options: MigrateOptions = {}): Promise<Migration> {
  checkPlace(place);
  const { fs = nodeFs, to = currentLayout } = options;
  if (to !== currentLayout) throw unknownLayout(to);
  if (place.file.endsWith(".gz")) throw readOnly(place, "lies in the archive, which keeps what was");
  if (options.live === true) throw readOnly(place, "is still being written");
  await refuseNewer(place.root.path, fs);
  return withLock(place.file, () => migrate(place, options), { fs });
}

/**
 * Brings a session back to what it was before a migration or a repair. What was written since is in the backup that it gives, made
 * before anything changes; undefined when there is nothing to bring back.
 */
export async function rollbackSession(
  place: SessionPlace,
  backup: Backup,
  fs: Fs = nodeFs,
): Promise<Backup | undefined> {
  checkPlace(place);
  checkObject("backup", backup);
  const work = async () => {
    const kept = await keepPresent(backup, fs);
    if (kept !== undefined) await restoreBackup(backup, fs);
    return kept;
  };
  return withLock(place.file, work, { fs });
}

async function migrate(place: SessionPlace, options: MigrateOptions): Promise<Migration> {
  const { fs = nodeFs, now = Date.now, steps = migrationSteps } = options;
  const model = await sessionAt(place).load();
  const done = steps
    .map((step) => ({ from: step.from, to: step.to, what: step.describe(model) }))
    .filter(({ what }) => what.length > 0);
  if (done.length === 0 || options.dryRun === true) return { done };
  const root = join(await openState(["migrating"], options, fs), randomUUID());
  const why = `migration from ${done.map(({ from }) => from).join(", ")} to ${currentLayout}`;
  try {
    const copy = await copySession(place, root, fs);
    for (const step of steps) {
      const before = await sessionAt(copy.place).load();
      if (step.describe(before).length > 0) await step.apply(before, fs);
    }
    await checkResult(place, copy);
    const wish = { backups: await openState(["backups"], options, fs), why, now: now() };
    const backup = await swapIn(place, copy, wish, fs);
    await removeTree(root, fs);
    return { done, backup };
  } catch (error) {
    // An attempt that a message names stays; any other is of no use, and on a full disk in the way. The first error is the one to know.
    if (!(error instanceof Problem && error.code === "sessions/not-migrated"))
      await removeTree(root, fs).catch(() => undefined);
    throw error;
  }
}

async function checkResult(place: SessionPlace, copy: SessionCopy): Promise<void> {
  const [before, after] = await Promise.all([place, copy.place].map((one) => sessionAt(one).load()));
  const [flaws, left] = await Promise.all(
    [place, copy.place].map(async (one) => (await validateSession(one)).counts.error),
  );
  if (before === undefined || after === undefined || flaws === undefined || left === undefined) return;
  const same = callsAndTokens(before) === callsAndTokens(after);
  if (same && left <= flaws) return;
  const why = same ? "it would have new errors" : "its calls would not count the same";
  throw new Problem(
    "sessions/not-migrated",
    `${place.id} stays as it is: ${why}. The attempt is in ${copy.place.folder}.`,
    {
      about: { session: place.id, errorsBefore: flaws, errorsAfter: left },
    },
  );
}

function unknownLayout(to: string): Problem {
  return new Problem("sessions/unknown-format", `"${to}" is no layout of sessions. There is "${currentLayout}".`, {
    about: { to },
  });
}

function readOnly(place: SessionPlace, why: string): Problem {
  return new Problem("sessions/read-only", `${place.id} ${why}. Nothing was changed.`, {
    about: { session: place.id },
  });
}
