import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { maybeChanged, readAppSources } from "./app-sources.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-sources-"));
  file = join(folder, "hooks.mjs");
  writeFileSync(file, "export default 1;");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a change of equal size and time shows; so does one in the same step of the clock", async () => {
  utimesSync(file, 1, 1);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(statSync(file).ctimeMs + 10);
  const first = await readAppSources(file);
  // Written a moment ago: what is written in the next moment may bear the same times.
  expect(maybeChanged(first)).toBe(true);
  vi.setSystemTime(statSync(file).ctimeMs + 1_000);
  const settled = await readAppSources(file);
  expect([maybeChanged(settled), settled.hash]).toEqual([false, first.hash]);
  writeFileSync(file, "export default 2;");
  utimesSync(file, 1, 1);
  expect(maybeChanged(settled)).toBe(true);
  expect((await readAppSources(file)).hash).not.toBe(first.hash);
});

test("a circular link in place of the hooks file counts as a change", async () => {
  const before = await readAppSources(file);
  rmSync(file);
  symlinkSync(file, file);
  expect(maybeChanged(before)).toBe(true);
  expect((await readAppSources(file)).files).toMatchObject([{ path: file, stamp: "" }]);
});
