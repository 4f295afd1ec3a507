import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test } from "vitest";
import { packageVersion } from "../../files/internal.ts";
import { build, endBuilds } from "./build-app.ts";
import { type BuildRecord, cachedBuild, recordName } from "./build-cache.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-cached-")));
const state = join(folder, "state");
const env = { HOOKLINE_HOME: state };
const file = join(folder, "hooks.ts");
const isKept = () => cachedBuild(file, env)?.module !== undefined;

beforeEach(() => {
  rmSync(state, { recursive: true, force: true });
  writeFileSync(file, "export default 1 as number;");
});
afterAll(async () => {
  await endBuilds();
  rmSync(folder, { recursive: true, force: true });
});

test("a build that other users may write is not used", async () => {
  await build(file, env);
  expect(isKept()).toBe(true);
  for (const name of readdirSync(join(state, "builds")).filter((name) => /\.(?:json|mjs)$/.test(name))) {
    chmodSync(join(state, "builds", name), 0o620);
    expect(isKept(), name).toBe(false);
    chmodSync(join(state, "builds", name), 0o600);
  }
  chmodSync(join(state, "builds"), 0o770);
  expect(isKept()).toBe(false);
});

test("builds are used when the cache directory is a link", async () => {
  mkdirSync(join(folder, "elsewhere"), { mode: 0o700 });
  mkdirSync(state, { mode: 0o700 });
  symlinkSync(join(folder, "elsewhere"), join(state, "builds"));
  await build(file, env);
  expect(isKept()).toBe(true);
});

test("a changed link target of a hooks file is noticed", async () => {
  const text = `import { word } from "./lib/word.ts"; export default word;`;
  for (const release of ["one", "two"]) {
    mkdirSync(join(folder, release, "words"), { recursive: true });
    writeFileSync(join(folder, release, "hooks.ts"), text);
    writeFileSync(join(folder, release, "words/word.ts"), `export const word: string = "${release}";`);
    symlinkSync("words", join(folder, release, "lib"));
  }
  const pointTo = (target: string, link: string) => {
    symlinkSync(target, `${link}.new`);
    renameSync(`${link}.new`, link);
  };
  pointTo("one/hooks.ts", file);
  await build(file, env);
  expect(isKept()).toBe(true);
  pointTo("two/hooks.ts", file);
  expect(isKept()).toBe(false);
  pointTo("one/hooks.ts", file);
  expect(isKept()).toBe(true);
  // A link on the way to an import, too.
  pointTo(join(folder, "two/words"), join(folder, "one/lib"));
  expect(isKept()).toBe(false);
  rmSync(file);
});

test("a package whose link moves, and a nearer package that appears, are noticed", async () => {
  for (const version of ["dep@1", "dep@2"]) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "package.json"), '{"name":"dep","type":"module","main":"index.js"}');
    writeFileSync(join(folder, version, "index.js"), "export const word = 1;");
  }
  mkdirSync(join(folder, "node_modules"));
  const link = join(folder, "node_modules/dep");
  symlinkSync("../dep@1", link);
  mkdirSync(join(folder, ".claude"));
  const hooks = join(folder, ".claude/hooks.ts");
  writeFileSync(hooks, `import { word } from "dep"; export default word as number;`);
  const isUsed = () => cachedBuild(hooks, env)?.module !== undefined;
  await build(hooks, env);
  expect(isUsed()).toBe(true);
  rmSync(link);
  symlinkSync("../dep@2", link);
  expect(isUsed()).toBe(false);
  await build(hooks, env);
  expect(isUsed()).toBe(true);
  mkdirSync(join(folder, ".claude/node_modules/dep"), { recursive: true });
  expect(isUsed()).toBe(false);
});

test("a file that an import would now resolve to first is noticed", async () => {
  mkdirSync(join(folder, "util"));
  writeFileSync(join(folder, "util/index.ts"), "export const word = 1;");
  writeFileSync(join(folder, "other.ts"), "export const other = 1;");
  writeFileSync(
    file,
    `import { word } from "./util"; import { other } from "./other.js"; export default word + other;`,
  );
  await build(file, env);
  expect(isKept()).toBe(true);
  for (const nearer of ["util.ts", "other.js"]) {
    writeFileSync(join(folder, nearer), "export const word = 2; export const other = 2;");
    expect(isKept(), nearer).toBe(false);
    rmSync(join(folder, nearer));
    expect(isKept()).toBe(true);
  }
});

test("a build of another version of the package or of Node is not used, though it has our name", async () => {
  await build(file, env);
  const record = join(state, "builds", recordName(file));
  const kept = readFileSync(record, "utf8");
  const { made } = JSON.parse(kept) as BuildRecord;
  expect(made).toMatch(new RegExp(`^${packageVersion()} .* node ${process.versions.node.split(".")[0]}$`));
  for (const other of [made.replace(/\d+$/, "19"), made.replace(packageVersion(), "0.0.1")]) {
    writeFileSync(record, kept.replace(made, other));
    expect(isKept(), other).toBe(false);
  }
  writeFileSync(record, kept);
  expect(isKept()).toBe(true);
});

test("without HOME the app loads without a cache", () => {
  expect(cachedBuild(file, { HOOKLINE_HOME: "relative" })).toBeUndefined();
});

test("TypeScript loads when the cache cannot be written", async () => {
  const url = await build(file, { HOOKLINE_HOME: join(file, "no-folder") });
  expect(((await import(url)) as { default: number }).default).toBe(1);
  expect(statSync(dirname(fileURLToPath(url))).mode & 0o777).toBe(0o700);
  // A folder that others may write is not bypassed: the user has to fix it.
  mkdirSync(state, { mode: 0o700 });
  chmodSync(state, 0o770);
  await expect(build(file, env)).rejects.toMatchObject({ name: "Problem" });
});

test("the cache keeps the files of some fifty builds, the newest ones", async () => {
  const builds = join(state, "builds");
  mkdirSync(builds, { recursive: true, mode: 0o700 });
  chmodSync(state, 0o700);
  const names = Array.from({ length: 300 }, (_, index) => `${index.toString(16).padStart(64, "0")}.mjs`);
  names.forEach((name, index) => {
    writeFileSync(join(builds, name), "", { mode: 0o600 });
    utimesSync(join(builds, name), index, index);
  });
  await build(file, env);
  const left = readdirSync(builds);
  expect(left.filter((name) => !name.endsWith(".map"))).toHaveLength(250);
  expect([left.includes(names[0] ?? ""), left.includes(names[299] ?? ""), isKept()]).toEqual([false, true, true]);
});
