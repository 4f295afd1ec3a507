import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ownOwner } from "../../files/index.ts";
import { makeOverlay } from "./overlay.ts";

const source = { env: { HOOKLINE_HOME: mkdtempSync(join(tmpdir(), "over lay'")) } };

test("the overlay is private and adds to what it is given", async () => {
  const mine = { hooks: [{ type: "command", command: "true" }] };
  const overlay = await makeOverlay({ model: "m", hooks: { Stop: [mine], PreToolUse: [mine] } }, source);
  expect(statSync(overlay.folder).mode & 0o777).toBe(0o700);
  const settings = JSON.parse(readFileSync(overlay.settingsFile, "utf8"));
  expect(Object.keys(settings.hooks).sort()).toEqual(["PreToolUse", "SessionEnd", "Stop", "StopFailure"]);
  expect(settings).toMatchObject({ model: "m", hooks: { Stop: [mine, {}], PreToolUse: [mine] } });
  await overlay.remove();
  expect(existsSync(overlay.folder)).toBe(false);
});

test("what a killed run left is swept at the next start; what a living one has is not", async () => {
  const left = await makeOverlay({}, source);
  const used = await makeOverlay({}, source);
  writeFileSync(join(left.folder, "owner.json"), JSON.stringify({ ...ownOwner(), pid: 2 ** 22 - 1, start: "0" }));
  const next = await makeOverlay({}, source);
  expect(dirname(next.folder)).toBe(dirname(left.folder));
  expect([left, used, next].map(({ folder }) => existsSync(folder))).toEqual([false, true, true]);
});
