import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { appKey } from "../../sdk/internal.ts";
import { guard, stop, type World, world } from "../fixtures/world.ts";
import { writeEntries } from "./install-entries.ts";
import { purgeTraces, uninstall } from "./uninstall-entries.ts";

type Options = Parameters<World["call"]>[0];

const modeOf = (file: string) => statSync(file).mode & 0o777;
const away = ({ call, source }: World, options?: Options) =>
  uninstall({ places: call(options).places, home: source(), now: new Date() });

/** Every file below a folder, with its bytes and when it was last written. */
function everything(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names
      .filter((name) => lstatSync(join(folder, name)).isFile())
      .map((name) => [name, `${lstatSync(join(folder, name)).mtimeMs} ${readFileSync(join(folder, name), "utf8")}`]),
  );
}

test("installing again with nothing changed writes no byte", async () => {
  const here = world();
  await writeEntries(here.call());
  const before = everything(here.folder);
  const again = await writeEntries({
    ...here.call(),
    now: new Date(),
    lock: { ...here.call().lock, installedAt: "later" },
  });
  expect([again.settings.changed, again.lockWritten]).toEqual([false, false]);
  expect(everything(here.folder)).toEqual(before);
});

test("a dry run reports what would be written and writes nothing, not even the lock file", async () => {
  const here = world();
  const { settings } = await writeEntries(here.call({ dryRun: true }));
  expect([settings.created, settings.after.includes("hookline-client")]).toEqual([true, true]);
  expect(Object.keys(everything(here.folder))).toEqual(["an author's project/.claude/hooks.mjs"]);
});

test("with changes, own entries are replaced in place, and what others wrote around them keeps its bytes", async () => {
  const here = world();
  const file = here.call().places.settingsFile;
  writeFileSync(file, '{"hooks": {"Stop": [\n  {"hooks": [{"type": "command", "command": "first"}]} // theirs\n]}}');
  await writeEntries({ ...here.call(), stripComments: true });
  const parsed = () => JSON.parse(readFileSync(file, "utf8").replace("// theirs", "")) as { hooks: { Stop: object[] } };
  const theirs = parsed();
  theirs.hooks.Stop.push({ hooks: [{ type: "command", command: "last" }] });
  writeFileSync(file, JSON.stringify(theirs));
  await writeEntries(here.call({ needs: [guard, { ...stop, deadlineMs: 60_000 }] }));
  const commands = parsed().hooks.Stop.map((group) => JSON.stringify(group));
  expect([
    commands.length,
    commands[0]?.includes("first"),
    commands[1]?.includes('"timeout":65'),
    commands[2]?.includes("last"),
  ]).toEqual([3, true, true, true]);
  expect((await away(here)).how).toBe("restored");
  expect(parsed().hooks.Stop.map((group) => JSON.stringify(group))).toEqual([commands[0], commands[2]]);
});

test("uninstall restores every file, folder and mode that install made or changed", async () => {
  const here = world();
  rmSync(join(here.project, ".claude"), { recursive: true });
  const elsewhere = join(here.project, "hooks.mjs");
  writeFileSync(elsewhere, "");
  await writeEntries({ ...here.call(), hooksFile: elsewhere });
  expect((await away(here)).how).toBe("removed");
  expect(readdirSync(here.project)).toEqual(["hooks.mjs"]);

  const user: Options = { scope: "user", transport: "http", needs: [stop] };
  const file = here.call(user).places.settingsFile;
  mkdirSync(join(here.home, ".claude"));
  writeFileSync(file, "{}");
  chmodSync(file, 0o640);
  await writeEntries(here.call(user));
  expect([modeOf(file), readFileSync(file, "utf8").includes("Bearer t0ken")]).toEqual([0o600, true]);
  await away(here, user);
  expect([modeOf(file), readFileSync(file, "utf8")]).toEqual([0o640, "{}"]);
});

test.each([true, false])(
  "in a clone, installed again: %s, uninstall cuts the entries out, and deletes a file that install created",
  async (again) => {
    for (const before of [undefined, '{ "model": "x" }\n', "{}\n"]) {
      const here = world();
      const { settingsFile } = here.call().places;
      if (before !== undefined) writeFileSync(settingsFile, before);
      await writeEntries(here.call());
      // Another user has no record of the install.
      rmSync(here.state, { recursive: true });
      if (again)
        expect(await writeEntries(here.call())).toMatchObject({ settings: { changed: false }, lockWritten: false });
      const { how, after } = await away(here);
      const wanted = before === undefined ? ["removed", null] : ["cut", before];
      expect([how, after, existsSync(settingsFile)]).toEqual([...wanted, before !== undefined]);
    }
  },
);

