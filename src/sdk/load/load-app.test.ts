import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildAhead, endBuilds } from "./build-app.ts";
import { cachedBuild } from "./build-cache.ts";
import { appInputs, buildFile, loadApp } from "./load-app.ts";

test("a .mjs file is imported as it is and then built ahead; HOOKLINE_BUILD_AHEAD=0 leaves it as it is for good", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-load-"));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "hooks.mjs");
  // No build keeps a remark.
  writeFileSync(file, `export default { [Symbol.for("hookline.app")]: { text: String(() => { /* as it is */ }) } };`);
  const built = { HOOKLINE_HOME: join(folder, "state") };
  const asItIs = { ...built, HOOKLINE_BUILD_AHEAD: "0" };
  const unbuilt: string[] = [];
  const isAsItIs = async (env: Readonly<Record<string, string>>) => {
    const inside = await loadApp(file, {
      env,
      cwd: folder,
      entryPoint: () => ({}),
      onUnbuilt: (path) => void unbuilt.push(path),
    });
    return (inside as unknown as { text: string }).text.includes("as it is");
  };
  expect([await isAsItIs(asItIs), unbuilt]).toEqual([true, []]);
  expect([await isAsItIs(built), unbuilt]).toEqual([true, [file]]);
  await buildAhead(file, built);
  expect([await isAsItIs(built), await isAsItIs(asItIs), unbuilt]).toEqual([false, true, [file]]);
});

test("a .mjs file can import TypeScript on any supported Node", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-load-"));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "hooks.mjs");
  writeFileSync(join(folder, "typed.ts"), `export enum Level { High = 7 }`);
  writeFileSync(join(folder, "package.json"), `{ "imports": { "#typed": "./typed.ts" } }`);
  writeFileSync(
    file,
    `import { Level } from "#typed"; export default { [Symbol.for("hookline.app")]: { level: Level.High } };`,
  );
  const loaded = await loadApp(file, { env: { HOOKLINE_HOME: join(folder, "state") }, cwd: folder });
  expect(loaded).toEqual({ level: 7 });
});

test("a missing hooks file is reported without a stack", async () => {
  const loading = loadApp("gone.ts", { env: {}, cwd: "/nowhere" });
  await expect(loading).rejects.toThrow("/nowhere/gone.ts does not load: there is no such file.");
});

test("a syntax error that only Node rejects names file and line", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-load-")));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "hooks.mjs");
  writeFileSync(join(folder, "other.mjs"), "\n\n@decorated class Other {}\n");
  writeFileSync(file, `import "./other.mjs";\nexport default {};`);
  const loading = loadApp(file, { env: { HOOKLINE_HOME: join(folder, "state") }, cwd: folder });
  await expect(loading).rejects.toThrow(`${join(folder, "other.mjs")}:3: SyntaxError: Invalid or unexpected token`);
});

test("a pipe in the place of a hooks file is a problem at once, never a wait", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-load-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["hooks.mjs", "hooks.ts"]) {
    const file = join(folder, name);
    execFileSync("mkfifo", [file]);
    const problem = { code: "sdk/no-load", message: `${file} does not load: it is not a regular file.` };
    await expect(loadApp(file, { env: {}, cwd: folder, entryPoint: () => ({}) })).rejects.toMatchObject(problem);
    await expect(appInputs(file)).rejects.toMatchObject(problem);
    await expect(buildFile(file, {})).rejects.toMatchObject(problem);
  }
});

test("an error that a recipe throws is reported with the user's call", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-load-")));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const recipe = join(folder, "guard.mjs");
  writeFileSync(recipe, "export function guard({ also }) {\n  return also.map((one) => one.trim());\n}\n");
  const file = join(folder, "hooks.mjs");
  writeFileSync(file, 'import { guard } from "./guard.mjs";\n\nexport default guard({ also: 5 });\n');
  await expect(loadApp(file, { env: { HOOKLINE_HOME: join(folder, "state") }, cwd: folder })).rejects.toThrow(
    `${recipe}:2: TypeError: also.map is not a function (called at ${file}:3)`,
  );
});

function openProject(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-load-")));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, env: { HOOKLINE_HOME: join(folder, "state") } };
}

