import { isInside, nodeFs, openState } from "../../../files/internal.ts";
import { escapeControls, Problem } from "../../../protocol/internal.ts";
import {
  type Backup,
  listBackups,
  migrateSession,
  type RepairResult,
  repairSession,
  rollbackSession,
  type SessionPlace,
} from "../../../sessions/internal.ts";
import type { Command, Io, ParsedCall } from "../../command-line/command.ts";
import { liveSessionIds, namedSession, sessionOptions } from "../../options/session-options.ts";
import { jsonText } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[SESSION] [--dry-run] [--in-place] [--to FORMAT] [--rollback] [--json]",
  about: `Repairs the errors that "sessions validate" reports. Works on a copy and keeps a backup.

Intact lines are kept byte for byte; removed lines are saved in a file next to the session. Calls and tokens do not change. --in-place
replaces the session with the repaired files, unless the session is still being written. --to subagents converts a session of an older
version to the current layout, in place. --rollback undoes the last in-place change and keeps a backup; a second --rollback redoes it.`,
  mostArguments: 1,
  options: {
    "dry-run": { about: "print the changes without making them" },
    "in-place": { about: "replace the session with the repaired files" },
    to: { value: "FORMAT", about: "convert to this layout: subagents" },
    rollback: { excludes: ["to"], about: "restore the files of the newest backup" },
    ...sessionOptions,
  },
  examples: ["hookline sessions repair last --dry-run", "hookline sessions repair 1a2b3c4d --in-place"],
  async run(call, io) {
    const place = await namedSession(call, io);
    const live = (await liveSessionIds(call, io)).has(place.id);
    if (call.flag("rollback")) return rollBack(place, live, call, io);
    const to = call.text("to");
    if (to !== undefined) return migrate(place, to, live, call, io);
    const options = { env: io.env, home: io.home, live, dryRun: call.flag("dry-run"), inPlace: call.flag("in-place") };
    const repair = await repairSession(place, options);
    const { mends, place: repaired, backup } = repair;
    const object = { session: place.id, mends, file: repaired?.file ?? null, backup: backup?.folder ?? null };
    await io.out(call.flag("json") ? jsonText(object) : repairText(place, repair, options.dryRun));
    return 0;
  },
};

function repairText(place: SessionPlace, { mends, place: repaired, backup }: RepairResult, dryRun: boolean): string {
  if (mends.length === 0) return `${place.id}: nothing to repair\n`;
  const name = (file: string) => escapeControls(file.slice(place.folder.length + 1));
  const lines = mends.map(
    ({ code, file, line, message }) => `  ${code}  ${name(file)}:${line}  ${escapeControls(message)}`,
  );
  const end = dryRun
    ? ["nothing was changed (--dry-run)"]
    : [`repaired: ${escapeControls(repaired?.file ?? "")}`, `backup: ${escapeControls(backup?.folder ?? "")}`];
  return `${[`${place.id}: ${mends.length} to repair`, ...lines, ...end].join("\n")}\n`;
}

async function migrate(place: SessionPlace, to: string, live: boolean, call: ParsedCall, io: Io): Promise<number> {
  const options = { env: io.env, home: io.home, to, live, dryRun: call.flag("dry-run") };
  const { done, backup } = await migrateSession(place, options);
  const object = { session: place.id, done, backup: backup?.folder ?? null };
  const lines = done.flatMap(({ from, what }) => what.map((one) => `  ${from}: ${escapeControls(one)}`));
  const end = backup === undefined ? [] : [`backup: ${escapeControls(backup.folder)}`];
  const head = done.length === 0 ? `${place.id} already has the layout "${to}"` : place.id;
  await io.out(call.flag("json") ? jsonText(object) : `${[head, ...lines, ...end].join("\n")}\n`);
  return 0;
}

async function rollBack(place: SessionPlace, live: boolean, call: ParsedCall, io: Io): Promise<number> {
  const about = { session: place.id };
  if (live) throw new Problem("sessions/live", `${place.id} is still being written. End the session first.`, { about });
  const backups = await openState(["backups"], { env: io.env, home: io.home }, nodeFs);
  const newest = (await listBackups(backups, place.id)).findLast((backup) => isOf(place, backup));
  if (newest === undefined) {
    throw new Problem("sessions/no-backup", `No backup of ${place.id} found in ${backups}.`, { about });
  }
  const dryRun = call.flag("dry-run");
  const kept = dryRun ? undefined : await rollbackSession(place, newest);
  const object = {
    session: place.id,
    restored: newest.files.map(({ path }) => path),
    removed: newest.added,
    backup: newest.folder,
    kept: kept?.folder ?? null,
  };
  const before = `restored to before the ${escapeControls(newest.why)} of ${newest.madeAt}`;
  const lines = dryRun
    ? [`${place.id} would be ${before}`, "nothing was changed (--dry-run)"]
    : [`${place.id} is ${before}`, ...(kept === undefined ? [] : [`backup: ${escapeControls(kept.folder)}`])];
  await io.out(call.flag("json") ? jsonText(object) : `${lines.join("\n")}\n`);
  return 0;
}

/** Two projects can have a session with the same id. */
function isOf({ folder }: SessionPlace, { files, added }: Backup): boolean {
  return [...files.map(({ path }) => path), ...added].every((path) => isInside(path, folder));
}
