import { mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { DaemonRecord } from "../files/internal.ts";
import { openDaemonFolder, openOwnRecord, ownStart, readDaemon, recordPath } from "./record-file.ts";

const open = async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-record-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { HOOKLINE_HOME: folder };
  const hooksFile = join(folder, "hooks.mjs");
  await openDaemonFolder(hooksFile, env);
  const own = { pid: process.pid, start: ownStart(), node: process.execPath, version: "1", since: 1, hooksFile };
  const complaints: string[] = [];
  const openRecord = (more: Partial<DaemonRecord> = {}) => {
    const here = { port: 1, token: "t", secret: "s", socket: "", sourceHash: "a", ...more };
    return openOwnRecord({ ...own, ...here }, env, (line) => void complaints.push(line));
  };
  return { env, hooksFile, openRecord, complaints, found: () => readDaemon(hooksFile, env) };
};

test("a stopping daemon does not overwrite the record of the next one", async () => {
  const { openRecord, complaints, found } = await open();
  const record = await openRecord();
  for (const hash of ["b", "c", "d"]) record.updateSource(hash);
  await expect.poll(async () => (await found())?.sourceHash).toBe("d");
  record.updateSource("e");
  const removed = record.remove();
  record.updateSource("f");
  await removed;
  expect([await found(), complaints]).toEqual([undefined, []]);
});

test("a daemon whose record cannot be read for a moment keeps running, and removes nothing", async () => {
  const { env, hooksFile, openRecord } = await open();
  const record = await openRecord();
  // A link in a circle is an example of an error that says nothing about the record, such as having no descriptor left.
  const folder = join(env.HOOKLINE_HOME, "daemon");
  renameSync(folder, `${folder}-away`);
  symlinkSync(folder, folder);
  expect(await record.isPublished()).toBe(true);
  await record.remove();
  rmSync(folder);
  renameSync(`${folder}-away`, folder);
  expect((await readDaemon(hooksFile, env))?.secret).toBe("s");
});

test("a stopping daemon removes only its own record", async () => {
  const { env, hooksFile, openRecord, found } = await open();
  const cleared = await openRecord();
  expect(await cleared.isPublished()).toBe(true);
  rmSync(recordPath(hooksFile, env));
  expect(await cleared.isPublished()).toBe(false);
  const next = await openRecord({ secret: "another" });
  await cleared.remove();
  expect([await cleared.isPublished(), await next.isPublished(), (await found())?.secret]).toEqual([
    false,
    true,
    "another",
  ]);
});
