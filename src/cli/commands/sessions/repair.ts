import { nodeFs, openState } from "../../../files/internal.ts";
import { escapeControls, Problem } from "../../../protocol/internal.ts";
import {
  type Backup,
  isPathInside,
  listBackups,
  migrateSession,
  type RepairResult,
  repairSession,
  rollbackSession,
  type SessionPlace,
} from "../../../sessions/internal.ts";
import type { Call, Command, Io } from "../../command-line/command.ts";
import { jsonOption, liveIds, namedSessions, rootOption } from "../../options/session-options.ts";
import { jsonText } from "../../print/json.ts";

export const command: Command = {
  usage: "[SESSION] [--dry-run] [--in-place] [--to FORMAT] [--rollback] [--json]",
  about: `Mends what "sessions validate" calls an error, in a copy, and keeps a backup.

Lines that need no mending keep every byte; what is taken out is kept beside the session. The calls and tokens are the same after as
before. With --in-place the mended files take the place of the old ones, unless the session is still being written. --to subagents
brings a session of an older version to the present layout, in place. --rollback undoes the last change in
place, a rollback included: what was there is kept in a backup too.`,
  mostArguments: 1,
  options: {
    "dry-run": { type: "boolean", about: "say what would be done, and do nothing" },
    "in-place": { type: "boolean", about: "swap the mended files in" },
    to: { type: "string", value: "FORMAT", about: "bring it to this layout: subagents" },
    rollback: { type: "boolean", excludes: ["to"], about: "bring back the files of the newest backup" },
    root: rootOption,
    json: jsonOption,
  },
  examples: ["hookline sessions repair last --dry-run", "hookline sessions repair 1a2b3c4d --in-place"],
  async run(call, io) {
    const [place] = await namedSessions(call, io);
    if (place === undefined) return 1;
    const live = (await liveIds(call, io)).has(place.id);
    if (call.flag("rollback")) return rollBack(place, live, call, io);
    const to = call.text("to");
    if (to !== undefined) return migrate(place, to, live, call, io);
    const options = { env: io.env, home: io.home, live, dryRun: call.flag("dry-run"), inPlace: call.flag("in-place") };
    const repair = await repairSession(place, options);
    await io.out(call.flag("json") ? repairJson(place, repair) : repairText(place, repair, call.flag("dry-run")));
    return 0;
  },
};

function repairJson(place: SessionPlace, { mends, place: mended, backup }: RepairResult): string {
  const object = { session: place.id, mends, file: mended?.file ?? null, backup: backup?.folder ?? null };
  return jsonText(object);
}

function repairText(place: SessionPlace, { mends, place: mended, backup }: RepairResult, dryRun: boolean): string {
  if (mends.length === 0) return `${place.id}: nothing to mend\n`;
  const name = (file: string) => escapeControls(file.slice(place.folder.length + 1));
  const lines = mends.map(
    ({ code, file, line, message }) => `  ${code}  ${name(file)}:${line}  ${escapeControls(message)}`,
  );
  const end = dryRun
    ? ["nothing was changed (--dry-run)"]
    : [`mended: ${escapeControls(mended?.file ?? "")}`, `backup: ${escapeControls(backup?.folder ?? "")}`];
  return `${[`${place.id}: ${mends.length} to mend`, ...lines, ...end].join("\n")}\n`;
}

async function migrate(place: SessionPlace, to: string, live: boolean, call: Call, io: Io): Promise<number> {
  const options = { env: io.env, home: io.home, to, live, dryRun: call.flag("dry-run") };
  const { done, backup } = await migrateSession(place, options);
  if (call.flag("json")) {
    await io.out(jsonText({ session: place.id, done, backup: backup?.folder ?? null }));
    return 0;
  }
  const lines = done.flatMap(({ from, what }) => what.map((one) => `  ${from}: ${escapeControls(one)}`));
  const end = backup === undefined ? [] : [`backup: ${escapeControls(backup.folder)}`];
  const head = done.length === 0 ? `${place.id} is of the layout "${to}" already` : place.id;
  await io.out(`${[head, ...lines, ...end].join("\n")}\n`);
  return 0;
}

async function rollBack(place: SessionPlace, live: boolean, call: Call, io: Io): Promise<number> {
  if (live)
    throw new Problem("sessions/live", `${place.id} is still being written. End it first.`, {
      about: { session: place.id },
    });
  const backups = await openState(["backups"], { env: io.env, home: io.home }, nodeFs);
  const newest = (await listBackups(backups, place.id)).findLast((backup) => isOf(place, backup));
  if (newest === undefined) {
    throw new Problem("sessions/no-backup", `There is no backup of ${place.id} in ${backups}.`, {
      about: { session: place.id },
    });
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
  const before = `as it was before the ${escapeControls(newest.why)} of ${newest.madeAt}`;
  const lines = dryRun
    ? [`${place.id} would be ${before}`, "nothing was changed (--dry-run)"]
    : [`${place.id} is ${before}`, ...(kept === undefined ? [] : [`what was there: ${escapeControls(kept.folder)}`])];
  await io.out(call.flag("json") ? jsonText(object) : `${lines.join("\n")}\n`);
  return 0;
}

/** Sessions in two projects can have one id. */
function isOf({ folder }: SessionPlace, { files, added }: Backup): boolean {
  return [...files.map(({ path }) => path), ...added].every((path) => isPathInside(folder, path));
}
