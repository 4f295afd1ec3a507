import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  appendLines,
  ensureFolder,
  type Fs,
  type HomeSource,
  nodeFs,
  openState,
  replaceFile,
  withLock,
} from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { changedFiles, copySession, countsTheSame, replaceSessionFiles } from "../keep/replace-session-files.ts";
import { type Backup, backUpSession } from "../keep/session-backup.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { checkCallOptions, checkSessionPlace, homeOptions } from "../option-checks.ts";
import type { CheckedSession } from "./check-session.ts";
import type { RepairStep } from "./repair-lines.ts";
import { applyPlan, planRepair, type RepairedFile } from "./repair-plan.ts";
import { examine, validateSession } from "./validate-session.ts";

/** Options of `repairSession`. */
export interface RepairOptions extends HomeSource {
  /** Report the repairs without making them. */
  readonly dryRun?: boolean;
  /** Replace the damaged files. */
  readonly inPlace?: boolean;
  /** A process is still writing the session: then it is not repaired in place. */
  readonly live?: boolean;
  /** Replaces the file system, for tests. */
  readonly fs?: Fs;
  /** Replaces the clock, for tests. */
  readonly now?: () => number;
  /** Makes ids, for tests. */
  readonly uuid?: () => string;
}

/** The result of `repairSession`: the repairs and the repaired session. */
export interface RepairResult {
  readonly mends: readonly RepairStep[];
  /** The repaired session; absent when there was nothing to repair, and for a dry run. */
  readonly place?: SessionPlace;
  /** The files as they were. */
  readonly backup?: Backup;
}

/**
 * Repairs what `validate` reports as an error. The repaired session is a copy in the state folder, unless `inPlace`; what is removed
 * is kept next to it, and the original in a backup.
 *
 * Contract: the result has no errors and the same calls and tokens as before, and every line that no step names has its
 * bytes. If that is not possible, it throws and the original is unchanged.
 */
export async function repairSession(place: SessionPlace, options: RepairOptions = {}): Promise<RepairResult> {
  checkSessionPlace(place);
  checkCallOptions("repairSession", options, [...homeOptions, "dryRun", "inPlace", "live", "fs", "now", "uuid"]);
  const { fs = nodeFs, inPlace = false } = options;
  if (place.file.endsWith(".gz")) throw archived(place);
  if (!inPlace || options.dryRun === true) return repairCopy(place, { ...options, inPlace: false });
  if (options.live === true) throw stillLive(place);
  return withLock(place.file, () => repairCopy(place, options), { fs });
}

async function repairCopy(place: SessionPlace, options: RepairOptions): Promise<RepairResult> {
  const { fs = nodeFs, now = Date.now, uuid = randomUUID } = options;
  const name = `${new Date(now()).toISOString().replaceAll(":", "-")}-${place.id}-${uuid().slice(0, 8)}`;
  const root = join(await openState(["repaired"], options, fs), name);
  const copy = await copySession(place, root, fs);
  const mends = await repairUntilClean(copy.place, place, fs, uuid);
  if (mends.length > 0) {
    await checkResult(place, copy.place, options.dryRun === true).catch(async (error: unknown) => {
      if (options.dryRun === true) await rm(root, { recursive: true });
      throw error;
    });
  }
  if (mends.length === 0 || options.dryRun === true) {
    await rm(root, { recursive: true });
    return { mends };
  }
  const request = { root: await openState(["backups"], options, fs), why: "repair", now: now() };
  if (options.inPlace === true) {
    const backup = await replaceSessionFiles(place, copy, request, fs);
    await rm(root, { recursive: true });
    return { mends, place, backup };
  }
  const paths = (await changedFiles(place, copy)).changed.map((path) => join(place.folder, path));
  const backup = await backUpSession({ ...request, session: place.id, paths }, fs);
  return { mends, place: copy.place, backup };
}

async function checkResult(place: SessionPlace, copy: SessionPlace, dryRun: boolean): Promise<void> {
  const { findings } = await validateSession(copy);
  const errors = findings.filter(({ severity }) => severity === "error");
  const [left] = errors;
  if (left === undefined && (await countsTheSame(place, copy))) return;
  const why = left === undefined ? "its calls would not count the same" : `${left.code} would be left: ${left.message}`;
  const attempt = dryRun ? "" : `; the attempt is in ${copy.folder}`;
  const message = `${place.id} cannot be repaired: ${why}. The original is untouched${attempt}.`;
  throw new Problem("sessions/not-mendable", message, { about: { session: place.id, findings: errors } });
}

function stillLive(place: SessionPlace): Problem {
  const message = `${place.id} is still being written. Repair a copy (without --in-place), or end it first.`;
  return new Problem("sessions/live", message, { about: { session: place.id } });
}

function archived(place: SessionPlace): Problem {
  const message = `${place.id} is archived, and archives are not changed. Fork it and repair the fork.`;
  return new Problem("sessions/archived", message, { about: { session: place.id, file: place.file } });
}

/** A repair may uncover another fault; no known file needs more than two rounds. */
const mostRounds = 8;

/** Repairs the files of a copied session until nothing is left to repair. Steps name the paths of the original. */
async function repairUntilClean(
  copy: SessionPlace,
  original: SessionPlace,
  fs: Fs,
  uuid: () => string,
): Promise<RepairStep[]> {
  const mends: RepairStep[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const session = await examine(copy, false);
    const plan = planRepair(session, uuid);
    if (plan.mends.length === 0) break;
    for (const step of plan.mends) {
      mends.push({ ...step, file: join(original.folder, relative(copy.folder, step.file)) });
    }
    const files = new Set([...[...plan.changes.keys()].map(({ file }) => file), ...plan.tails.map(({ file }) => file)]);
    for (const file of files) {
      const repaired = applyPlan(file, await readFile(file), itemsIn(file, session), plan);
      await keepRemoved(repaired, relative(copy.folder, file), copy, fs);
      await replaceFile(file, repaired.bytes, { fs });
    }
  }
  return mends;
}

function itemsIn(file: string, { threads }: CheckedSession): TranscriptItem[] {
  const items = threads.flatMap((thread) => thread.items.filter((item) => item.file === file));
  return items.sort((a, b) => a.offset - b.offset);
}

/** Removed content goes to `<session>/hookline-set-aside.jsonl`, one line each. */
async function keepRemoved({ removed }: RepairedFile, file: string, copy: SessionPlace, fs: Fs): Promise<void> {
  if (removed.length === 0) return;
  const folder = join(copy.folder, copy.id);
  await ensureFolder(folder, fs);
  const lines = removed.map(({ why, content, line, offset }) =>
    JSON.stringify({ file, line, offset, why, ...asJson(content) }),
  );
  await appendLines(join(folder, "hookline-set-aside.jsonl"), lines, { fs, durable: true });
}

function asJson(content: unknown): Record<string, unknown> {
  if (!(content instanceof Uint8Array)) return { content };
  const bytes = Buffer.from(content);
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString("base64") };
}
