import { appendFile, copyFile, cp, mkdir, readdir, readFile, rm, symlink, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../files/fixtures/temp-folder.ts";
import type { Command } from "../../command-line/command.ts";
import { parseCall } from "../../command-line/parse.ts";
import { runWithIo } from "../../fixtures/caller.ts";
import { command as archive } from "./archive.ts";
import { command as fork } from "./fork.ts";
import { command as ls } from "./ls.ts";
import { command as repair } from "./repair.ts";
import { command as validate } from "./validate.ts";

const recorded = resolve(import.meta.dirname, "../../../../test/fixtures/transcripts");
const id = "11111111-1111-4111-8111-111111111111";

/** A user with one recorded session; `run` calls a verb as they would. */
async function person() {
  const home = await tempFolder();
  const folder = join(home, ".claude", "projects", "-home-dev-project");
  await mkdir(folder, { recursive: true });
  await cp(join(recorded, "a-plain"), folder, { recursive: true });
  const caller = { home, cwd: "/home/dev/project", env: { HOOKLINE_HOME: join(home, "state") } };
  const run = (command: Command, ...args: string[]) =>
    runWithIo(caller, (io) => command.run(parseCall("sessions", command, args), io));
  return { home, folder, file: join(folder, `${id}.jsonl`), run };
}

test("validate says what is wrong and where, with status 1 for errors only", async () => {
  const { file, run } = await person();
  const clean = await run(validate);
  expect([clean.status, clean.out.split("\n")[0]]).toEqual([0, `${id}  0 errors, 0 warnings, 0 notes`]);
  expect(clean.out).toContain(
    "following parents from the end reaches 18 of 20 entries and misses 0 prompts and 1 tool result",
  );
  await appendFile(file, '{"half\u202e":\u001b[2J');
  const torn = await run(validate, id.slice(0, 6), "--errors");
  expect(torn.status).toBe(1);
  expect(torn.out).toContain("error    torn-tail");
  expect(/[\u001b\u202e]/.test(torn.out)).toBe(false);
  await run(archive);
  const json = await run(validate, "--all", "--json");
  expect([json.status, JSON.parse(json.out)]).toEqual([
    1,
    {
      sessions: [
        expect.objectContaining({ session: id, file, live: false, counts: { error: 1, warning: 0, note: 0 } }),
      ],
    },
  ]);
});

test("repair works on a copy or in place, and rolls back", async () => {
  const { home, file, run } = await person();
  await appendFile(file, '{"half":');
  const before = await readFile(file, "utf8");
  const dry = await run(repair, id, "--dry-run");
  expect(dry.out).toContain("torn-tail");
  expect([await readFile(file, "utf8"), await readdir(join(home, "state", "repaired"))]).toEqual([before, []]);
  const copy = JSON.parse((await run(repair, id, "--json")).out) as { file: string; backup: string; mends: unknown[] };
  expect(copy).toEqual({
    session: id,
    mends: [expect.objectContaining({ code: "torn-tail" })],
    file: expect.stringContaining("repaired"),
    backup: expect.stringContaining("backups"),
  });
  expect(await readFile(copy.file, "utf8")).toBe(before.slice(0, -8));
  expect(await readFile(file, "utf8")).toBe(before);
  await run(repair, id, "--in-place");
  expect([await readFile(file, "utf8"), (await run(validate, id)).status]).toEqual([before.slice(0, -8), 0]);
  expect((await run(repair, id)).out).toBe(`${id}: nothing to repair\n`);
  await run(repair, id, "--rollback");
  expect(await readFile(file, "utf8")).toBe(before);
  expect((await run(repair, id, "--to", "subagents")).out).toBe(`${id} already has the layout "subagents"\n`);
  await expect(run(repair, id, "--to", "beyond")).rejects.toMatchObject({ code: "sessions/unknown-format" });
});

test("a rollback loses nothing that was written since the repair, and with --dry-run changes nothing", async () => {
  const { file, run } = await person();
  await appendFile(file, '{"half":');
  const before = await readFile(file, "utf8");
  await run(repair, id, "--in-place");
  await appendFile(file, `${JSON.stringify({ type: "custom-title", customTitle: "later", sessionId: id })}\n`);
  const later = await readFile(file, "utf8");
  expect((await run(repair, id, "--rollback", "--dry-run")).out).toContain("nothing was changed (--dry-run)");
  expect(await readFile(file, "utf8")).toBe(later);
  const { kept } = JSON.parse((await run(repair, id, "--rollback", "--json")).out) as { kept: string };
  expect(await readFile(file, "utf8")).toBe(before);
  expect(await readFile(join(kept, "0.bin"), "utf8")).toBe(later);
  await run(repair, id, "--rollback");
  expect(await readFile(file, "utf8")).toBe(later);
});

test("a rollback takes no backup of a session in another project that has the same id", async () => {
  const { folder, file, run } = await person();
  const other = join(dirname(folder), "-other", basename(file));
  await mkdir(dirname(other));
  await copyFile(file, other);
  await appendFile(file, '{"half":');
  await run(repair, file, "--in-place");
  const repaired = await readFile(file, "utf8");
  await expect(run(repair, other, "--rollback")).rejects.toMatchObject({ code: "sessions/no-backup" });
  expect(await readFile(file, "utf8")).toBe(repaired);
});

test("fork stores a new session next to the original, and one from the archive in the own store", async () => {
  const { home, folder, file, run } = await person();
  const before = await readFile(file);
  const made = JSON.parse((await run(fork, "last", "--json")).out) as {
    session: string;
    file: string;
    forkedFrom: string;
  };
  expect(made).toEqual({ session: expect.any(String), file: join(folder, `${made.session}.jsonl`), forkedFrom: id });
  expect(await readFile(file)).toEqual(before);
  expect(JSON.parse((await run(archive, id, "--json")).out)).toMatchObject({
    sessions: [{ session: id, addedBytes: before.length }],
  });
  await rm(join(home, ".claude"), { recursive: true });
  const back = JSON.parse((await run(fork, id, "--json")).out) as { file: string };
  expect(back.file).toContain(join(home, "state", "sessions", "projects", "-home-dev-project"));
});

test("archive takes every session once, and then only what is new", async () => {
  const { file, run } = await person();
  const { length } = await readFile(file);
  expect((await run(archive)).out).toBe(
    `1 session, 1 with new content: ${length} bytes added, ${length} in the archive\n`,
  );
  expect((await run(archive)).out).toBe(`1 session, 0 with new content: 0 bytes added, ${length} in the archive\n`);
  expect((await run(archive, "--due")).out).toBe("0 sessions, 0 with new content: 0 bytes added, 0 in the archive\n");
});

test.skipIf(process.platform === "win32")("archive keeps the sessions of a linked project folder once", async () => {
  const { home, folder, file, run } = await person();
  await symlink(basename(folder), join(dirname(folder), "-a-link"));
  expect((await run(validate, "--all")).out).toBe("1 session checked, no errors\n");
  const { length } = await readFile(file);
  expect((await run(archive)).out).toBe(
    `1 session, 1 with new content: ${length} bytes added, ${length} in the archive\n`,
  );
  expect(await readdir(join(home, "state", "archive", "projects"))).toEqual([basename(folder)]);
  await rm(join(home, ".claude"), { recursive: true });
  expect((await run(validate, id)).out).toContain("0 errors");
});

test.skipIf(process.platform === "win32")(
  "a session in a linked project folder is due once, and not when it is archived",
  async () => {
    const { folder, file, run } = await person();
    await symlink(basename(folder), join(dirname(folder), "-a-link"));
    await utimes(file, new Date(0), new Date(0));
    expect(JSON.parse((await run(ls, "--json")).out).due).toHaveLength(1);
    await run(archive, "--due");
    expect(JSON.parse((await run(ls, "--json")).out).due).toEqual([]);
  },
);
