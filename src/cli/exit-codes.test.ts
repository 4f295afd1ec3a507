import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dist } from "../files/fixtures/programs.ts";
import { writeEntries } from "../install/edit/install-entries.ts";
import { stop, type World, world } from "../install/fixtures/world.ts";
import { callHookline } from "./fixtures/caller.ts";

function caller({ home, state, project }: World, cwd = project) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  return async (...words: readonly string[]) => {
    const { status, out, err } = await callHookline(words, { home, cwd, env });
    return { status, out, err };
  };
}

const app = (body: string) => `import { createApp } from "hookline/sdk";\nexport default createApp()${body};\n`;

test("install, uninstall, status and doctor exit with the documented codes", async () => {
  const here = world();
  const hookline = caller(here);
  const codeOf = async (...words: readonly string[]) => (await hookline(...words)).status;
  const toLocal = ["install", "--scope", "local", "--transport", "run"];
  const file = join(here.project, ".claude/settings.local.json");

  writeFileSync(here.hooksFile, app(""));
  expect([
    await codeOf(...toLocal),
    await codeOf("install", "none.mjs"),
    await codeOf("install", "--scope", "all"),
  ]).toEqual([2, 1, 1]);
  writeFileSync(here.hooksFile, "const = 1;");
  expect(await codeOf(...toLocal)).toBe(1);
  for (const words of [["status"], ["uninstall"], ["doctor"], ["init"]]) expect(await codeOf(...words, "word")).toBe(1);
  for (const words of [["status"], ["uninstall"], ["doctor"], toLocal])
    expect([words[0], (await hookline(...words, "--cwd", "none")).err]).toEqual([
      words[0],
      expect.stringContaining("is not a directory"),
    ]);
  expect([await codeOf("status"), await codeOf("uninstall"), await codeOf("doctor")]).toEqual([4, 0, 0]);
  expect(readdirSync(join(here.project, ".claude"))).toEqual(["hooks.mjs"]);

  writeFileSync(here.hooksFile, `console.log("loud");\n${app(".onStop(() => undefined)")}`);
  const json = await hookline(...toLocal, "--json", "--dry-run");
  expect([JSON.parse(json.out), json.err]).toMatchObject([{ changed: true }, expect.stringContaining("  loud\n")]);
  expect([await codeOf(...toLocal), await codeOf(...toLocal), await codeOf("status")]).toEqual([0, 0, 0]);
  writeFileSync(file, "{}");
  expect([await codeOf("status"), await codeOf("doctor"), await codeOf("doctor", "--fix")]).toEqual([3, 3, 0]);
  expect(readFileSync(file, "utf8")).toContain('"Stop"');

  writeFileSync(file, "{,}");
  for (const words of [toLocal, ["uninstall"], ["doctor", "--fix"]]) {
    const { status, out, err } = await hookline(...words);
    const message = expect.stringContaining(`${file} cannot be read: line 1`);
    expect([words[0], status, out + err]).toEqual([words[0], 1, message]);
  }
  expect([await codeOf("status"), await codeOf("doctor"), readFileSync(file, "utf8")]).toEqual([3, 3, "{,}"]);
  writeFileSync(file, "{}");
  expect([await codeOf("uninstall"), readFileSync(file, "utf8"), await codeOf("status")]).toEqual([0, "{}", 4]);
});

test("status without an installation names the command as a project with a local install runs it", async () => {
  expect((await caller(world())("status")).out).toBe(
    "Nothing is installed here. Install an app with npx hookline install.\n",
  );
});

test("uninstall --scope project or local in the home directory is refused and keeps the user's entries", async () => {
  const here = world();
  const call = here.call({ scope: "user", needs: [stop] });
  await writeEntries(call);
  const atHome = caller(here, here.home);
  for (const scope of ["local", "project"]) {
    const { status, err } = await atHome("uninstall", "--scope", scope);
    expect([status, err]).toEqual([1, expect.stringContaining("is your home directory, not a project")]);
  }
  expect(readFileSync(call.places.settingsFile, "utf8")).toContain('"Stop"');
  expect((await atHome("uninstall")).out).toContain("was created by install and has been removed");
  expect((await atHome("uninstall")).out).toBe("Nothing is installed here.\n");
});

