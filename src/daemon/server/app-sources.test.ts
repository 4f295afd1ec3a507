import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { maybeChanged, readAppSources } from "./app-sources.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-sources-")));
  file = join(folder, "hooks.mjs");
  writeFileSync(file, "export default 1;");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

test("a change with equal size and time is noticed, and so is one within the same clock tick", async () => {
  utimesSync(file, 1, 1);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(statSync(file).ctimeMs + 10);
  const first = await readAppSources(file);
  // Written a moment ago: what is written in the next moment may bear the same times.
  expect(maybeChanged(first)).toBe(true);
  vi.setSystemTime(statSync(file).ctimeMs + 1_000);
  const settled = await readAppSources(file);
  expect([maybeChanged(settled), settled.hash]).toEqual([false, first.hash]);
  writeFileSync(file, "export default 2;");
  utimesSync(file, 1, 1);
  expect(maybeChanged(settled)).toBe(true);
  expect((await readAppSources(file)).hash).not.toBe(first.hash);
});

test("a pipe in place of the hooks file counts as a change, and is not waited for", async () => {
  const before = await readAppSources(file);
  rmSync(file);
  execFileSync("mkfifo", [file]);
  expect(maybeChanged(before)).toBe(true);
  expect((await readAppSources(file)).hash).not.toBe(before.hash);
});

test("a pipe in place of the manifest of a package's package is not waited for", async () => {
  writeFileSync(file, 'import "pol"; export default 1;');
  for (const name of ["pol", "dep"]) mkdirSync(join(folder, "node_modules", name), { recursive: true });
  const [pol, dep] = ["pol", "dep"].map((name) => join(folder, "node_modules", name, "package.json")) as [
    string,
    string,
  ];
  writeFileSync(pol, JSON.stringify({ name: "pol", main: "index.js", dependencies: { dep: "*" } }));
  writeFileSync(join(folder, "node_modules/pol/index.js"), "");
  execFileSync("mkfifo", [dep]);
  expect((await readAppSources(file)).files.map(({ path }) => path)).toContain(dep);
});

test("a circular link in place of the hooks file counts as a change", async () => {
  const before = await readAppSources(file);
  rmSync(file);
  symlinkSync(file, file);
  expect(maybeChanged(before)).toBe(true);
  expect((await readAppSources(file)).files).toMatchObject([{ path: file, stamp: "" }]);
});

test("an upgraded package, a moved link and a nearer package count as a change of packages, not of the app's own files", async () => {
  const put = (path: string, version: string) => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, "package.json"), JSON.stringify({ name: "dep", version, main: "index.js" }));
    writeFileSync(join(folder, path, "index.js"), "");
  };
  const link = (target: string) => {
    rmSync(join(folder, "node_modules/dep"), { recursive: true, force: true });
    symlinkSync(join(folder, target), join(folder, "node_modules/dep"));
  };
  mkdirSync(join(folder, "app"));
  file = join(folder, "app/hooks.mjs");
  writeFileSync(file, 'import "dep"; export default 1;');
  put("node_modules/dep", "1");
  put("store/dep", "2");
  put("other/dep", "2");
  const { hash } = await readAppSources(file);
  const changes = [
    () => put("node_modules/dep", "2"),
    () => link("store/dep"),
    () => link("other/dep"),
    () => put("app/node_modules/dep", "2"),
  ];
  for (const change of changes) {
    // Everything is older than the resolution of the clock.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const before = await readAppSources(file);
    expect([maybeChanged(before), before.hash]).toEqual([false, hash]);
    change();
    expect(maybeChanged(before)).toBe(true);
    const after = await readAppSources(file);
    expect([after.hash, after.packages === before.packages]).toEqual([hash, false]);
  }
});

test("a package of a package, and code that is named and not imported, count as changes of packages", async () => {
  const put = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const manifest = (name: string, version: string, dependencies = {}) =>
    put(`node_modules/${name}/package.json`, JSON.stringify({ name, version, dependencies }));
  writeFileSync(
    file,
    `import "pol"; import { createRequire } from "node:module"; createRequire(import.meta.url)("./rules.cjs");`,
  );
  manifest("pol", "1", { dep: "*" });
  put("node_modules/pol/index.js", "");
  manifest("dep", "1", { pol: "*" });
  put("rules.cjs", `require("./more.cjs");`);
  put("more.cjs", "");
  for (const change of [
    () => manifest("dep", "2"),
    () => put("rules.cjs", `require("./more.cjs"); 1`),
    () => put("more.cjs", "1"),
  ]) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const before = await readAppSources(file);
    expect(maybeChanged(before)).toBe(false);
    change();
    expect(maybeChanged(before)).toBe(true);
    const after = await readAppSources(file);
    expect([after.hash, after.packages === before.packages]).toEqual([before.hash, false]);
  }
});

test.each(["extra.ts", "extra.js", "extra", "lib"])(
  "a missing import of ./%s counts as a change when it appears",
  async (name) => {
    file = join(folder, "hooks.ts");
    mkdirSync(join(folder, "lib"));
    writeFileSync(join(folder, "near.ts"), `import { g } from "./${name}"; export default g;`);
    writeFileSync(file, 'export { default } from "./near.ts";');
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const before = await readAppSources(file);
    expect(maybeChanged(before)).toBe(false);
    writeFileSync(join(folder, name === "lib" ? "lib/index.ts" : "extra.ts"), "export const g = 1;");
    expect(maybeChanged(before)).toBe(true);
    const after = await readAppSources(file);
    expect(after.files.filter(({ stamp }) => stamp !== "")).toHaveLength(3);
  },
);

test("a missing package whose name begins with hookline counts as a change when it appears", async () => {
  writeFileSync(file, 'import "hookline-x"; export default 1;');
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const before = await readAppSources(file);
  expect(maybeChanged(before)).toBe(false);
  mkdirSync(join(folder, "node_modules/hookline-x"), { recursive: true });
  expect(maybeChanged(before)).toBe(true);
});

test("the same files always have the same packages, in whatever order a build finds its imports", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `f${at}`);
  for (const [at, name] of names.entries()) {
    const imports = [2 * at + 1, 2 * at + 2].filter((to) => to < names.length).map((to) => `import "./f${to}";`);
    // Of different length, so that they are not read in order.
    writeFileSync(join(folder, `${name}.ts`), `${imports.join("\n")}\n${"// text\n".repeat((at * 7919) % 3000)}`);
  }
  writeFileSync(file, 'import "./f0"; export default 1;');
  const read = new Set<string>();
  for (let times = 0; times < 10; times++) read.add((await readAppSources(file)).packages);
  expect(read.size).toBe(1);
});