test("uninstall works when the settings file has been removed", async () => {
  const here = world();
  const user: Options = { scope: "user", transport: "http", needs: [stop] };
  const { settingsFile, lockFile } = here.call(user).places;
  mkdirSync(dirname(settingsFile));
  writeFileSync(settingsFile, "{}", { mode: 0o644 });
  await writeEntries(here.call(user));
  rmSync(settingsFile);
  expect(await away(here, user)).toMatchObject({ wasInstalled: true, how: "nothing" });
  expect([existsSync(settingsFile), existsSync(lockFile), readdirSync(join(here.state, "installs"))]).toEqual([
    false,
    false,
    [],
  ]);
});

test("uninstall removes every folder that install made, unless it contains something else", async () => {
  for (const theirs of [false, true]) {
    const here = world();
    const folder = join(here.home, "a/b/.claude");
    const call = here.call({ scope: "user", transport: "http", needs: [stop] });
    const places = { ...call.places, settingsFile: join(folder, "settings.json"), lockFile: join(folder, "lock") };
    await writeEntries({ ...call, places });
    if (theirs) writeFileSync(join(here.home, "a/theirs"), "");
    await uninstall({ places, home: here.source(), now: new Date() });
    expect(readdirSync(here.home, { recursive: true })).toEqual(theirs ? ["a", "a/theirs"] : []);
  }
});

test("circular links are refused, and nothing is written", async () => {
  const here = world();
  symlinkSync("settings.json", here.call().places.settingsFile);
  const before = everything(here.folder);
  for (const dryRun of [true, false])
    await expect(writeEntries(here.call({ dryRun }))).rejects.toMatchObject({
      code: expect.stringMatching(/^settings\//),
    });
  await expect(away(here)).rejects.toMatchObject({ code: "settings/unreadable" });
  expect(everything(here.folder)).toEqual(before);
});

test("the lock file holds no secret, and its paths count from its folder's parent", async () => {
  const here = world();
  const call = here.call({ scope: "user", transport: "http", needs: [stop] });
  await writeEntries(call);
  const text = readFileSync(call.places.lockFile, "utf8");
  expect(text).not.toContain("t0ken");
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    hooksPath: "../an author's project/.claude/hooks.mjs",
    settingsFile: ".claude/settings.json",
  });
});

test("a file that does not parse is refused with its place, and nothing is written", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  writeFileSync(settingsFile, '{\n  "hooks": {,}\n}');
  const before = everything(here.folder);
  const refusal = { code: "settings/unreadable", message: expect.stringContaining("line 2, column 13") };
  await expect(writeEntries(here.call())).rejects.toMatchObject(refusal);
  await expect(away(here)).rejects.toMatchObject(refusal);
  expect(everything(here.folder)).toEqual(before);
});

test.each(['{"hooks": null}', '{"hooks": {"Stop": {}}}', "[]"])(
  "%s has no room for entries, and is left as it is",
  async (text) => {
    const here = world();
    const { settingsFile } = here.call().places;
    writeFileSync(settingsFile, text);
    const refusal = { code: "settings/not-editable", message: expect.stringContaining(settingsFile) };
    await expect(writeEntries(here.call())).rejects.toMatchObject(refusal);
    expect(readFileSync(settingsFile, "utf8")).toBe(text);
  },
);

test("a lock file of a newer version is refused and left alone, by install and by uninstall", async () => {
  const here = world();
  const { lockFile } = here.call().places;
  writeFileSync(lockFile, '{"version": 2, "other": true}');
  const before = everything(here.folder);
  await expect(writeEntries(here.call())).rejects.toMatchObject({ code: "install/newer-lock" });
  await expect(away(here)).rejects.toMatchObject({ code: "install/newer-lock" });
  expect(everything(here.folder)).toEqual(before);
});

test("with lock file and notes lost, own entries are known by program and hooks path, http ones by the key in the URL", async () => {
  for (const options of [
    { scope: "local" },
    { scope: "local", transport: "run" },
    { scope: "local", shellForm: true },
  ] as Options[]) {
    const here = world();
    const call = here.call(options);
    writeFileSync(call.places.settingsFile, '{\n  "a": 1\n}\n');
    await writeEntries(call);
    rmSync(call.places.lockFile);
    rmSync(here.state, { recursive: true });
    const done = await uninstall({
      places: call.places,
      home: here.source(),
      now: new Date(),
      hooksFile: here.hooksFile,
    });
    expect([done.how, readFileSync(call.places.settingsFile, "utf8")]).toEqual(["cut", '{\n  "a": 1\n}\n']);
  }
});