test("install refuses project scope in the home directory, and status lists its settings once", async () => {
  const here = world();
  const call = here.call({ scope: "user", needs: [stop] });
  mkdirSync(join(here.home, ".claude"));
  writeFileSync(join(here.home, ".claude/hooks.mjs"), app(".onStop(() => undefined)"));
  const atHome = caller(here, here.home);
  const { status, err } = await atHome("install", "--cwd", ".", "--transport", "run");
  expect([status, err]).toEqual([1, expect.stringContaining("Use --scope user, or --scope local")]);
  expect(existsSync(call.places.settingsFile)).toBe(false);
  await writeEntries(call);
  const { scopes } = JSON.parse((await atHome("status", "--cwd", ".", "--json")).out) as {
    scopes: { scope: string; drift: { kind: string }[] }[];
  };
  expect(scopes.map(({ scope, drift }) => [scope, drift.some(({ kind }) => kind === "two-scopes")])).toEqual([
    ["local", false],
    ["user", false],
  ]);
});

test("uninstall succeeds when the settings file of another scope is broken", async () => {
  const here = world();
  await writeEntries(here.call({ scope: "user", needs: [stop] }));
  writeFileSync(join(here.project, ".claude/settings.json"), "{");
  expect(await caller(here)("uninstall", "--scope", "user")).toMatchObject({ status: 0, err: "" });
});

test("doctor reports a state directory that cannot be written, and leaves nothing in one that can", async () => {
  const here = world();
  const doctor = async (state: string) => {
    const env = { PATH: process.env["PATH"], HOOKLINE_HOME: state };
    const { out } = await callHookline(["doctor", "--json"], { home: here.home, cwd: here.project, env });
    const { findings } = JSON.parse(out) as { findings: { code: string; level: string; message: string }[] };
    return findings.filter(({ code }) => code === "state-unwritable");
  };
  const below = join(here.hooksFile, "state");
  expect(await doctor(below)).toEqual([
    {
      level: "error",
      code: "state-unwritable",
      message: `The state directory ${below} cannot be written: ENOTDIR: not a directory, access '${here.hooksFile}/.'. A component of the path is not a directory. Move it away.`,
      place: below,
    },
  ]);
  mkdirSync(here.state);
  expect([await doctor(here.state), readdirSync(here.state)]).toEqual([[], []]);
  expect(await doctor(join(here.folder, "none/below"))).toEqual([]);
});

test("doctor reports a settings file whose link leads in a circle", async () => {
  const here = world();
  const file = join(here.project, ".claude/settings.json");
  rmSync(file, { force: true });
  symlinkSync("settings.json", file);
  expect(await caller(here)("doctor")).toMatchObject({
    status: 3,
    out: expect.stringContaining("settings-unreadable"),
  });
});

function shell(script: string) {
  const words = ["-c", script, process.execPath, join(dist, "cli/bin.cjs")];
  const { status, stderr } = spawnSync("sh", words, { cwd: world().folder, encoding: "utf8" });
  return [status, stderr];
}

test("a removed current directory is reported in one line, without a stack", () => {
  expect(shell('mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" status')).toEqual([
    1,
    "hookline: The current directory no longer exists. Change to another directory and try again.\n",
  ]);
});

test.runIf(existsSync("/dev/full"))("a write error on stdout is reported in one line, without a stack", () => {
  const full = "ENOSPC: no space left on device, write. The disk is full. Free some space and try again.";
  expect(shell('exec "$0" "$1" --help >/dev/full')).toEqual([1, `hookline: ${full}\n`]);
});
