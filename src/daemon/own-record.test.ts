import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDaemonFolder } from "./folder.ts";
import { openOwnRecord } from "./own-record.ts";
import { ownStart, readRecord } from "./record.ts";

test("a daemon that left while it wrote its record could put it in the place of the next one's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-record-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { HOOKLINE_HOME: folder };
  const hooksFile = join(folder, "hooks.mjs");
  await openDaemonFolder(hooksFile, env);
  const own = { pid: process.pid, start: ownStart(), node: process.execPath, version: "1", since: 1, hooksFile };
  const here = { port: 1, token: "t", secret: "s", socket: "", sourceHash: "a" };
  const complaints: string[] = [];
  const record = await openOwnRecord({ ...own, ...here }, env, (line) => void complaints.push(line));
  for (const hash of ["b", "c", "d"]) record.say(hash);
  await expect.poll(async () => (await readRecord(hooksFile, env))?.sourceHash).toBe("d");
  record.say("e");
  const removed = record.remove();
  record.say("f");
  await removed;
  expect([await readRecord(hooksFile, env), complaints]).toEqual([undefined, []]);
});
