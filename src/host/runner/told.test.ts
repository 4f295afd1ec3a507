import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listenTo } from "./told.ts";
import { findTranscript } from "./transcript-mark.ts";

test("a directory, pipe or link among the payload files is skipped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-told-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "told-1.json"));
  execFileSync("mkfifo", [join(folder, "told-2.json")]);
  symlinkSync("/dev/zero", join(folder, "told-3.json"));
  writeFileSync(join(folder, "told-4.json"), "{ cut");
  writeFileSync(join(folder, "told-5.json"), '{"hook_event_name":"Stop","last_assistant_message":"ä"}');
  const heard: unknown[] = [];
  const told = listenTo({ folder, settingsFile: "", remove: async () => undefined }, (payload) => heard.push(payload));
  await told.finish();
  expect(heard).toEqual([{ hook_event_name: "Stop", last_assistant_message: "ä" }]);
  expect(told.payloads).toEqual(heard);
});

test("a path that an agent told and that can be none is no transcript", async () => {
  const env = { HOOKLINE_HOME: "/nowhere/state", HOME: "/nowhere" };
  for (const said of ["/etc/passwd/x", "a\0b", "x".repeat(5_000), "/", 5])
    expect(await findTranscript("0f9c0a56-6f3e-4d55-9a53-0a3c2f9d3f11", said, { env, home: "/nowhere" })).toBe(
      undefined,
    );
});
