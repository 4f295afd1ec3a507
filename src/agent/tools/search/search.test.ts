import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { toolWorld } from "../fixtures/world.ts";
import { compileGlob } from "./glob-match.ts";
import { globTool } from "./glob-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { findRipgrep } from "./ripgrep.ts";

/** A repository with ignored, hidden, binary and linked files. Without `rg` unless the machine has one and the test asks for it. */
function tree(withRipgrep?: string) {
  const world = toolWorld();
  const bin = join(world.root, "bin");
  mkdirSync(bin);
  for (const name of ["git", "env", "bash"]) {
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
  }
  const PATH = withRipgrep === undefined ? bin : `${bin}:${dirname(withRipgrep)}`;
  execFileSync("git", ["init", "-q"], { cwd: world.project });
  const files: Record<string, string> = {
    ".gitignore": "dist/\n*.log\n",
    "a.txt": "hello\nworld\nthird\n",
    "src/b.ts": "const hello = 1;\n\n\n\n\n// hello again hello\n",
    "src/deep/c.ts": "nothing\nHELLO hello\n",
    "src/deep.ts": "x",
    "dist/out.js": "hello",
    "noise.log": "hello",
    ".hidden/d.md": "hello\r\nyou\r\n",
    "bin.dat": "hello\0\n",
    "long.txt": `hello ${"x".repeat(600)}\n`,
    "-dash.txt": "hello -- dash\n",
    "sp ace/e.txt": "last hello without break",
  };
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    utimesSync(world.write(name, text), 1_000 + index, 1_000 + index);
  }
  symlinkSync("/etc", join(world.project, "link"));
  return { ...world, over: { env: { ...world.context.env, PATH } } };
}

test("files with a match are listed, those changed last first, ignored and binary ones left out", async () => {
  const { call, over } = tree();
  expect(await call(grepTool, { pattern: "hello" }, over)).toEqual({
    isError: false,
    content: "Found 7 files\nsp ace/e.txt\n-dash.txt\nlong.txt\n.hidden/d.md\nsrc/deep/c.ts\nsrc/b.ts\na.txt",
    response: {
      mode: "files_with_matches",
      filenames: ["sp ace/e.txt", "-dash.txt", "long.txt", ".hidden/d.md", "src/deep/c.ts", "src/b.ts", "a.txt"],
      numFiles: 7,
    },
  });
});

test("lines, counts, pages and context come in order of paths", async () => {
  const { call, over, project } = tree();
  const said = async (input: object) => (await call(grepTool, { pattern: "hello", ...input }, over)).content;
  expect(await said({ output_mode: "content", glob: "*.ts", "-C": 1 })).toBe(
    "src/b.ts:1:const hello = 1;\nsrc/b.ts-2-\n--\nsrc/b.ts-5-\nsrc/b.ts:6:// hello again hello\n--\nsrc/deep/c.ts-1-nothing\nsrc/deep/c.ts:2:HELLO hello",
  );
  expect(await said({ output_mode: "content", path: "src", "-n": false, "-i": true, type: "ts", "-o": true })).toBe(
    "src/b.ts:hello\nsrc/b.ts:hello\nsrc/b.ts:hello\nsrc/deep/c.ts:HELLO\nsrc/deep/c.ts:hello",
  );
  expect(await said({ output_mode: "count", path: join(project, "src/b.ts") })).toBe(
    "src/b.ts:2\n\nFound 2 total occurrences across 1 file.",
  );
  expect(await said({ output_mode: "content", head_limit: 1, offset: 1 })).toBe(
    ".hidden/d.md:1:hello\n\n[Showing results with pagination = limit: 1, offset: 1]",
  );
  expect(await said({ pattern: "zzz" })).toBe("No files found");
  expect(await said({ pattern: "hello.world", multiline: true, output_mode: "content" })).toBe(
    "a.txt:1:hello\na.txt:2:world",
  );
  expect(await said({ path: "nowhere" })).toContain("Path does not exist");
  expect(await said({ pattern: "(" })).toContain("regex parse error");
});

test("a file type that is not known is an error, even if it is the name of a property that every object inherits", async () => {
  const { call, over } = tree();
  for (const type of ["toString", "constructor", "nonsense"]) {
    expect(await call(grepTool, { pattern: "hello", type }, over)).toMatchObject({
      isError: true,
      content: expect.stringContaining(`unrecognized file type: ${type}`),
    });
  }
});

test("catastrophic backtracking does not block the agent and can be interrupted", async () => {
  const { call, over, write } = tree();
  write("slow.txt", `${"a".repeat(40)}!\n`);
  const result = await call(grepTool, { pattern: "^(a+)+$" }, { ...over, signal: AbortSignal.timeout(100) });
  expect(result).toEqual({ isError: true, content: "The search was interrupted.", interrupted: true });
});

test("files that the rules deny are not found", async () => {
  const { call, over } = tree();
  const mayRead = (path: string) => !path.includes("/src/");
  const lent = { ...over, mayRead };
  const grep = await call(grepTool, { pattern: "hello", output_mode: "content", glob: "*.{ts,md}" }, lent);
  expect(grep.content).toBe(".hidden/d.md:1:hello");
  expect(await call(globTool, { pattern: "**/*.ts" }, lent)).toMatchObject({ content: "No files found" });
});

