import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  ensureFolder,
  type Fs,
  type HomeSource,
  ignoringErrors,
  nodeFs,
  openState,
  replaceFile,
  sha256,
  withLock,
} from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { validateSession } from "../check/validate-session.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { isGraphEntry } from "../model/entry-graph.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Subagent } from "../model/subagents.ts";
import { checkObject, checkSessionPlace } from "../option-checks.ts";
import { isSafeId } from "../safe-paths.ts";
import { sessionAt } from "../session.ts";
import { setField } from "../write/edit-line.ts";
import { refuseNewer } from "../write/session-store.ts";
import {
  callFingerprint,
  copySession,
  removeTree,
  replaceSessionFiles,
  type SessionCopy,
} from "./replace-session-files.ts";
import { type Backup, backUpPresentFiles, restoreBackup } from "./session-backup.ts";

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

export interface MigrationResult {
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
export async function migrateSession(place: SessionPlace, options: MigrateOptions = {}): Promise<MigrationResult> {
  checkSessionPlace(place);
  const { fs = nodeFs, to = currentLayout } = options;
  if (to !== currentLayout) throw unknownLayout(to);
  if (place.file.endsWith(".gz")) throw readOnly(place, "is archived, and archives are not changed");
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
  checkSessionPlace(place);
  checkObject("backup", backup);
  const work = async () => {
    const kept = await backUpPresentFiles(backup, fs);
    if (kept !== undefined) await restoreBackup(backup, fs);
    return kept;
  };
  return withLock(place.file, work, { fs });
}

async function migrate(place: SessionPlace, options: MigrateOptions): Promise<MigrationResult> {
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
    const backup = await replaceSessionFiles(place, copy, wish, fs);
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
  const same = callFingerprint(before) === callFingerprint(after);
  if (same && left <= flaws) return;
  const why = same ? "it would have new errors" : "its calls would not count the same";
  throw new Problem(
    "sessions/not-migrated",
    `${place.id} stays as it is: ${why}. The attempt is in ${copy.place.folder}.`,
    { about: { session: place.id, errorsBefore: flaws, errorsAfter: left } },
  );
}

function unknownLayout(to: string): Problem {
  return new Problem("sessions/unknown-format", `"${to}" is not a layout of sessions. Use "${currentLayout}".`, {
    about: { to },
  });
}

function readOnly(place: SessionPlace, why: string): Problem {
  return new Problem("sessions/read-only", `${place.id} ${why}. Nothing was changed.`, {
    about: { session: place.id },
  });
}

/** The layout that every step leads to: each agent in `<session>/subagents/`, with its meta file. */
const currentLayout = "subagents";

/** One way from an older layout of a session to the present one. */
interface MigrationStep {
  readonly from: string;
  readonly to: string;
  /** What it would do to this session, a sentence for each thing; nothing when the session is not of that layout. */
  describe(model: SessionModel): string[];
  /** Contract: changes files of the given session only, which is a copy. Done twice, it does no more than once. */
  apply(model: SessionModel, fs: Fs): Promise<void>;
}

/** Agents whose lines stand inside the main transcript. */
const inlineAgents: MigrationStep = {
  from: "inline-sidechains",
  to: currentLayout,
  describe: (model) =>
    inline(model).map((agent) => `agent ${agent.id}, ${agent.thread.entries.length} lines, gets a file of its own`),
  async apply(model, fs) {
    const agents = inline(model);
    const folder = join(model.place.folder, model.id, "subagents");
    if (agents.length > 0) await ensureFolder(folder, fs);
    for (const agent of agents) {
      const stem = join(folder, `agent-${fileId(agent.id)}`);
      await replaceFile(`${stem}.jsonl`, linesOf(agent), { fs });
      await replaceFile(`${stem}.meta.json`, JSON.stringify(metaOf(agent)), { fs });
    }
    await replaceFile(model.place.file, await withoutLines(model, agents), { fs });
  },
};

function inline({ agents }: SessionModel): Subagent[] {
  return agents.filter((agent) => agent.inline);
}

/** An unsafe id is replaced by its hash, in the form of the client's own ids. */
function fileId(id: string): string {
  return isSafeId(id) ? id : `a${sha256(id).slice(0, 16)}`;
}

function linesOf({ thread }: Subagent): Buffer {
  const known = new Set(thread.graph.nodes.map(({ uuid }) => uuid));
  const lines = thread.entries.map((entry) => {
    const line = Buffer.from(entry.raw());
    // An agent's first line may hang on the call in the main transcript; in a file of its own it is the beginning.
    const outside = isGraphEntry(entry) && entry.parentUuid !== null && !known.has(entry.parentUuid);
    return Buffer.concat([outside ? setField(line, "parentUuid", null) : line, Buffer.from("\n")]);
  });
  return Buffer.concat(lines);
}

function metaOf({ toolCall, depth, meta }: Subagent): Record<string, unknown> {
  const input =
    typeof toolCall?.input === "object" && toolCall.input !== null ? (toolCall.input as Record<string, unknown>) : {};
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : undefined);
  return {
    agentType: meta?.agentType ?? text("subagent_type"),
    description: meta?.description ?? text("description"),
    toolUseId: meta?.toolUseId ?? toolCall?.id,
    spawnDepth: meta?.spawnDepth ?? depth,
  };
}

/** The main transcript without the lines that moved; every other byte stays. */
async function withoutLines({ place }: SessionModel, agents: readonly Subagent[]): Promise<Buffer> {
  const bytes = await readFile(place.file);
  const moved = agents.flatMap(({ thread }) => thread.entries.map(({ offset, length }) => ({ offset, length })));
  const parts: Buffer[] = [];
  let done = 0;
  for (const { offset, length } of moved.sort((a, b) => a.offset - b.offset)) {
    const stop = bytes.indexOf(0x0a, offset + length);
    parts.push(bytes.subarray(done, offset));
    done = stop < 0 ? bytes.length : stop + 1;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}

/** Subagents whose files are next to the main transcript. */
const agentsBeside: MigrationStep = {
  from: "agents-beside",
  to: currentLayout,
  describe: (model) => beside(model).map(({ id }) => `agent ${id} moves into ${model.id}/subagents`),
  async apply(model, fs) {
    const folder = join(model.place.folder, model.id, "subagents");
    for (const { file } of beside(model)) {
      const bytes = await readFile(file);
      const target = join(folder, basename(file));
      await ensureFolder(folder, fs);
      const there = await ignoringErrors(["ENOENT"], readFile(target));
      // Another file of that name is another agent's: then this one stays where it is.
      if (there !== undefined && !there.equals(bytes)) continue;
      await replaceFile(target, bytes, { fs });
      await fs.unlink(file);
    }
  },
};

function beside({ files }: SessionModel): { id: string; file: string }[] {
  return files.agents.filter((agent) => agent.beside === true);
}

/** In the order in which they are taken. */
const migrationSteps: readonly MigrationStep[] = [inlineAgents, agentsBeside];
