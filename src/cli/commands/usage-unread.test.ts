import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { usageSchemas } from "../../../scripts/schema/usage-output.ts";
import { dist } from "../../files/fixtures/programs.ts";
import { answer, one, textOf, two } from "../../usage/fixtures/world.ts";
import { spent, statusline } from "../../usage/internal.ts";
import { callHookline } from "../fixtures/caller.ts";

let home: string;
let folder: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-cli-")));
  folder = join(home, ".claude/projects/-w");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${one}.jsonl`), `${textOf(answer({ id: "msg_1", request: "req_1" }))}\n`);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({ HOOKLINE_HOME: join(home, "state") });
const hookline = (...args: string[]) => callHookline(args, { home, cwd: home, env: env() });

/** Half of it unpacks to a call, then the bytes are wrong. */
function damagedArchive(): string {
  const path = join(folder, `${two}.jsonl.gz`);
  const lines = Array.from({ length: 4_000 }, (_, index) =>
    textOf(answer({ id: `msg_x${index}`, request: `req_x${Math.sin(index)}`, session: two })),
  );
  const packed = gzipSync(`${lines.join("\n")}\n`);
  packed.fill(0xff, packed.length - 2_000, packed.length - 1_000);
  writeFileSync(path, packed);
  return path;
}

test.each(["--no-index", "--rescan"])(
  "usage %s names a transcript that cannot be read and counts the others",
  async (how) => {
    const path = damagedArchive();
    for (const again of [how, "--order=asc"]) {
      const { status, out, err } = await hookline("usage", again);
      expect([status, err]).toEqual([0, ""]);
      expect(out).toContain(`not counted: ${path} cannot be read (`);
      expect(out).toMatch(/^Total +1 .*at least \$0\.0026$/m);
    }
    const report = JSON.parse((await hookline("usage", how, "--json")).out);
    expect(usageSchemas["daily"]?.safeParse(report).error).toBeUndefined();
    expect(report.totals).toMatchObject({ calls: 1, complete: false });
    const places = [{ file: path, line: 0, offset: 0, why: expect.any(String) }];
    expect(report.warnings).toContainEqual(expect.objectContaining({ code: "unread-file", count: 1, places }));
    const csv = await hookline("usage", how, "--csv");
    expect([csv.err, csv.out.split("\n").length]).toEqual([expect.stringContaining(`not counted: ${path}`), 3]);
  },
);

test("spent() and the status line say at least when a transcript cannot be read", async () => {
  const source = { home, env: env() };
  expect(await spent({ project: "/home/dev/w" }, source)).toMatchObject({ calls: 1, complete: true });
  const path = damagedArchive();
  expect(await spent({ session: two }, source)).toMatchObject({ calls: 0, complete: false });
  expect(await spent({ session: one }, source)).toMatchObject({ calls: 1, complete: true });
  expect(await statusline(JSON.stringify({ transcript_path: path }), source)).toMatchObject({ isWhole: false });
});

test("usage names transcripts and folders that this user may not read", ({ skip }) => {
  const closed = join(folder, `${two}.jsonl`);
  writeFileSync(closed, `${textOf(answer({ id: "msg_2", request: "req_2", session: two }))}\n`);
  const closedFolder = join(home, ".claude/projects/-x");
  mkdirSync(closedFolder);
  const isRoot = process.getuid?.() === 0;
  const someone = isRoot ? { uid: 65534, gid: 65534 } : {};
  const program = join(dist, "cli/bin.cjs");
  const started = spawnSync(process.execPath, [program, "--version"], { cwd: "/", ...someone });
  skip(started.status !== 0, "root can read every file, and another user cannot start the program in this checkout");
  if (isRoot) {
    // Another user must get as far as these files.
    for (const path of [home, dirname(home)]) chmodSync(path, statSync(path).mode | 0o001);
    mkdirSync(join(home, "state"));
    chownSync(join(home, "state"), 65534, 65534);
  }
  chmodSync(closed, 0);
  chmodSync(closedFolder, 0);
  for (const how of ["--no-index", "--order=asc", "--order=asc"]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "usage", how, "--json"], {
      env: { ...env(), HOME: home },
      cwd: "/",
      encoding: "utf8",
      ...someone,
    });
    expect([status, stderr]).toEqual([0, ""]);
    const { totals, warnings } = JSON.parse(stdout);
    expect(totals).toMatchObject({ calls: 1, complete: false });
    const why = "EACCES: permission denied";
    expect(warnings).toMatchObject([
      {
        code: "unread-file",
        count: 2,
        places: [
          { file: closedFolder, why },
          { file: closed, why },
        ],
      },
    ]);
  }
  chmodSync(closedFolder, 0o700);
});

test("usage names an archive that is cut off, unless the transcript itself is there", async () => {
  const lines = Array.from({ length: 50 }, (_, index) =>
    textOf(answer({ id: `msg_x${index}`, request: `req_x${Math.sin(index)}`, session: two })),
  );
  const path = join(folder, `${two}.jsonl.gz`);
  const whole = gzipSync(`${lines.join("\n")}\n`);
  for (const kept of [1_000, whole.length - 8, 0]) {
    writeFileSync(path, whole.subarray(0, kept));
    for (const how of ["--no-index", "--rescan", "--order=asc"]) {
      const { totals, warnings } = JSON.parse((await hookline("usage", how, "--json")).out);
      expect(totals, `${kept} bytes`).toMatchObject({ calls: 1, complete: false });
      const places = [{ file: path, line: 0, offset: 0, why: "the archive is cut off" }];
      expect(warnings).toContainEqual(expect.objectContaining({ code: "unread-file", count: 1, places }));
    }
    expect(await spent({ session: two }, { home, env: env() })).toMatchObject({ calls: 0, complete: false });
  }
  writeFileSync(join(folder, `${two}.jsonl`), `${lines.join("\n")}\n`);
  for (const how of ["--no-index", "--rescan", "--order=asc"]) {
    const { totals, warnings } = JSON.parse((await hookline("usage", how, "--json")).out);
    expect([totals.calls, totals.complete, warnings]).toEqual([51, true, []]);
  }
  rmSync(join(folder, `${two}.jsonl`));
  expect(JSON.parse((await hookline("usage", "--json")).out).totals).toMatchObject({ calls: 1, complete: false });
  writeFileSync(path, whole);
  expect(JSON.parse((await hookline("usage", "--json")).out).totals).toMatchObject({ calls: 51, complete: true });
});

test("sessions shows the readable part of a truncated archive, with a warning", async () => {
  rmSync(join(folder, `${one}.jsonl`));
  const path = join(folder, `${two}.jsonl.gz`);
  const lines = Array.from({ length: 50 }, (_, index) =>
    textOf(answer({ id: `msg_x${index}`, request: `req_x${Math.sin(index)}`, session: two })),
  );
  const whole = gzipSync(`${lines.join("\n")}\n`);
  for (const kept of [1_000, whole.length - 8, 0]) {
    writeFileSync(path, whole.subarray(0, kept));
    const message = `${path} cannot be read to its end: the archive is cut off`;
    for (const verb of ["show", "tree", "export"]) {
      const { status, err } = await hookline("sessions", verb, two);
      expect([verb, status, err]).toEqual([verb, 0, `${message}. The output is incomplete.\n`]);
    }
    const checked = await hookline("sessions", "validate", two);
    expect([checked.status, checked.out]).toEqual([1, expect.stringContaining("the archive is cut off")]);
    expect((await hookline("sessions", "search", "x")).err).toBe(`Not searched: ${message}\n`);
    expect((await hookline("sessions", "search", "x", "--index")).err).toBe(`Not searched: ${message}\n`);
    expect(JSON.parse((await hookline("sessions", "show", two, "--json")).out).stats.unreadable).toBe(1);
  }
});
