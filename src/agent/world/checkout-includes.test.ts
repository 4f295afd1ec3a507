import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../fixtures/agent-run.ts";
import { includedPaths } from "./instruction-includes.ts";
import { openInstructions } from "./instructions.ts";

function folder(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-included-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const warnings: string[] = [];
  const instructions = openInstructions({
    configFolder: join(root, "home/.claude"),
    home: join(root, "home"),
    cwd: join(root, "project"),
    directories: () => [],
    warn: (text) => void warnings.push(text.replaceAll(root, "")),
  });
  return { root, instructions, warnings };
}

test("a checkout's CLAUDE.md may include notes of the user, but no tokens and no sessions of other projects", async () => {
  const { instructions, warnings } = folder({
    "home/.claude/.credentials.json": "TOKEN",
    "home/.claude/settings.json": "SETTINGS",
    "home/.claude/projects/other/memory.md": "OTHER",
    "home/.claude/notes/mine.md": "note",
    "project/CLAUDE.md":
      "@~/.claude/.credentials.json @~/.claude/settings.json @~/.claude/projects/other/memory.md @~/.claude/notes/mine.md",
  });
  const texts = (await instructions.load("session_start")).map(({ text }) => text);
  expect(texts.slice(1)).toEqual(["note"]);
  expect(warnings.map((text) => text.split(" is not loaded")[0])).toEqual([
    "/home/.claude/.credentials.json",
    "/home/.claude/settings.json",
    "/home/.claude/projects/other/memory.md",
  ]);
});

test("a note that is a link to a token is not loaded", async () => {
  const { root, instructions } = folder({
    "home/.claude/.credentials.json": "TOKEN",
    "project/CLAUDE.md": "@~/.claude/note.md",
  });
  symlinkSync(join(root, "home/.claude/.credentials.json"), join(root, "home/.claude/note.md"));
  expect((await instructions.load("session_start")).map(({ text }) => text)).toEqual(["@~/.claude/note.md"]);
});

test("one file under any number of names does not fill the memory", async () => {
  const { root, instructions, warnings } = folder({ "project/big.md": "x".repeat(2 ** 20) });
  const names = Array.from({ length: 40 }, (_, n) => `l${n}.md`);
  for (const name of names) symlinkSync("big.md", join(root, "project", name));
  writeFileSync(join(root, "project/CLAUDE.md"), names.map((name) => `@${name}`).join("\n"));
  const loaded = await instructions.load("session_start");
  expect(loaded.length).toBe(8);
  expect(warnings.length).toBe(33);
});

test("a line of backticks takes linear time, and paths in code are ignored", () => {
  expect(includedPaths("a `@x/1.md` ``@x/2.md ` @x/3.md`` @x/4.md `open @x/5.md")).toEqual(["x/4.md", "x/5.md"]);
  const startedAt = process.cpuUsage().user;
  includedPaths("`".repeat(2 ** 19) + "a".repeat(2 ** 19));
  includedPaths("`a``b".repeat(2 ** 17));
  // The old expression took more than a minute of CPU for the first alone.
  expect(process.cpuUsage().user - startedAt).toBeLessThan(15_000_000);
});

test("a rule that denies reading a file applies to includes; a rule without a path does not", async () => {
  const files = { ".env": "KEY=hunter2", "ok.md": "fine words", "CLAUDE.md": "@.env @./ok.md" };
  for (const [deny, seen] of [
    ["Read(./.env)", [false, true]],
    ["Read", [true, true]],
  ] as const) {
    const world = makeWorld({ files, hooks: {}, settings: { permissions: { deny: [deny] } } });
    onTestFinished(world.remove);
    const { requests } = await world.run([{ text: "done" }], { prompt: "go" });
    const system = JSON.stringify(requests[0]?.system);
    expect([system.includes("hunter2"), system.includes("fine words")]).toEqual(seen);
  }
});
