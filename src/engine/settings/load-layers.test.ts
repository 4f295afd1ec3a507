import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadLayers, settingsPaths } from "./load-layers.ts";
import type { SettingsPlaces } from "./settings-source.ts";

let root: string;
let places: SettingsPlaces;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "layers-")));
  places = { cwd: join(root, "project"), claudeHome: join(root, "home/.claude"), managedFolder: join(root, "etc") };
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const stop = { hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } };
const frontmatter =
  "---\nname: named\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: x\n---\nText\n";

async function load(more: Partial<SettingsPlaces> = {}) {
  const layers = await loadLayers({ ...places, ...more });
  return layers.map(({ kind, file, settings, readable, warnings }) => ({
    kind,
    file: file?.slice(root.length + 1),
    settings,
    ...(readable ? {} : { readable }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ code }) => code) }),
  }));
}

test("without any file there is no layer", async () => {
  expect(await load()).toEqual([]);
});

test("a managed file whose name ends in another spelling of .json is not read and is reported", async () => {
  write("etc/managed-settings.d/10-a.JSON", { env: { A: "1" } });
  write("etc/managed-settings.d/20-b.jsonc", { env: { A: "2" } });
  write("etc/managed-settings.d/30-c.json.bak", { env: { A: "3" } });
  const unread = { kind: "managed", settings: {}, readable: false, warnings: ["settings-unreadable"] };
  expect(await load()).toEqual([
    { ...unread, file: "etc/managed-settings.d/10-a.JSON" },
    { ...unread, file: "etc/managed-settings.d/20-b.jsonc" },
  ]);
});

test("layers come in configured order", async () => {
  write("etc/managed-settings.json", { env: { A: "1" } });
  write("etc/managed-settings.d/20-b.json", { env: { A: "3" } });
  write("etc/managed-settings.d/10-a.json", { env: { A: "2" } });
  write("etc/managed-settings.d/notes.txt", "no settings");
  write("etc/managed-settings.d/.hidden.json", "no settings");
  write("home/.claude/settings.json", stop);
  write("project/.claude/settings.json", stop);
  write("project/.claude/settings.local.json", stop);
  write("project/extra.json", { env: { B: "1" } });
  write("plugins/p/hooks/hooks.json", { description: "mine", ...stop, env: { NOT: "read" } });
  write("home/.claude/skills/s/SKILL.md", frontmatter);
  write("project/.claude/skills/s/SKILL.md", frontmatter.replace("name: named\n", ""));
  write("home/.claude/agents/a.md", frontmatter);
  write("project/.claude/agents/b.md", frontmatter.replace("name: named\n", ""));
  write("project/.claude/agents/no-hooks.md", "---\nname: x\n---\n");
  const given = { settings: ["extra.json", '  {"env": {"B": "2"}}'], plugins: [join(root, "plugins/p")] };
  expect(await load(given)).toEqual([
    { kind: "managed", file: "etc/managed-settings.json", settings: { env: { A: "1" } } },
    { kind: "managed", file: "etc/managed-settings.d/10-a.json", settings: { env: { A: "2" } } },
    { kind: "managed", file: "etc/managed-settings.d/20-b.json", settings: { env: { A: "3" } } },
    { kind: "user", file: "home/.claude/settings.json", settings: stop },
    { kind: "project", file: "project/.claude/settings.json", settings: stop },
    { kind: "local", file: "project/.claude/settings.local.json", settings: stop },
    { kind: "flag", file: "project/extra.json", settings: { env: { B: "1" } } },
    { kind: "flag", file: undefined, settings: { env: { B: "2" } } },
    { kind: "plugin", file: "plugins/p/hooks/hooks.json", settings: stop, warnings: ["unknown-keys"] },
    { kind: "skill", file: "home/.claude/skills/s/SKILL.md", settings: stop },
    { kind: "skill", file: "project/.claude/skills/s/SKILL.md", settings: stop },
    { kind: "agent", file: "home/.claude/agents/a.md", settings: stop },
    { kind: "agent", file: "project/.claude/agents/b.md", settings: stop },
  ]);
  const layers = await loadLayers({ ...places, ...given });
  expect(layers.flatMap(({ frontmatter }) => frontmatter ?? [])).toEqual([
    { of: "skill", name: "named", from: "user" },
    { of: "skill", name: "s", from: "project" },
    { of: "agent", name: "named", from: "user" },
    { of: "agent", name: "b", from: "project" },
  ]);
  expect(layers.find(({ kind }) => kind === "plugin")?.plugin).toEqual({
    root: join(root, "plugins/p"),
    data: join(root, "home/.claude/plugins/data/p"),
  });
});

