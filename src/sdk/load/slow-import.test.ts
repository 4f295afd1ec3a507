import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
