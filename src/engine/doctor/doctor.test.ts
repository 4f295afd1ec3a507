import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../fixtures/checkout.ts";
import { diagnose, type Finding, reviewTrust } from "../internal.ts";

/** The findings without leftover processes, since other tests run hooks at the same time. */
async function findings({ options }: CheckoutWorld): Promise<readonly Finding[]> {
  return (await diagnose(options)).filter(({ code }) => code !== "leftover-process");
}

/** The same as text, without the notes on the user's own hooks. */
async function reports(world: CheckoutWorld): Promise<readonly string[]> {
  const all = await findings(world);
  return all.filter(({ code }) => code !== "user-hook").map(({ code, message }) => `${code}: ${message}`);
}

const user = (world: CheckoutWorld, settings: unknown): Promise<string> =>
  world.put("home/.claude/settings.json", settings);

test("a user hook is reported as one that runs in every folder, and a machine without hooks has no findings", async () => {
  const world = await checkoutWorld();
  expect(await findings(world)).toEqual([]);
  await user(world, hooksOn("Stop", "echo done"));
  expect(await findings(world)).toEqual([
    {
      level: "note",
      code: "user-hook",
      message: "echo done runs on Stop in every directory.",
      place: expect.stringMatching(/^user:Stop:0\.0:/),
    },
  ]);
});

test("settings that cannot be read, entries that cannot be used and damaged policy are errors", async () => {
  const world = await checkoutWorld();
  await user(world, "{ broken");
  await world.put("managed/managed-settings.json", { hooks: { PreToolUse: [{ hooks: [{ type: "comand" }] }] } });
  expect((await findings(world)).map(({ level, code }) => [level, code])).toEqual([
    ["error", "hook-invalid"],
    ["error", "settings-unreadable"],
    ["error", "managed-unreadable"],
    ["error", "client-cannot-read"],
    ["error", "client-cannot-read"],
  ]);
});

test("a misspelled list and a misspelled tool of the permission rules are errors that name their place", async () => {
  const world = await checkoutWorld();
  await user(world, { permissions: { Deny: ["Bash(rm *)"], deny: ["bash(curl *)"] } });
  const file = join(world.home, ".claude/settings.json");
  expect((await findings(world)).map(({ level, code, place }) => [level, code, place])).toEqual([
    ["error", "rule-invalid", `${file}, permissions.Deny`],
    ["error", "rule-invalid", `${file}, permissions.deny[0]`],
  ]);
});

test("an http hook whose URL is never called is an error; one that only a lookup could refuse or that install wrote is not", async () => {
  const world = await checkoutWorld();
  const installed = `http://127.0.0.1:1/v1/hook/${"a".repeat(32)}?daemon`;
  const refusable = ["http://127.0.0.1:1/a", "http://localhost/b", "http://[::1]/c", "ftp://x/e"];
  const urls = [...refusable, "https://example.com/d", installed];
  const hooks = urls.map((url) => ({ type: "http", url }));
  await world.put("project/.claude/settings.json", { hooks: { Stop: [{ hooks }] } });
  const refused = (await findings(world)).filter(({ code }) => code === "url-refused");
  expect(refused.map(({ level, message }) => [level, message.split(" ")[0]])).toEqual([
    ["error", "http://127.0.0.1:1/a"],
    ["error", "http://localhost/b"],
    ["error", "http://[::1]/c"],
    ["error", "ftp://x/e"],
  ]);
});

