import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readAppSources } from "../../daemon/server/app-sources.ts";
import { buildFile, endBuilds, sourceHash } from "../internal.ts";

function place(): { readonly env: Readonly<Record<string, string>>; put(name: string, text: string): string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-source-")));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "hooks"));
  return {
    env: { HOOKLINE_HOME: join(folder, "state") },
    put(name, text) {
      const path = join(folder, "hooks", name);
      writeFileSync(path, text);
      return path;
    },
  };
}

test("a file that names no other has the daemon's hash without a build", async () => {
  const { env, put } = place();
  const file = put("alone.mjs", 'import { createApp } from "hookline/sdk";\nexport default createApp();\n');
  const { hash } = await readAppSources(file);
  expect([sourceHash(file, env), sourceHash(file, env)]).toEqual([hash, hash]);
});

test("run and the daemon log the same source hash", async () => {
  const { env, put } = place();
  const file = put("hooks.mjs", 'import { word } from "./word.mjs";\nexport default word;\n');
  put("word.mjs", 'export const word = "one";\n');
  expect(sourceHash(file, env)).toBeUndefined();
  await buildFile(file, env);
  const first = (await readAppSources(file)).hash;
  expect([sourceHash(file, env), sourceHash(file, env)]).toEqual([first, first]);

  put("word.mjs", 'export { word } from "./other.mjs";\n');
  put("other.mjs", 'export const word = "two";\n');
  expect(sourceHash(file, env)).toBeUndefined();
  await buildFile(file, env);
  const { hash, files } = await readAppSources(file);
  expect([files.length, sourceHash(file, env), hash === first]).toEqual([3, hash, false]);
});
