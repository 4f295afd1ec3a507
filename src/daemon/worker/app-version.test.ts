import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readAppSources } from "../server/app-sources.ts";
import { openWarmApp } from "../server/warm-app.ts";
import { type AppVersion, openAppVersion } from "./app-version.ts";
import type { HookRequest } from "./messages.ts";

const module = new URL("../fixtures/odd-thread.mjs", import.meta.url);
let folder: string;
let file: string;
let failures: string[];
beforeEach(() => {
  failures = [];
  folder = mkdtempSync(join(tmpdir(), "hookline-generation-"));
  file = join(folder, "hooks.mjs");
  writeFileSync(file, "one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nothing = () => undefined;
const quiet = () => ({ cwd: folder, module, complain: nothing, changed: nothing, failed: nothing });
const asked = (command: string): HookRequest => ({
  text: JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command } }),
  transport: "http",
  ...{ onFailure: undefined, env: undefined, envOf: 0, cwd: undefined },
});
const open = async (): Promise<AppVersion> => {
  const failed = ({ why }: { why: string }) => void failures.push(why);
  const options = { file, cwd: folder, sourceHash: "", module, complain: nothing, failed };
  const opened = await openAppVersion(options, await readAppSources(file));
  if (typeof opened === "string") throw new Error(opened);
  return opened;
};
const runs = () => {
  const noted = existsSync(`${file}.runs`) ? readFileSync(`${file}.runs`, "utf8") : "";
  return noted
    .split("\n")
    .filter((line) => line !== "" && line !== "closed")
    .sort();
};
const refused = (reason: string) => ({
  stdout: expect.stringMatching(new RegExp(`"permissionDecision":"deny".*${reason}`)),
});
const answered = { exitCode: 0, stdout: expect.not.stringContaining("deny") };

test("a handler that ends its worker runs once, and its failure mode decides", async () => {
  const generation = await open();
  expect(await generation.call(asked("exit"), new AbortController().signal)).toMatchObject(refused("ended its thread"));
  expect(runs()).toEqual(["exit"]);
  expect(failures).toEqual([`A handler of PreToolUse in ${file} ended its thread.`]);
  expect(await generation.call(asked("fine"), new AbortController().signal)).toMatchObject(answered);
  await generation.end();
});

test("a call that shares a thread with one that ends it is run again, and the call that ends threads is not retried forever", async () => {
  const generation = await open();
  const beside = generation.call(asked("second time"), new AbortController().signal);
  expect(await generation.call(asked("exit"), new AbortController().signal)).toMatchObject(refused("ended its thread"));
  expect(await beside).toMatchObject(answered);
  expect(runs()).toEqual(["exit", "exit", "second time", "second time"]);
  await generation.end();
});

test("a call that runs when the daemon stops is not started again, and its failure mode decides", async () => {
  const generation = await open();
  const call = generation.call(asked("never"), new AbortController().signal);
  await expect.poll(runs).toEqual(["never"]);
  await generation.end();
  expect(await call).toMatchObject(refused("was interrupted: the daemon is exiting"));
  expect(failures).toEqual([`A handler of PreToolUse in ${file} was interrupted: the daemon is exiting.`]);
  expect(await generation.call(asked("fine"), new AbortController().signal)).toMatchObject({
    busy: "the daemon is exiting",
  });
  expect(runs()).toEqual(["never"]);
});

test("a file saved while it loads is loaded again before the next answer", async () => {
  const app = await openWarmApp({ file, ...quiet() });
  const say = async () => app.call(asked("fine"), new AbortController().signal);
  writeFileSync(file, "slow two");
  const first = say();
  await expect.poll(() => existsSync(`${file}.loading`)).toBe(true);
  writeFileSync(file, "slow six");
  const second = say();
  writeFileSync(`${file}.go`, "");
  expect(await second).toMatchObject({ stdout: expect.stringContaining("slow six") });
  expect(await first).toMatchObject({ stdout: expect.stringContaining("slow") });
  expect(app.open).toBe(0);
  await app.end();
});

test("a call does not wait without end for a file that loads: the last good one answers and reports it", async () => {
  const app = await openWarmApp({ file, ...quiet(), followMs: 50 });
  const { sourceHash } = app;
  writeFileSync(file, "slow two");
  const given = await app.call(asked("fine"), new AbortController().signal);
  expect(given).toMatchObject({
    stdout: expect.stringMatching(/"one\\n.*is still loading; the last good one still answers/),
  });
  writeFileSync(`${file}.go`, "");
  await expect.poll(() => app.sourceHash).not.toBe(sourceHash);
  await app.end();
});

test("a file that was just saved and does not load is loaded once for a call", async () => {
  const app = await openWarmApp({ file, ...quiet() });
  writeFileSync(file, "broken");
  await app.call(asked("fine"), new AbortController().signal);
  expect(runs()).toEqual(["broken", "fine"]);
  await app.end();
});
