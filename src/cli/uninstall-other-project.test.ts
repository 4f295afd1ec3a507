import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { endpointFor } from "../daemon/internal.ts";
import { world } from "../install/fixtures/world.ts";
import { callHookline } from "./fixtures/caller.ts";

test("uninstall in a checkout whose lock file names another project's app leaves that app's port and token alone", async () => {
  const here = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: here.home, HOOKLINE_HOME: here.state };
  const hookline = (cwd: string, ...words: string[]) => callHookline(words, { home: here.home, cwd, env });
  writeFileSync(
    here.hooksFile,
    `import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => {});\n`,
  );
  await hookline(here.project, "install", "--scope", "local", "--transport", "run");
  const kept = await endpointFor(here.hooksFile, { env });

  for (const way of ["path", "link"]) {
    const clone = join(here.folder, way);
    mkdirSync(join(clone, ".claude"), { recursive: true });
    const link = join(clone, ".claude", "hooks.mjs");
    symlinkSync(here.hooksFile, link);
    const lock = {
      version: 1,
      installedAt: "2026-01-01T00:00:00.000Z",
      hooksPath: way === "path" ? relative(clone, here.hooksFile) : ".claude/hooks.mjs",
      hooksRegistered: ["Stop"],
      settingsFile: ".claude/settings.json",
      command: ["node", "x"],
      transport: "auto",
      contentHash: "0".repeat(64),
    };
    writeFileSync(join(clone, ".claude", ".hookline.lock"), JSON.stringify(lock));
    expect((await hookline(clone, "uninstall")).status).toBe(0);
    expect([way, await endpointFor(here.hooksFile, { env })]).toEqual([way, kept]);
  }
  expect((await hookline(here.project, "uninstall")).status).toBe(0);
  expect((await endpointFor(here.hooksFile, { env })).token).not.toBe(kept.token);
});
