import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownIdentity } from "../files/internal.ts";
import { type HookPayload, openHookMailbox } from "./hook-mailbox.ts";
import { findTranscript } from "./run-transcript.ts";

const source = { env: { HOOKLINE_HOME: mkdtempSync(join(tmpdir(), "mail box'")) } };

async function open(settings: Readonly<Record<string, unknown>> = {}) {
  const received: HookPayload[] = [];
  const mailbox = await openHookMailbox(settings, source, (payload) => received.push(payload));
  onTestFinished(mailbox.finish);
  return { mailbox, folder: dirname(mailbox.settingsFile), received };
}

test("the mailbox is private, adds to the given settings, and is removed at its end", async () => {
  const mine = { hooks: [{ type: "command", command: "true" }] };
  const { mailbox, folder } = await open({ model: "m", hooks: { Stop: [mine], PreToolUse: [mine] } });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const settings = JSON.parse(readFileSync(mailbox.settingsFile, "utf8"));
  expect(Object.keys(settings.hooks).sort()).toEqual(["PreToolUse", "SessionEnd", "Stop", "StopFailure"]);
  expect(settings).toMatchObject({ model: "m", hooks: { Stop: [mine, {}], PreToolUse: [mine] } });
  await mailbox.finish();
  expect(existsSync(folder)).toBe(false);
});

test("what a killed run left is removed at the next start; what a running one has is kept", async () => {
  const left = await open();
  const used = await open();
  writeFileSync(join(left.folder, "owner.json"), JSON.stringify({ ...ownIdentity(), pid: 2 ** 22 - 1, start: "0" }));
  const next = await open();
  expect(dirname(next.folder)).toBe(dirname(left.folder));
  expect([left, used, next].map(({ folder }) => existsSync(folder))).toEqual([false, true, true]);
});

test("a directory, pipe or link among the payload files is skipped", async () => {
  const { mailbox, folder, received } = await open();
  mkdirSync(join(folder, "told-1.json"));
  execFileSync("mkfifo", [join(folder, "told-2.json")]);
  symlinkSync("/dev/zero", join(folder, "told-3.json"));
  writeFileSync(join(folder, "told-4.json"), "{ cut");
  writeFileSync(join(folder, "told-5.json"), '{"hook_event_name":"Stop","last_assistant_message":"ä"}');
  await mailbox.finish();
  expect(received).toEqual([{ hook_event_name: "Stop", last_assistant_message: "ä" }]);
  expect(mailbox.payloads).toEqual(received);
});

test("an impossible path from an agent is not a transcript", async () => {
  const env = { HOOKLINE_HOME: "/nowhere/state", HOME: "/nowhere" };
  for (const path of ["/etc/passwd/x", "a\0b", "x".repeat(5_000), "/", 5])
    expect(await findTranscript("0f9c0a56-6f3e-4d55-9a53-0a3c2f9d3f11", path, { env, home: "/nowhere" })).toBe(
      undefined,
    );
});