test("a linked settings file stays a link; the last ten versions are kept, for this user alone", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  writeFileSync(join(here.project, "dotfiles.json"), "{}\n");
  symlinkSync("../dotfiles.json", settingsFile);
  for (let n = 0; n < 12; n++) {
    const call = here.call({ needs: [{ ...stop, deadlineMs: (n + 1) * 1_000 }] });
    await writeEntries({ ...call, now: new Date(Date.UTC(2026, 0, 1, 0, 0, n)) });
  }
  expect(readlinkSync(settingsFile)).toBe("../dotfiles.json");
  const [key = ""] = readdirSync(join(here.state, "backups"));
  const kept = readdirSync(join(here.state, "backups", key));
  expect([kept.length, kept[0]?.startsWith("2026-01-01T00-00-02")]).toEqual([10, true]);
  expect(modeOf(join(here.state, "backups", key, kept[0] ?? ""))).toBe(0o600);
  const { backup = "" } = await writeEntries({ ...here.call({ needs: [stop] }), now: new Date(0) });
  expect([existsSync(backup), readdirSync(dirname(backup)).length]).toEqual([true, 10]);
  await away(here);
  expect([readFileSync(join(here.project, "dotfiles.json"), "utf8"), existsSync(here.call().places.lockFile)]).toEqual([
    "{}\n",
    false,
  ]);
});

test("a link that waits at the lock file's place is not followed, and nothing is written", async () => {
  const here = world();
  const victim = join(here.folder, "victim");
  writeFileSync(victim, '{"version": 1}');
  symlinkSync(victim, here.call().places.lockFile);
  const before = everything(here.folder);
  await expect(writeEntries(here.call())).rejects.toMatchObject({
    code: "install/bad-lock",
    message: expect.stringContaining("a link"),
  });
  expect(everything(here.folder)).toEqual(before);
});

test("a hook of another program in our group stays where it is", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  await writeEntries(here.call({ needs: [stop] }));
  const settings = JSON.parse(readFileSync(settingsFile, "utf8")) as { hooks: { Stop: { hooks: object[] }[] } };
  settings.hooks.Stop[0]?.hooks.push({ type: "command", command: "theirs" });
  writeFileSync(settingsFile, JSON.stringify(settings));
  expect((await away(here)).how).toBe("cut");
  expect(JSON.parse(readFileSync(settingsFile, "utf8"))).toEqual({
    hooks: { Stop: [{ hooks: [{ type: "command", command: "theirs" }] }] },
  });
});

test("several installs at once leave one entry per event, and the way back to the first bytes", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  const text = '{"hooks": {"Stop": [ ]}}';
  writeFileSync(settingsFile, text);
  await Promise.all(
    [1, 2, 3, 4].map((n) => writeEntries(here.call({ needs: [guard, { ...stop, deadlineMs: n * 1_000 }] }))),
  );
  const { hooks } = JSON.parse(readFileSync(settingsFile, "utf8")) as { hooks: Record<string, object[]> };
  expect(Object.values(hooks).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  expect((await away(here)).how).toBe("restored");
  expect(readFileSync(settingsFile, "utf8")).toBe(text);
});

test("state, tasks, log and backups outlive an uninstall, and --purge removes them", async () => {
  const here = world();
  const call = here.call();
  writeFileSync(call.places.settingsFile, "{}");
  await writeEntries(call);
  const project = createHash("sha256").update(here.project).digest("hex");
  const tasks = `tasks/${appKey(here.hooksFile)}`;
  const names = [`state/project/h-${project}.json`, `${tasks}/done/job.json`, "log/hooks.jsonl"];
  const traces = names.map((name) => join(here.state, name));
  for (const trace of traces) {
    mkdirSync(dirname(trace), { recursive: true });
    writeFileSync(trace, "");
  }
  await away(here);
  expect(traces.every((trace) => existsSync(trace))).toBe(true);
  const gone = await purgeTraces(call.places, here.source(), { hooksFile: here.hooksFile });
  expect([gone.length, [...traces, ...gone].filter((trace) => existsSync(trace))]).toEqual([4, []]);
});

test("uninstalling an app that is not installed changes nothing and reports it", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  writeFileSync(settingsFile, "{ }");
  expect(await away(here)).toMatchObject({ wasInstalled: false, how: "nothing" });
  expect(readFileSync(settingsFile, "utf8")).toBe("{ }");
});
