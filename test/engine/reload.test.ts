import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Notice } from "../../src/engine/internal.ts";
import { until } from "../until.ts";
import { bash, on, openIn, writeUserSettings } from "./world.ts";

const denies = (reason: string) => on("PreToolUse", `echo ${reason} >&2; exit 2`);

test("an event uses the settings of its start to its end", async () => {
  const { engine, home, project } = await openIn(
    on("PreToolUse", "touch started; until [ -e go ]; do sleep 0.02; done; echo old >&2; exit 2"),
  );
  const fired = engine.fire("PreToolUse", bash);
  await until("started is there", () => existsSync(join(project, "started")));
  const before = engine.fingerprint;
  writeUserSettings(home, denies("new"));
  const report = await engine.reload();
  expect(report).toMatchObject({ changed: true, refused: [], fingerprint: engine.fingerprint });
  expect(engine.fingerprint).not.toBe(before);
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ reason: "new" });
  writeFileSync(join(project, "go"), "");
  expect(await fired).toMatchObject({ reason: "old" });
});

test("a reload that finds nothing new changes nothing", async () => {
  const { engine, home } = await openIn(denies("no"));
  const before = engine.fingerprint;
  expect(await engine.reload()).toMatchObject({ changed: false, fingerprint: before });
  writeUserSettings(home, {});
  await engine.reload();
  writeUserSettings(home, denies("no"));
  expect(await engine.reload()).toMatchObject({ changed: true, fingerprint: before });
});

test("watching reloads on file changes, including new files", async () => {
  const { engine, home, project } = await openIn({});
  const stop = engine.watch();
  writeUserSettings(home, denies("user"));
  await until("the new settings are read", () => engine.hasHookFor("PreToolUse"));
  writeFileSync(join(project, ".claude/settings.local.json"), JSON.stringify(on("Stop", "true")));
  await until("the new settings are read", () => engine.hasHookFor("Stop"));
  const other = await openIn({}, { home, cwd: project });
  other.engine.watch();
  stop();
  writeUserSettings(home, {});
  await until("the other engine has read them", () => !other.engine.hasHookFor("PreToolUse"));
  expect(engine.hasHookFor("PreToolUse")).toBe(true);
});

test("the old settings' hooks are asked with source and file before a change takes effect", async () => {
  const notices: Notice[] = [];
  const guard = on("ConfigChange", "cat > asked.json; echo keep it >&2; exit 2");
  const { engine, home, project } = await openIn(guard, {
    ports: { observe: (notice) => notices.push(notice) },
    observeContent: true,
  });
  const file = join(project, ".claude/settings.json");
  writeFileSync(file, JSON.stringify(denies("project")));
  const report = await engine.reload();
  expect(report).toMatchObject({ changed: false, refused: [{ file, reason: "keep it" }] });
  const asked = JSON.parse(readFileSync(join(project, "asked.json"), "utf8"));
  expect(asked).toMatchObject({ hook_event_name: "ConfigChange", source: "project_settings", file_path: file });
  expect(engine.hasHookFor("PreToolUse")).toBe(false);
  expect(notices).toContainEqual({ kind: "change-refused", file, reason: "keep it" });

  // The guard itself cannot be taken away behind its own back either.
  writeUserSettings(home, {});
  expect((await engine.reload()).refused).toHaveLength(2);
  expect(engine.hasHookFor("ConfigChange")).toBe(true);
});

test("a hook that lets a change pass is asked about each changed layer alone", async () => {
  const { engine, project } = await openIn(
    on("ConfigChange", 'grep -q \'"source":"local_settings"\' && { echo not local >&2; exit 2; }; true'),
  );
  writeFileSync(join(project, ".claude/settings.json"), JSON.stringify(denies("project")));
  writeFileSync(join(project, ".claude/settings.local.json"), JSON.stringify(on("Stop", "true")));
  const { refused } = await engine.reload();
  expect(refused.map(({ file }) => file)).toEqual([join(project, ".claude/settings.local.json")]);
  expect([engine.hasHookFor("PreToolUse"), engine.hasHookFor("Stop")]).toEqual([true, false]);
});

test("managed policy takes effect whatever a hook says", async () => {
  const { engine, project } = await openIn(on("ConfigChange", "exit 2"));
  const managed = join(project, "../managed");
  mkdirSync(managed);
  writeFileSync(join(managed, "managed-settings.json"), JSON.stringify(denies("policy")));
  expect(await engine.reload()).toMatchObject({ changed: true, refused: [] });
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ reason: "policy" });
});

test("a layer that can no longer be read keeps its last good content, with a warning", async () => {
  const { engine, home } = await openIn(denies("still here"));
  writeUserSettings(home, '{ "hooks": ');
  const { warnings } = await engine.reload();
  expect(warnings.map(({ code }) => code)).toEqual(["settings-kept"]);
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ reason: "still here" });
  writeUserSettings(home, denies("fixed"));
  await engine.reload();
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ reason: "fixed" });
});

test("two reloads at once ask about a change once", async () => {
  const { engine, home, project } = await openIn(on("ConfigChange", "echo asked >> log"));
  writeUserSettings(home, { ...on("ConfigChange", "echo asked >> log"), theme: "dark" });
  await Promise.all([engine.reload(), engine.reload(), engine.reload()]);
  expect(readFileSync(join(project, "log"), "utf8")).toBe("asked\n");
});
