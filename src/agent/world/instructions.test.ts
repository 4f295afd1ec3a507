import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recorded } from "../tools/fixtures/recorded.ts";
import { instructionsText, loadedPayload, openInstructions } from "./instructions.ts";

function world(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-instructions-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const projectRoot = join(root, "up/project");
  mkdirSync(projectRoot, { recursive: true });
  const warnings: string[] = [];
  const instructions = openInstructions({
    configFolder: join(root, "home/.claude"),
    home: join(root, "home"),
    cwd: projectRoot,
    directories: () => [],
    warn: (message) => void warnings.push(message.replaceAll(root, "")),
  });
  const short = (list: Awaited<ReturnType<typeof instructions.load>>) =>
    list.map((file) => {
      const { file_path = "", ...rest } = loadedPayload(file);
      return [file_path.replace(root, ""), ...Object.values(rest).map((value) => value.replace(root, ""))];
    });
  return { root, projectRoot, instructions, warnings, short, write };
}

test("the user's own file comes first, then those of the folders above, then the project's and the local one", async () => {
  const { instructions, short } = world({
    "home/.claude/CLAUDE.md": "own",
    "up/CLAUDE.md": "above",
    "up/project/CLAUDE.md": "project",
    "up/project/.claude/CLAUDE.md": "in its folder",
    "up/project/CLAUDE.local.md": "local",
    "up/project/sub/CLAUDE.md": "below",
  });
  expect(short(await instructions.load("session_start"))).toEqual([
    ["/home/.claude/CLAUDE.md", "User", "session_start"],
    ["/up/CLAUDE.md", "Project", "session_start"],
    ["/up/project/CLAUDE.md", "Project", "session_start"],
    ["/up/project/.claude/CLAUDE.md", "Project", "session_start"],
    ["/up/project/CLAUDE.local.md", "Local", "session_start"],
  ]);
});

test("the fields of each load reason are those of the recorded event, in order", async () => {
  const { instructions, root, projectRoot } = world({
    "up/project/CLAUDE.md": "see @inc.md",
    "up/project/inc.md": "included",
    "up/project/sub/CLAUDE.md": "below",
  });
  const own = [
    ...(await instructions.load("session_start")),
    ...(await instructions.touched(join(projectRoot, "sub/f.txt"))),
    ...(await instructions.load("compact")),
  ];
  const seen = new Map(own.map((file) => [file.reason, Object.keys(loadedPayload(file))]));
  for (const payload of recorded("InstructionsLoaded", undefined)) {
    const keys = Object.keys(payload);
    expect(seen.get(String(payload["load_reason"]) as never)).toEqual(keys.slice(keys.indexOf("hook_event_name") + 1));
  }
  expect(seen.size).toBe(4);
  expect(instructionsText(own.slice(0, 1))).toBe(
    `Contents of ${root}/up/project/CLAUDE.md (project instructions, checked into the codebase):\n\nsee @inc.md`,
  );
});

test("includes go five files deep, circles end, paths in code are ignored", async () => {
  const chain = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((n) => [`up/project/d/${n}.md`, `@${n + 1}.md and back @../CLAUDE.md`]),
  );
  const { instructions, short, warnings } = world({
    "up/project/CLAUDE.md": "@d/1.md `@no/code.md`\n```\n@no/fence.md\n```\nmail a@b.c and @someone",
    "up/project/no/code.md": "x",
    "up/project/no/fence.md": "x",
    ...chain,
  });
  expect(short(await instructions.load("session_start"))).toEqual([
    ["/up/project/CLAUDE.md", "Project", "session_start"],
    ["/up/project/d/1.md", "Project", "include", "/up/project/CLAUDE.md"],
    ...[2, 3, 4, 5].map((n) => [`/up/project/d/${n}.md`, "Project", "include", `/up/project/d/${n - 1}.md`]),
  ]);
  expect(warnings).toEqual([
    "/up/project/d/6.md is not loaded: it is included more than 5 files deep, by /up/project/d/5.md.",
  ]);
});

test("a checkout cannot include files outside of it, by path or by link", async () => {
  const { instructions, short, root, projectRoot, warnings } = world({
    "secret/key": "SECRET",
    "up/project/sub/x.md": "x",
    "up/project/CLAUDE.md": "@../../secret/key @/etc/passwd @link.md @sub/x.md",
  });
  symlinkSync(join(root, "secret/key"), join(projectRoot, "link.md"));
  symlinkSync(join(root, "secret/key"), join(projectRoot, "CLAUDE.local.md"));
  expect(short(await instructions.load("session_start"))).toEqual([
    ["/up/project/CLAUDE.md", "Project", "session_start"],
    ["/up/project/sub/x.md", "Project", "include", "/up/project/CLAUDE.md"],
  ]);
  expect(warnings.map((text) => text.slice(0, text.indexOf(" is not loaded")))).toEqual([
    "/secret/key",
    "/etc/passwd",
    "/up/project/link.md",
    "/up/project/CLAUDE.local.md",
  ]);
});

test("a touched file loads the instructions between it and the project, once, and again after compaction", async () => {
  const { instructions, short, projectRoot, root } = world({
    "up/project/CLAUDE.md": "p",
    "up/project/a/CLAUDE.md": "a @inc.md",
    "up/project/a/inc.md": "i",
    "up/project/a/b/CLAUDE.local.md": "b",
    "elsewhere/CLAUDE.md": "e",
  });
  await instructions.load("session_start");
  const file = join(projectRoot, "a/b/f.txt");
  const first = [
    ["/up/project/a/CLAUDE.md", "Project", "nested_traversal", "/up/project/a/b/f.txt"],
    ["/up/project/a/inc.md", "Project", "include", "/up/project/a/CLAUDE.md"],
    ["/up/project/a/b/CLAUDE.local.md", "Local", "nested_traversal", "/up/project/a/b/f.txt"],
  ];
  expect(short(await instructions.touched(file))).toEqual(first);
  expect(await instructions.touched(file)).toEqual([]);
  expect(await instructions.touched(join(root, "elsewhere/f.txt"))).toEqual([]);
  expect(short(await instructions.load("compact"))).toEqual([["/up/project/CLAUDE.md", "Project", "compact"]]);
  expect(short(await instructions.touched(file))).toEqual(first);
});

test("a file that cannot be used is reported and left out", async () => {
  const { instructions, projectRoot, warnings, write } = world({});
  mkdirSync(join(projectRoot, "CLAUDE.md"));
  write("up/project/CLAUDE.local.md", "a\0b");
  expect(await instructions.load("session_start")).toEqual([]);
  expect(warnings).toEqual([
    "/up/project/CLAUDE.md is not loaded: it is not a regular file.",
    "/up/project/CLAUDE.local.md is not loaded: it is not a text file.",
  ]);
});