test("settings of a parent folder are not read", async () => {
  write("project/.claude/settings.json", stop);
  expect(await load({ cwd: join(root, "project/inner") })).toEqual([]);
});

test("where the start folder is the home folder, its settings count once, as the user's", async () => {
  write("home/.claude/settings.json", stop);
  write("home/.claude/settings.local.json", stop);
  write("home/.claude/agents/a.md", frontmatter);
  const kinds = async (cwd: string) => (await load({ cwd })).map(({ kind }) => kind);
  expect(await kinds(join(root, "home"))).toEqual(["user", "local", "agent"]);
  symlinkSync(join(root, "home"), join(root, "linked"));
  expect(await kinds(join(root, "linked"))).toEqual(["user", "local", "agent"]);
  mkdirSync(join(root, "project/.claude"), { recursive: true });
  symlinkSync(join(root, "home/.claude/settings.json"), join(root, "project/.claude/settings.json"));
  expect(await kinds(join(root, "project"))).toEqual(["user", "agent"]);
});

test("a broken file is reported and the other layers stay active", async () => {
  write("home/.claude/settings.json", "{");
  write("project/.claude/settings.json", stop);
  write("etc/managed-settings.json", "[]");
  write("project/.claude/agents/broken.md", "---\nhooks: [x\n---\n");
  expect(await load()).toEqual([
    {
      kind: "managed",
      file: "etc/managed-settings.json",
      settings: {},
      readable: false,
      warnings: ["settings-unreadable"],
    },
    {
      kind: "user",
      file: "home/.claude/settings.json",
      settings: {},
      readable: false,
      warnings: ["settings-unreadable"],
    },
    { kind: "project", file: "project/.claude/settings.json", settings: stop },
    {
      kind: "agent",
      file: "project/.claude/agents/broken.md",
      settings: {},
      readable: false,
      warnings: ["settings-unreadable"],
    },
  ]);
});

test.each([
  ["nowhere.json", "there is no such file"],
  ["{", "line 1, column 2"],
  ["broken.json", "line 1, column 2"],
])("settings named by the caller that cannot be read are a Problem: %s", async (given, why) => {
  write("project/broken.json", "{");
  await expect(load({ settings: [given] })).rejects.toMatchObject({
    code: "settings/unreadable",
    message: expect.stringContaining(why),
  });
});

test("a linked file is read; a pipe, a folder, a device and an unreadable file in its place do not block", async () => {
  const file = join(root, "project/.claude/settings.json");
  const target = write("elsewhere/settings.json", stop);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
  expect(await load()).toEqual([{ kind: "project", file: "project/.claude/settings.json", settings: stop }]);
  const unusable = [
    {
      kind: "project",
      file: "project/.claude/settings.json",
      settings: {},
      readable: false,
      warnings: ["settings-unreadable"],
    },
  ];
  rmSync(file);
  execFileSync("mkfifo", [file]);
  expect(await load()).toEqual(unusable);
  rmSync(file);
  mkdirSync(file);
  expect(await load()).toEqual(unusable);
  rmSync(file, { recursive: true });
  symlinkSync("/dev/zero", file);
  expect(await load()).toEqual(unusable);
  rmSync(file);
  symlinkSync(file, file);
  expect(await load()).toEqual(unusable);
  rmSync(file);
  write("project/.claude/settings.json", stop);
  chmodSync(file, 0o000);
  if (process.getuid?.() !== 0) expect(await load()).toEqual(unusable);
});

