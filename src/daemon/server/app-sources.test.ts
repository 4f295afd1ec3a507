import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readSources, touched } from "./app-sources.ts";

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
  const first = await readSources(file);
  // Written a moment ago: what is written in the next moment may bear the same times.
  expect(touched(first)).toBe(true);
  vi.setSystemTime(statSync(file).ctimeMs + 1_000);
  const settled = await readSources(file);
  expect([touched(settled), settled.hash]).toEqual([false, first.hash]);
  writeFileSync(file, "export default 2;");
  utimesSync(file, 1, 1);
  expect(touched(settled)).toBe(true);
  expect((await readSources(file)).hash).not.toBe(first.hash);
});

test("a circular link in place of the hooks file counts as a change", async () => {
  const before = await readSources(file);
  rmSync(file);
  symlinkSync(file, file);
  expect(touched(before)).toBe(true);
  expect((await readSources(file)).files).toMatchObject([{ path: file, mark: undefined }]);
});
