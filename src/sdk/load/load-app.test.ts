import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildAhead, endBuilds } from "./build-app.ts";
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
    const inside = await loadApp(file, { env, cwd: folder, sdk: {}, onUnbuilt: (path) => void unbuilt.push(path) });
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
    await expect(loadApp(file, { env: {}, cwd: folder, sdk: {} })).rejects.toMatchObject(problem);
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
