import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
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
import { isObject, mustBe, Problem } from "../../protocol/internal.ts";
import { validateSession } from "../check/validate-session.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { textFields } from "../home/claude-code-json.ts";
import { isGraphEntry } from "../model/entry-graph.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Subagent } from "../model/subagents.ts";
import { checkArgument, checkSessionPlace } from "../option-checks.ts";
import { isSafeId } from "../safe-paths.ts";
import { sessionAt } from "../session.ts";
import { setField } from "../write/edit-line.ts";
import { refuseNewer } from "../write/session-store.ts";
import { copySession, countsTheSame, replaceSessionFiles, type SessionCopy } from "./replace-session-files.ts";
import { type Backup, backUpPresentFiles, restoreBackup } from "./session-backup.ts";

export interface MigrateOptions extends HomeSource {
  /** The wanted layout: `subagents`, which all steps lead to. */
  readonly to?: string;
  readonly dryRun?: boolean;
  /** A process is still writing the session: then it is not converted. */
  readonly live?: boolean;
  readonly steps?: readonly MigrationStep[];
  readonly fs?: Fs;
  readonly now?: () => number;
}

export interface MigrationResult {
  /** What was done, or for a dry run would be; empty when the session has the current layout. */
  readonly done: readonly { readonly from: string; readonly to: string; readonly what: readonly string[] }[];
  readonly backup?: Backup;
}

/**
 * Converts a session of an older layout to the current one: on a copy, which is checked and then replaces the original file by file.
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
 * Restores a session to its state before a migration or a repair. Returns a backup of what was written since, made before anything
 * changes; undefined when nothing has to be restored.
 */
export async function rollbackSession(place: SessionPlace, backup: Backup): Promise<Backup | undefined> {
  checkSessionPlace(place);
  checkArgument("backup", backup, mustBe.object);
  return withLock(place.file, async () => {
    const kept = await backUpPresentFiles(backup, nodeFs);
    if (kept !== undefined) await restoreBackup(backup, nodeFs);
    return kept;
  });
}

async function migrate(place: SessionPlace, options: MigrateOptions): Promise<MigrationResult> {
  const { fs = nodeFs, now = Date.now, steps = migrationSteps } = options;
  const model = await sessionAt(place).load();
  const done = steps
    .map((step) => ({ from: step.from, to: currentLayout, what: step.describe(model) }))
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
    const backups = await openState(["backups"], options, fs);
    const backup = await replaceSessionFiles(place, copy, { root: backups, why, now: now() }, fs);
    await rm(root, { recursive: true });
    return { done, backup };
  } catch (error) {
    // The attempt stays only when the message names it. If it cannot be removed, the first error is still the one to report.
    if (!(error instanceof Problem && error.code === "sessions/not-migrated"))
      await rm(root, { recursive: true }).catch(() => undefined);
    throw error;
  }
}

async function checkResult(place: SessionPlace, copy: SessionCopy): Promise<void> {
  const errorsBefore = (await validateSession(place)).counts.error;
  const errorsAfter = (await validateSession(copy.place)).counts.error;
  const same = await countsTheSame(place, copy.place);
  if (same && errorsAfter <= errorsBefore) return;
  const why = same ? "it would have new errors" : "its calls would not count the same";
  const message = `${place.id} stays as it is: ${why}. The attempt is in ${copy.place.folder}.`;
  throw new Problem("sessions/not-migrated", message, { about: { session: place.id, errorsBefore, errorsAfter } });
}

function unknownLayout(to: string): Problem {
  const message = `"${to}" is not a layout of sessions. Use "${currentLayout}".`;
  return new Problem("sessions/unknown-format", message, { about: { to } });
}

function readOnly(place: SessionPlace, why: string): Problem {
  const message = `${place.id} ${why}. Nothing was changed.`;
  return new Problem("sessions/read-only", message, { about: { session: place.id } });
}

/** The layout that every step leads to: each agent in `<session>/subagents/`, with its meta file. */
const currentLayout = "subagents";

/** Converts a session from an older layout to the current one. */
interface MigrationStep {
  readonly from: string;
  /** What it would do to this session, one sentence each; empty when the session does not have that layout. */
  describe(model: SessionModel): string[];
  /** Contract: changes files of the given session only, which is a copy. Done twice, it does no more than once. */
  apply(model: SessionModel, fs: Fs): Promise<void>;
}

/** Agents whose lines are in the main transcript. */
const inlineAgents: MigrationStep = {
  from: "inline-sidechains",
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

/** An unsafe id is replaced by its hash, in the form of Claude Code's own ids. */
function fileId(id: string): string {
  return isSafeId(id) ? id : `a${sha256(id).slice(0, 16)}`;
}

function linesOf({ thread }: Subagent): Buffer {
  const known = new Set(thread.graph.nodes.map(({ uuid }) => uuid));
  const lines = thread.entries.map((entry) => {
    const line = Buffer.from(entry.raw());
    // The parent of an agent's first line may be the call in the main transcript. In its own file that line has no parent.
    const outside = isGraphEntry(entry) && entry.parentUuid !== null && !known.has(entry.parentUuid);
    return Buffer.concat([outside ? setField(line, "parentUuid", null) : line, Buffer.from("\n")]);
  });
  return Buffer.concat(lines);
}

function metaOf({ toolCall, depth, meta }: Subagent): Record<string, unknown> {
  const input = isObject(toolCall?.input) ? textFields(toolCall.input, ["subagent_type", "description"]) : {};
  return {
    agentType: meta?.agentType ?? input.subagent_type,
    description: meta?.description ?? input.description,
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
  describe: (model) => agentsNextToMain(model).map(({ id }) => `agent ${id} moves into ${model.id}/subagents`),
  async apply(model, fs) {
    const folder = join(model.place.folder, model.id, "subagents");
    for (const { file } of agentsNextToMain(model)) {
      const bytes = await readFile(file);
      const target = join(folder, basename(file));
      await ensureFolder(folder, fs);
      const there = await ignoringErrors(["ENOENT"], readFile(target));
      // A different file of that name belongs to another agent: then this one is not moved.
      if (there !== undefined && !there.equals(bytes)) continue;
      await replaceFile(target, bytes, { fs });
      await fs.unlink(file);
    }
  },
};

function agentsNextToMain({ files }: SessionModel): { id: string; file: string }[] {
  return files.agents.filter((agent) => agent.nextToMain === true);
}

/** In the order in which they run. */
const migrationSteps: readonly MigrationStep[] = [inlineAgents, agentsBeside];