test("programs and scripts that are missing or cannot be started are reported", async () => {
  const world = await checkoutWorld();
  await chmod(await world.put("project/plain.sh", "#!/bin/sh\n"), 0o644);
  await chmod(await world.put("project/windows.sh", "#!/bin/sh\r\necho\r\n"), 0o755);
  await chmod(await world.put("project/odd.py", "#!/usr/bin/env python-of-nobody\n"), 0o755);
  await chmod(await world.put("project/gone.sh", "#!/opt/nothing/sh\n"), 0o755);
  await chmod(await world.put("project/bare.txt", "echo hi\n"), 0o755);
  await chmod(await world.put("project/good.sh", "#!/bin/sh\necho hi\n"), 0o755);
  await mkdir(join(world.project, "folder"));
  const commands: readonly (string | [string, ...string[]])[] = [
    "no-such-program --flag",
    "./missing.sh",
    "./folder",
    "./plain.sh",
    "./windows.sh",
    "./odd.py",
    "./gone.sh",
    ["./bare.txt"],
    "sh absent.sh",
    'node "$CLAUDE_PROJECT_DIR/absent.mjs"',
    "echo \"$(./'no inner'.sh)\" # ./comment.sh",
    // These can be started.
    "./good.sh && echo fine > out.txt",
    "cat <<END\n./text.sh\nEND",
    ["sh", "good.sh"],
    'if [ -f x ]; then cat x; fi; for f in a b; do echo "$f"; done',
    "$HOME/unknown/$X.sh || true",
    "FOO=1 sh -c 'no-such-thing'",
    "./bare.txt",
  ];
  const hooks = commands.map((one) =>
    typeof one === "string"
      ? { type: "command", command: one }
      : { type: "command", command: one[0], args: one.slice(1) },
  );
  await user(world, { hooks: { Stop: [{ hooks }] } });
  const at = (name: string) => join(world.project, name);
  expect(await reports(world)).toEqual([
    'program-missing: "no-such-program" is not on PATH.',
    `script-missing: ${at("missing.sh")} does not exist.`,
    `script-missing: ${at("folder")} is not a file.`,
    `script-not-executable: ${at("plain.sh")} is not executable. Run chmod +x on it.`,
    `shebang-broken: ${at("windows.sh")} cannot be started: its first line ends with a carriage return, which becomes part of the name.`,
    `shebang-broken: ${at("odd.py")} cannot be started: its first line names "python-of-nobody", which is not on PATH.`,
    `shebang-broken: ${at("gone.sh")} cannot be started: its first line names /opt/nothing/sh, which does not exist.`,
    `shebang-broken: ${at("bare.txt")} cannot be started: without #! in its first line only a shell can run it.`,
    `script-missing: ${at("absent.sh")} does not exist; sh would run it.`,
    `script-missing: ${at("absent.mjs")} does not exist; node would run it.`,
    `script-missing: ${at("no inner.sh")} does not exist.`,
  ]);
});

test("hooks that never run are reported: misspelled, off, equal, not approved, changed", async () => {
  const world = await checkoutWorld();
  const on = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
  await user(world, {
    hooks: {
      PreToolUse: [on("bash", "echo a"), on("mcp__srv", "echo b"), on("Bash|bash", "echo c"), on("MyTool", "echo d")],
      PreCompact: [on("manuel", "echo e"), on("auto", "echo f")],
      Stop: [on("", "echo g"), on("", "echo g")],
    },
  });
  await world.put("project/.claude/settings.json", hooksOn("Stop", "echo h"));
  expect(await reports(world)).toEqual([
    'matcher-never: The matcher "bash" does not match "Bash": matchers are case-sensitive. Did you mean "Bash"?',
    'matcher-never: The matcher "mcp__srv" never matches. Did you mean "mcp__srv__.*"?',
    'matcher-never: The matcher "manuel" never matches. Did you mean "manual"?',
    "hook-untrusted: echo h on Stop does not run in Hookline's hosts: not approved yet; run hookline trust. Claude Code runs it anyway.",
    expect.stringMatching(
      /^hook-duplicate: echo g on Stop is equal to user:Stop:0\.0:\w+, which runs; this copy never does\.$/,
    ),
  ]);
  const review = await reviewTrust(world.options);
  await review.pin(review.entries);
  await world.put("project/.claude/settings.json", { ...hooksOn("Stop", "echo i"), disableAllHooks: true });
  expect((await reports(world)).filter((line) => /echo i|disableAllHooks/.test(line))).toEqual([
    expect.stringMatching(
      /^not-trusted: `disableAllHooks` in .* affects only the project's own hooks until you approve it .* Claude Code uses it/,
    ),
    expect.stringMatching(/^hook-off: echo i is off in Hookline's hosts: disableAllHooks in /),
  ]);
});

test("a variable of a checkout that would switch hooks off is reported as ignored in Hookline's hosts only", async () => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", { env: { HOOKLINE: "0" } });
  expect(await reports(world)).toContainEqual(
    expect.stringMatching(
      /^env-ignored: env\.HOOKLINE in .* is ignored in Hookline's hosts: .* Claude Code may pass it to hooks\.$/,
    ),
  );
});

