import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyProject, init, recipes } from "./fixtures/init.ts";

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
  expect(readFileSync(file, "utf8")).toContain('const app = createApp({ onFailure: "block" });');
  const plain = emptyProject();
  await init(plain, "--js");
  expect(readdirSync(join(plain, ".claude")).sort()).toEqual(["hooks.mjs", "hooks.test.mjs"]);
});

test("next to an existing hooks file init writes no test and prints why", async () => {
  const folder = emptyProject();
  const [file, testFile] = [join(folder, ".claude/hooks.ts"), join(folder, ".claude/hooks.test.ts")];
  mkdirSync(join(folder, ".claude"));
  writeFileSync(file, "// mine");
  const { out } = await init(folder);
  expect(out.split("\n").slice(0, 3)).toEqual([
    `wrote ${join(folder, ".claude/tsconfig.json")}`,
    `kept  ${file} (already exists; --force replaces it)`,
    `skipped ${testFile} (it would test the hooks file of init, not yours)`,
  ]);
  expect(readdirSync(join(folder, ".claude")).sort()).toEqual(["hooks.ts", "tsconfig.json"]);
  writeFileSync(testFile, "// mine too");
  expect((await init(folder)).out).toContain(`kept  ${testFile} (already exists`);
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
  expect(out).toMatch(/\nNext: npx hookline test, npx hookline replay /);
});

test("init --with takes a recipe that is named twice once", async () => {
  const [once, twice] = [emptyProject(), emptyProject()];
  await init(once, "--with", "steer");
  const { out } = await init(twice, "--with", "steer,steer");
  const text = (folder: string) => readFileSync(join(folder, ".claude/hooks.ts"), "utf8");
  expect([text(twice), out.match(/steer\.ts/g)?.length]).toEqual([text(once), 1]);
  expect(out).toContain("The hooks file includes steer.");
});

test("init --with leaves an existing hooks file alone and prints the lines to add", async () => {
  const folder = emptyProject();
  mkdirSync(join(folder, ".claude"));
  writeFileSync(join(folder, ".claude/hooks.ts"), "// mine");
  expect((await init(folder, "--with", "steer")).out).toContain(
    'Your hooks file was not changed. Add these lines:\n  import { steer } from "./steer.ts";\n  app.include(steer());\n',
  );
  expect(readFileSync(join(folder, ".claude/hooks.ts"), "utf8")).toBe("// mine");
  expect(JSON.parse((await init(folder, "--json", "--with", "notify")).out)).toEqual({
    written: [join(folder, ".claude/notify.ts")],
    kept: ["hooks.ts", "tsconfig.json"].map((name) => join(folder, ".claude", name)),
    included: [],
    add: ['import { notify } from "./notify.ts";', "app.include(notify());"],
  });
});

test("init --js with recipes is refused, because recipes are TypeScript, as --help tells", async () => {
  const folder = emptyProject();
  const err = "hookline: Recipes are TypeScript: leave out --js.\n";
  expect(await init(folder, "--js", "--with", "steer")).toEqual({ status: 1, out: "", err });
  expect(readdirSync(folder)).toEqual([]);
  expect((await init(folder, "--help")).out).toMatch(/--js .*not with --with\n.*--with .*not with --js\n/);
});

test("an unknown recipe writes nothing and names the nearest one; --help lists all of them", async () => {
  const other = emptyProject();
  const refused = await init(other, "--with", "redact-secret");
  expect([refused.status, refused.err]).toEqual([
    1,
    'hookline: Unknown recipe "redact-secret". Did you mean "redact-secrets"?\n',
  ]);
  expect(readdirSync(other)).toEqual([]);
  const { out } = await init(other, "--help");
  for (const name of recipes) expect(out).toContain(name);
});

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
    err: `hookline: ${join(other, ".claude")} is not a directory. Move it away and try again.\n`,
  });
});
