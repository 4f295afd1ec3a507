import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildLater } from "./build-later.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-later-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a hanging builder is not started again on every call", async () => {
  const started: (readonly string[])[] = [];
  const start = async (words: readonly string[]) => void started.push(words);
  const file = join(folder, "hooks.mjs");
  const env = { HOOKLINE_HOME: join(folder, "state") };
  writeFileSync(file, "export default 1;");
  await Promise.all(Array.from({ length: 8 }, () => buildLater(file, env, start)));
  await buildLater(file, env, start);
  expect(started.map(([, , name]) => name)).toEqual([file]);
  writeFileSync(file, "export default 2;");
  await buildLater(file, env, start);
  expect(started).toHaveLength(2);
  // Where nothing can be kept, nothing is started.
  await buildLater(file, { HOOKLINE_HOME: "relative" }, start);
  expect(started).toHaveLength(2);
});

test("a build is retried after the builder was killed", async () => {
  const started: (readonly string[])[] = [];
  const start = async (words: readonly string[]) => void started.push(words);
  const file = join(folder, "killed.mjs");
  const env = { HOOKLINE_HOME: join(folder, "killed") };
  writeFileSync(file, "export default 1;");
  await buildLater(file, env, start);
  const [note = ""] = readdirSync(join(folder, "killed/builds"));
  const age = (seconds: number) => utimesSync(join(folder, "killed/builds", note), seconds, seconds);
  age(Date.now() / 1000 - 300);
  await buildLater(file, env, start);
  expect(started).toHaveLength(1);
  age(Date.now() / 1000 - 700);
  await Promise.all([buildLater(file, env, start), buildLater(file, env, start)]);
  expect(started).toHaveLength(2);
  expect(readdirSync(join(folder, "killed/builds"))).toEqual([note]);
});
