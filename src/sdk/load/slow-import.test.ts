import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildAhead, endBuilds } from "./build-app.ts";
import { loadApp } from "./load-app.ts";

test("an import that does not end fails with the file's name and a hint", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-slow-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "hooks.mjs");
  writeFileSync(file, "await new Promise((done) => setTimeout(done, 5_000).unref());\nexport default {};\n");
  const loading = loadApp(file, { env: { HOOKLINE_HOME: join(folder, "state") }, cwd: folder, timeoutMs: 50 });
  await expect(loading).rejects.toMatchObject({
    code: "sdk/no-load",
    message: `${file} does not load: it took longer than 0.05 s. Move slow work into a handler.`,
  });
});

test("a built script that blocks the thread fails in the same way, and its own errors keep their stack", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-slow-import-"));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { HOOKLINE_HOME: join(folder, "state") };
  const load = async (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    await buildAhead(file, env);
    return loadApp(file, { env, cwd: folder, entryPoint: () => ({}), timeoutMs: 50 });
  };
  await expect(load("blocks.mjs", "for (;;);\nexport default {};\n")).rejects.toMatchObject({
    code: "sdk/no-load",
    message: `${join(folder, "blocks.mjs")} does not load: it took longer than 0.05 s. Move slow work into a handler.`,
  });
  await expect(load("throws.mjs", 'throw new Error("at start");\nexport default {};\n')).rejects.toMatchObject({
    message: expect.stringMatching(/throws\.mjs:1: Error: at start$/),
    cause: { stack: expect.stringMatching(/^Error: at start\n/) },
  });
});