test("files are found by name, hidden and ignored ones too, links not followed", async () => {
  const { call, over, project } = tree();
  const found = async (input: object) => (await call(globTool, { ...input }, over)).content;
  expect(await found({ pattern: "**/*.ts" })).toBe("src/deep.ts\nsrc/deep/c.ts\nsrc/b.ts");
  expect(await found({ pattern: "src/*.ts" })).toBe("src/deep.ts\nsrc/b.ts");
  expect(await found({ pattern: "*.{log,js}" })).toBe("noise.log\ndist/out.js");
  expect(await found({ pattern: `${project}/src/**` })).toBe("src/deep.ts\nsrc/deep/c.ts\nsrc/b.ts");
  expect(await found({ pattern: "passwd" })).toBe("No files found");
  expect(await found({ pattern: "*", path: "nowhere" })).toContain("Directory does not exist");
  const result = await call(globTool, { pattern: "a.*" }, over);
  expect(result).toMatchObject({ response: { numFiles: 1, filenames: ["a.txt"], truncated: false } });
});

test("an interrupted search is an interrupt, also while files are listed", async () => {
  const { call, over } = tree();
  const interrupted = { ...over, signal: AbortSignal.abort(new Error("interrupted")) };
  const expected = { isError: true, content: "The search was interrupted.", interrupted: true };
  expect(await call(grepTool, { pattern: "hello" }, interrupted)).toEqual(expected);
  expect(await call(globTool, { pattern: "**" }, interrupted)).toEqual(expected);
});

test("a long list of files is cut, with a note", async () => {
  const { call, over, project } = tree();
  mkdirSync(join(project, "many"));
  for (let n = 0; n < 120; n += 1) writeFileSync(join(project, "many", `${n}.x`), "");
  const result = await call(globTool, { pattern: "many/*.x" }, over);
  expect(result).toMatchObject({ response: { numFiles: 100, truncated: true } });
  expect(
    String(result.content).endsWith("(Results are truncated. Consider using a more specific path or pattern.)"),
  ).toBe(true);
});

test("globs mean what they mean in a shell, at bounded cost", () => {
  const fits = (pattern: string, path: string) => compileGlob(pattern)(path);
  for (const [pattern, path] of [
    ["*.ts", "a/b.ts"],
    ["**/*.ts", "b.ts"],
    ["**/*.ts", "a/b/c.ts"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["a/**", "a/b/c"],
    ["[a-c]?.{js,ts}", "bx.ts"],
    ["[!a]x", "bx"],
    ["\\*x", "*x"],
    ["{a,b{c,d}}", "bd"],
    ["x{a", "x{a"],
  ] as const) {
    expect([pattern, path, fits(pattern, path)]).toEqual([pattern, path, true]);
  }
  for (const [pattern, path] of [
    ["a/*.ts", "a/b/c.ts"],
    ["a/*", "b/a/c"],
    ["*.ts", "a.tsx"],
    ["a/**/b", "axb"],
    ["a/**/b", "a/xb"],
    ["[!a]x", "ax"],
    ["?", "ab"],
  ] as const) {
    expect([pattern, path, fits(pattern, path)]).toEqual([pattern, path, false]);
  }
  expect(fits(`a/${"*a".repeat(200)}b`, `a/${"a".repeat(1_000)}`)).toBe(false);
  expect(fits(`a/${"{x,y}".repeat(50)}`, "a/x")).toBe(false);
});

const rg = await findRipgrep(process.env);

test.skipIf(rg === undefined)("with rg and without, the answers are the same", async () => {
  const [own, theirs] = [tree(), tree(rg)];
  const wishes = [
    { pattern: "hello" },
    { pattern: "hello", output_mode: "content" },
    { pattern: "hello", output_mode: "content", "-C": 1 },
    { pattern: "hello", output_mode: "content", "-A": 2, "-i": true, "-n": false },
    { pattern: "hel+o", output_mode: "content", "-o": true },
    { pattern: "hello", output_mode: "count" },
    { pattern: "hello", glob: "*.{ts,md}", output_mode: "content" },
    { pattern: "hello", glob: "!src", output_mode: "count" },
    { pattern: "hello", glob: "src/**/*.ts", output_mode: "content" },
    { pattern: "hello", type: "ts", output_mode: "content" },
    { pattern: "hello", path: "src/b.ts", output_mode: "content" },
    { pattern: "hello.world", multiline: true, output_mode: "content" },
    { pattern: "^you$", output_mode: "content" },
    { pattern: "-- dash", output_mode: "content" },
    { pattern: "hello", type: "nonsense" },
    { pattern: "zzz", output_mode: "content" },
  ];
  for (const wish of wishes) {
    const [ours, rgs] = [await own.call(grepTool, wish, own.over), await theirs.call(grepTool, wish, theirs.over)];
    if (ours.isError) expect([wish, rgs.isError]).toEqual([wish, true]);
    else expect([wish, rgs]).toEqual([wish, ours]);
  }
});