test.each(["removed", "kept"])("a build follows a package whose main file moves, with the old file %s", async (old) => {
  const { folder, env } = openProject();
  const file = join(folder, "hooks.ts");
  const dependency = join(folder, "node_modules/x");
  const release = (main: string) => {
    mkdirSync(dependency, { recursive: true });
    writeFileSync(join(dependency, "package.json"), JSON.stringify({ name: "x", type: "module", main }));
    writeFileSync(join(dependency, main), `export const v = "${main}";`);
  };
  writeFileSync(file, `import { v } from "x"; export default { [Symbol.for("hookline.app")]: { v } };`);
  release("a.js");
  expect(await loadApp(file, { env, cwd: folder, entryPoint: () => ({}) })).toEqual({ v: "a.js" });
  release("b.js");
  if (old === "removed") rmSync(join(dependency, "a.js"));
  expect(await loadApp(file, { env, cwd: folder, entryPoint: () => ({}) })).toEqual({ v: "b.js" });
  // Packages are not part of the app: an approval does not pin them.
  expect(await appInputs(file)).toEqual([file]);
});

test("a build that refers to a package which no longer exists is made again, although its inputs are the same", async () => {
  const { folder, env } = openProject();
  const file = join(folder, "hooks.ts");
  writeFileSync(file, `export default { [Symbol.for("hookline.app")]: { v: 1 as number } };`);
  const built = await buildFile(file, env);
  writeFileSync(built, `export { default } from "file://${folder}/gone.mjs";`);
  expect(await loadApp(file, { env, cwd: folder })).toEqual({ v: 1 });
  expect(await loadApp(file, { env, cwd: folder, entryPoint: () => ({}) })).toEqual({ v: 1 });
});

describe("a damaged build is made again", () => {
  const damages = [
    ["empty", () => ""],
    ["cut off", (text: string) => text.slice(0, text.length / 2)],
    ["of zeros", (text: string) => "\0".repeat(text.length)],
  ] as const;
  test.each(damages)("a build that is %s is made again", async (_, damage) => {
    const { folder, env } = openProject();
    const file = join(folder, "hooks.ts");
    writeFileSync(file, `const v: number = 1;\nexport default { [Symbol.for("hookline.app")]: { v } };`);
    await buildFile(file, env);
    const script = cachedBuild(file, env)?.script ?? "";
    const text = readFileSync(script, "utf8");
    writeFileSync(script, damage(text));
    expect(await loadApp(file, { env, cwd: folder, entryPoint: () => ({}) })).toEqual({ v: 1 });
    expect(readFileSync(script, "utf8")).toBe(text);
  });

  test("a damaged build of JavaScript is made again ahead of time, and the file loads without it", async () => {
    const { folder, env } = openProject();
    const file = join(folder, "hooks.mjs");
    writeFileSync(file, `export default { [Symbol.for("hookline.app")]: { v: 1 } };`);
    await buildAhead(file, env);
    const script = cachedBuild(file, env)?.script ?? "";
    writeFileSync(script, "");
    const unbuilt: string[] = [];
    const options = { env, cwd: folder, entryPoint: () => ({}), onUnbuilt: (path: string) => void unbuilt.push(path) };
    expect([await loadApp(file, options), unbuilt, existsSync(script)]).toEqual([{ v: 1 }, [file], false]);
    await buildAhead(file, env);
    expect([await loadApp(file, options), unbuilt, existsSync(script)]).toEqual([{ v: 1 }, [file], true]);
  });
});

test("a failure to build a file again is reported, also when its earlier build has no default export", async () => {
  const { folder, env } = openProject();
  const file = join(folder, "hooks.ts");
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(file)}, "const v = ;");`,
  );
  await buildFile(file, env);
  await expect(loadApp(file, { env, cwd: folder })).rejects.toThrow(
    `${file} does not load: hooks.ts:1: Unexpected ";"`,
  );
});

test("a build that runs is not stopped by the end of another one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-load-"));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const parts = Array.from({ length: 200 }, (_, number) => `part${number}.ts`);
  for (const part of parts) writeFileSync(join(folder, part), "export const one: number = 1;\n");
  const [large, small] = [join(folder, "large.ts"), join(folder, "small.ts")];
  writeFileSync(large, parts.map((part) => `import "./${part}";\n`).join(""));
  writeFileSync(small, "export {};\n");
  const running = appInputs(large).finally(endBuilds);
  expect(await appInputs(small).finally(endBuilds)).toHaveLength(1);
  expect(await running).toHaveLength(201);
});
