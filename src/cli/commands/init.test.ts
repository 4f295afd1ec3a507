import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

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

test("SD-86: a hooks file and its test are written, and never replaced unasked", async () => {
  const folder = emptyProject();
  expect((await init(folder)).status).toBe(0);
  expect(readdirSync(join(folder, ".claude")).sort()).toEqual(["hooks.test.ts", "hooks.ts"]);
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

test("SD-86: --with copies a recipe and prints the line that includes it; an unknown one writes nothing", async () => {
  const folder = emptyProject();
  const { out } = await init(folder, "--with", "redact-secrets");
  expect(out).toContain("app.include(redactSecrets());");
  expect(readdirSync(join(folder, ".claude"))).toContain("redact-secrets.ts");
  expect(out).toMatch(/\nNext: hookline test, /);
  expect(JSON.parse((await init(folder, "--json", "--with", "steer")).out)).toEqual({
    written: [join(folder, ".claude/steer.ts")],
    kept: [join(folder, ".claude/hooks.ts"), join(folder, ".claude/hooks.test.ts")],
    add: ['import { steer } from "./steer.ts";', "app.include(steer());"],
  });
  const other = emptyProject();
  const refused = await init(other, "--with", "redact-secret");
  expect([refused.status, refused.err]).toEqual([
    1,
    'hookline: "redact-secret" is no recipe. Did you mean "redact-secrets"?\n',
  ]);
  expect(readdirSync(other)).toEqual([]);
});

test("SD-86: what came with a project cannot have init write elsewhere, and a file in the folder's place was called a bug", async () => {
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