test("files that other users may change are reported: settings, scripts, Hookline's state", async () => {
  const world = await checkoutWorld();
  const script = await world.put("home/guard.sh", "exit 0\n");
  const settings = await user(world, hooksOn("Stop", `sh ${script}`));
  await mkdir(join(world.root, "state"));
  for (const file of [script, settings, join(world.root, "state")]) await chmod(file, 0o777);
  expect(await reports(world)).toEqual(
    [settings, script, join(world.root, "state")].map(
      (file) =>
        `file-writable: ${file} decides what runs, but others may write it (mode 777). Allow only yourself to write it (chown, chmod go-w "${file}").`,
    ),
  );
});

test("a timeout that looks like milliseconds is reported", async () => {
  const world = await checkoutWorld();
  await user(world, hooksOn("Stop", "echo a", { timeout: 60_000 }));
  expect(await reports(world)).toEqual([expect.stringMatching(/^timeout-suspicious: /)]);
});

test("a process that a hook of this folder left behind is reported; one of another folder or home is not", async () => {
  const world = await checkoutWorld();
  const { env = {} } = world.options;
  const left = async (cwd: string, more: object) => {
    const all = { ...env, PATH: process.env["PATH"], HOME: world.options.home, HOOKLINE_RUN: "a-run", ...more };
    const child = spawn("sleep", ["30"], { cwd, env: all, stdio: "ignore" });
    await once(child, "spawn");
    onTestFinished(() => void child.kill());
    return child.pid;
  };
  const here = await left(world.project, {});
  const others = [
    await left(world.root, {}),
    await left(world.project, { HOME: "/nowhere", HOOKLINE_HOME: "/nowhere" }),
  ];
  const found = (await diagnose(world.options)).filter(({ place }) =>
    [here, ...others].join(" ").includes(place ?? "-"),
  );
  const message = `Process ${here} (sleep) was started by a hook in ${world.project} and is still running. To end it: kill ${here}`;
  expect(found.map((one) => one.message)).toEqual(process.platform === "linux" ? [message] : []);
});

test("hooks that wait for the same approval are one finding, which names Hookline's hosts", async () => {
  const world = await checkoutWorld();
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  await world.put("project/.claude/settings.json", {
    hooks: { PreToolUse: hook("echo a"), Stop: hook("echo b"), SessionStart: hook("echo c") },
  });
  expect(await reports(world)).toEqual([
    "hook-untrusted: 3 hooks on PreToolUse, Stop, SessionStart do not run in Hookline's hosts: not approved yet; run hookline trust. Claude Code runs them anyway.",
  ]);
});

test("a guard that has changed since its approval is reported as denying, other hooks of the same file as not running", async () => {
  const world = await checkoutWorld();
  const command = { type: "command", command: "sh ./check.sh" };
  await world.put("project/check.sh", "exit 0");
  await world.put("project/.claude/settings.json", {
    hooks: { PreToolUse: [{ hooks: [{ ...command, onFailure: "block" }] }], Stop: [{ hooks: [command] }] },
  });
  const review = await reviewTrust(world.options);
  await review.pin(review.entries);
  await world.put("project/check.sh", "exit 1");
  expect(await reports(world)).toEqual([
    expect.stringMatching(
      /^hook-untrusted: sh \.\/check\.sh on PreToolUse denies in Hookline's hosts: check\.sh has changed since/,
    ),
    expect.stringMatching(
      /^hook-untrusted: sh \.\/check\.sh on Stop does not run in Hookline's hosts: check\.sh has changed since/,
    ),
  ]);
});