test.each([
  ["managed", "etc/managed-settings.json"],
  ["managed", "etc/managed-settings.d"],
  ["managed", "etc"],
  ["user", "home/.claude/settings.json"],
  ["user", "home/.claude"],
  ["project", "project/.claude/settings.json"],
  ["local", "project/.claude/settings.local.json"],
  ["skill", "home/.claude/skills"],
])("%s settings behind a link whose target does not exist cannot be read: %s", async (kind, path) => {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  rmSync(join(root, path), { recursive: true, force: true });
  symlinkSync(join(root, "away/target"), join(root, path));
  const [layer] = await load();
  expect(layer).toMatchObject({ kind, readable: false, warnings: ["settings-unreadable"] });
});

test("a folder behind a link that has no settings is not reported", async () => {
  mkdirSync(join(root, "dotfiles"), { recursive: true });
  mkdirSync(join(root, "home"), { recursive: true });
  rmSync(join(root, "home/.claude"), { recursive: true, force: true });
  symlinkSync(join(root, "dotfiles"), join(root, "home/.claude"));
  expect(await load()).toEqual([]);
});

test("a plugin without hooks has no layer, a missing plugin is reported", async () => {
  mkdirSync(join(root, "plugins/empty"), { recursive: true });
  expect(await load({ plugins: [join(root, "plugins/empty")] })).toEqual([]);
  expect(await load({ plugins: [join(root, "plugins/gone")] })).toMatchObject([{ kind: "plugin", readable: false }]);
});

test("on every reload an unreadable file keeps its last good content, with a warning", async () => {
  const file = write("home/.claude/settings.json", { permissions: { deny: ["Bash"] } });
  write("etc/managed-settings.json", { env: { A: "1" } });
  write("project/extra.json", { env: { B: "1" } });
  const given = { ...places, settings: ["extra.json"] };
  const first = await loadLayers(given);
  for (const path of ["home/.claude/settings.json", "etc/managed-settings.json", "project/extra.json"])
    write(path, "{");
  const second = await loadLayers(given, first);
  const third = await loadLayers(given, second);
  for (const layers of [second, third]) {
    expect(
      layers.map(({ kind, settings, readable, warnings }) => ({
        kind,
        settings,
        readable,
        codes: warnings.map(({ code }) => code),
      })),
    ).toEqual(
      first.map(({ kind, settings }) => ({
        kind,
        settings,
        readable: false,
        codes: ["settings-kept"],
      })),
    );
  }
  expect(third.flatMap(({ warnings }) => warnings.map(({ message }) => message))).toEqual(
    third.map(({ file: path }) =>
      expect.stringMatching(
        new RegExp(
          `^${path} cannot be read: line 1, [^.]*\\. Its last good content stays in effect until it is fixed\\.$`,
        ),
      ),
    ),
  );
  writeFileSync(file, "{}");
  const fixed = await loadLayers(given, third);
  expect(fixed.find(({ kind }) => kind === "user")).toMatchObject({ settings: {}, readable: true, warnings: [] });
  rmSync(file);
  expect((await loadLayers(given, third)).map(({ kind }) => kind)).toEqual(["managed", "flag"]);
});

test("every file that gives a layer is among those to be watched", async () => {
  const given = { ...places, settings: ["extra.json", "{}"], plugins: [join(root, "plugins/p")] };
  for (const path of [
    "etc/managed-settings.json",
    "etc/managed-settings.d/a.json",
    "home/.claude/settings.json",
    "project/.claude/settings.json",
    "project/.claude/settings.local.json",
    "project/extra.json",
    "plugins/p/hooks/hooks.json",
  ])
    write(path, stop);
  write("home/.claude/skills/s/SKILL.md", frontmatter);
  write("project/.claude/agents/a.md", frontmatter);
  const { files, folders } = settingsPaths(given);
  const read = (await loadLayers(given)).flatMap(({ file }) => file ?? []);
  expect(read).toHaveLength(9);
  expect(read.filter((file) => !files.includes(file) && !folders.some((folder) => file.startsWith(folder)))).toEqual(
    [],
  );
});
