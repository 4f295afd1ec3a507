import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadApp } from "../../sdk/index.ts";
import { testClient } from "../../sdk/testing/index.ts";
import { callHookline } from "../fixtures/caller.ts";

const recipes = readdirSync(resolve(import.meta.dirname, "../../../examples/hooks")).map((name) => name.slice(0, -3));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function emptyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline init's "));
  folders.push(folder);
  return folder;
}

function init(cwd: string, ...words: string[]) {
  return callHookline(["init", ...words], { home: cwd });
}

test("a hooks file and its test are written, and never replaced unasked", async () => {
  const folder = emptyProject();
  expect((await init(folder)).status).toBe(0);
  expect(readdirSync(join(folder, ".claude")).sort()).toEqual(["hooks.test.ts", "hooks.ts", "tsconfig.json"]);
  const file = join(folder, ".claude/hooks.ts");
  writeFileSync(file, "// mine");
  expect((await init(folder)).out).toContain(`kept  ${file}`);
  expect(readFileSync(file, "utf8")).toBe("// mine");
  await init(folder, "--force");
  expect(readFileSync(file, "utf8")).toContain("export default app;");
  const plain = emptyProject();
  await init(plain, "--js");
  expect(readdirSync(join(plain, ".claude")).sort()).toEqual(["hooks.mjs", "hooks.test.mjs"]);
});

test("init --with includes the recipe in the hooks file that it writes", async () => {
  const folder = emptyProject();
  const { out } = await init(folder, "--with", "redact-secrets,steer");
  expect(readFileSync(join(folder, ".claude/hooks.ts"), "utf8").split("\n")).toEqual(
    expect.arrayContaining([
      'import { redactSecrets } from "./redact-secrets.ts";',
      'import { steer } from "./steer.ts";',
      "app.include(redactSecrets());",
      "app.include(steer());",
    ]),
  );
  expect(readdirSync(join(folder, ".claude"))).toEqual(expect.arrayContaining(["redact-secrets.ts", "steer.ts"]));
  expect(out).toContain("The hooks file includes redact-secrets, steer.");
  expect(out).toMatch(/\nNext: hookline test, /);
});

test("init --with leaves an existing hooks file alone and prints the lines to add", async () => {
  const folder = emptyProject();
  mkdirSync(join(folder, ".claude"));
  writeFileSync(join(folder, ".claude/hooks.ts"), "// mine");
  expect((await init(folder, "--with", "steer")).out).toContain(
    'Your hooks file was not changed. Add to it:\n  import { steer } from "./steer.ts";\n  app.include(steer());\n',
  );
  expect(readFileSync(join(folder, ".claude/hooks.ts"), "utf8")).toBe("// mine");
  expect(JSON.parse((await init(folder, "--json", "--with", "notify")).out)).toEqual({
    written: [join(folder, ".claude/notify.ts")],
    kept: ["hooks.ts", "hooks.test.ts", "tsconfig.json"].map((name) => join(folder, ".claude", name)),
    included: [],
    add: ['import { notify } from "./notify.ts";', "app.include(notify());"],
  });
});

test("an unknown recipe writes nothing and names the nearest one; --help lists all of them", async () => {
  const other = emptyProject();
  const refused = await init(other, "--with", "redact-secret");
  expect([refused.status, refused.err]).toEqual([
    1,
    'hookline: "redact-secret" is not a recipe. Did you mean "redact-secrets"?\n',
  ]);
  expect(readdirSync(other)).toEqual([]);
  const { out } = await init(other, "--help");
  for (const name of recipes) expect(out).toContain(name);
});

test.each(recipes)("the test that init writes passes with the recipe %s", async (name) => {
  const folder = emptyProject();
  await init(folder, "--with", name);
  const env = { HOME: folder, HOOKLINE_HOME: join(folder, "state"), PATH: process.env["PATH"] };
  const inside = await loadApp(join(folder, ".claude/hooks.ts"), { env, cwd: folder });
  const client = testClient({ [Symbol.for("hookline.app")]: inside });
  const asked = await client.preTool("Bash", { command: "rm notes.txt" });
  expect([asked.decision, asked.trace.map((one) => one.name).includes("ask-before-delete")]).toEqual(["ask", true]);
  (await client.preTool("Bash", { command: "ls" })).expectNoOpinion();
  expect(readFileSync(join(folder, ".claude/hooks.test.ts"), "utf8")).toContain('"rm notes.txt" })).expectAsked(');
});

test("what init writes type-checks as it is, with every recipe", async () => {
  const folder = emptyProject();
  await init(folder, "--with", recipes.join(","));
  const root = resolve(import.meta.dirname, "../../..");
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/hookline"));
  symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", ".claude"], { cwd: folder, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
}, 120_000);

test("init writes nothing through a link in the project, and reports a file in place of .claude", async () => {
  const folder = emptyProject();
  mkdirSync(join(folder, ".claude"));
  writeFileSync(join(folder, "victim"), "theirs");
  symlinkSync("../victim", join(folder, ".claude/hooks.ts"));
  expect((await init(folder)).out).toContain(`kept  ${join(folder, ".claude/hooks.ts")}`);
  expect(await init(folder, "--force")).toMatchObject({ status: 1, err: expect.stringContaining("is a link") });
  expect(readFileSync(join(folder, "victim"), "utf8")).toBe("theirs");
  const other = emptyProject();
  writeFileSync(join(other, ".claude"), "");
  expect(await init(other)).toEqual({
    status: 1,
    out: "",
    err: `hookline: ${join(other, ".claude")} should be a folder. Move away what is there and try again.\n`,
  });
});
