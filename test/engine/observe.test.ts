import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EngineOptions, Notice } from "../../src/engine/internal.ts";
import type { Hook, RunRecord } from "../../src/protocol/internal.ts";
import { bash, command, on, openIn, writeUserSettings } from "./world.ts";

async function observed(settings: object, options: EngineOptions = {}) {
  const notices: Notice[] = [];
  const world = await openIn(settings, { ...options, ports: { ...options.ports, observe: (it) => notices.push(it) } });
  const records = (): RunRecord[] => notices.flatMap((notice) => (notice.kind === "run" ? [notice.record] : []));
  return { ...world, notices, records };
}

test("a record contains how a run ended, its output and its times, by the clock port", async () => {
  let now = 1_000;
  const clock = { now: () => (now += 5) };
  const hooks: Hook[] = [
    command("echo out; echo no >&2; exit 2"),
    command("kill -9 $$"),
    command("sleep 9", { timeout: 0.1 }),
    command("no-such-program", { args: [] }),
    command("true", { async: true }),
    { type: "http", url: "http://127.0.0.1:1/" },
  ];
  const { engine } = await openIn(on("PreToolUse", ...hooks), { ports: { clock } });
  engine.on("PreToolUse", () => ({ kind: "allow" }));
  engine.on("PreToolUse", () => {
    throw new Error("oops");
  });
  const { runs } = await engine.fire("PreToolUse", bash);
  expect(runs.map(({ ended }) => ended)).toEqual([
    { by: "exit", code: 2 },
    { by: "signal", signal: "SIGKILL" },
    { by: "timeout", afterMs: 100 },
    { by: "not-started", why: expect.stringContaining("no-such-program") },
    { by: "background" },
    expect.objectContaining({ by: expect.stringMatching(/threw|not-started/) }),
    { by: "answered" },
    { by: "threw", message: "oops" },
  ]);
  const [first] = runs;
  expect(first).toMatchObject({
    hook: { id: expect.stringContaining("user:PreToolUse:0.0"), type: "command", source: "user" },
    verdict: { kind: "deny", reason: "no" },
    stdout: "out\n",
    stderr: "no\n",
    background: false,
    round: 1,
  });
  for (const { startedAt, durationMs } of runs) {
    expect(startedAt).toBeGreaterThan(1_000);
    expect(startedAt).toBeLessThan(now);
    expect(durationMs % 5).toBe(0);
  }
});

test("the run of an http hook that answered ends by its status", async () => {
  const server = createServer((_, response) => response.writeHead(418).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { engine } = await openIn(on("PreToolUse", { type: "http", url }));
  expect((await engine.fire("PreToolUse", bash)).runs).toMatchObject([{ ended: { by: "http", status: 418 } }]);
});

test("the observer gets each record and each notice, and cannot change an outcome", async () => {
  const { engine, notices, records, home } = await observed(on("Stop", "echo more >&2; exit 2"), { stopBlockCap: 1 });
  const outcome = await engine.fire("Stop", { session_id: "s-1" });
  await engine.fire("Stop", { session_id: "s-1" });
  writeUserSettings(home, {});
  await engine.reload();
  expect(notices.map(({ kind }) => kind)).toEqual(["run", "run", "stop-cap", "snapshot-changed"]);
  expect(notices[0]).toMatchObject({ event: "Stop", sessionId: "s-1" });
  expect(records()[0]).toMatchObject({ hook: outcome.runs[0]?.hook, ended: { by: "exit", code: 2 } });
});

test("the notice of a reload has the warnings of the new settings", async () => {
  const { engine, notices, home } = await observed(on("PreToolUse", "exit 2"));
  writeUserSettings(home, { hooks: { PreTool: [{ hooks: [command("exit 2")] }] } });
  const { fingerprint, warnings } = await engine.reload();
  expect(warnings).toMatchObject([{ code: "unknown-event" }]);
  expect(notices).toEqual([{ kind: "snapshot-changed", fingerprint, warnings }]);
});

test("what an observer throws is a warning", async () => {
  const { engine } = await openIn(on("PreToolUse", "echo no >&2; exit 2"), {
    ports: {
      observe: () => {
        throw new Error("no disk");
      },
    },
  });
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ decision: "deny" });
  const { warnings } = await engine.fire("Stop", {});
  expect(warnings).toContainEqual(expect.objectContaining({ code: "observer-threw" }));
});

test("secrets reach no observer, though a hook prints them; the outcome itself is whole", async () => {
  const secret = "sk-very-secret-value";
  const hooks: Hook[] = [
    command('echo "$MY_API_KEY" >&2; exit 2'),
    { type: "http", url: "http://me:hunter22@127.0.0.1:1/", headers: { "X-Auth": `Bearer ${secret}` } },
  ];
  const { engine, notices } = await observed(on("PreToolUse", ...hooks), {
    env: { MY_API_KEY: secret },
    observeContent: true,
  });
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome.reason).toBe(secret);
  const told = JSON.stringify(notices);
  expect(told).toContain("[redacted]");
  expect(told).not.toContain(secret);
  expect(told).not.toContain("hunter22");
});

test("without observeContent an observer sees the kind of the verdict, not the texts", async () => {
  const { engine, notices } = await observed(on("PreToolUse", "cat; echo 'the launch code is 0000' >&2; exit 2"));
  await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "echo tell-nobody" } });
  const told = JSON.stringify(
    notices.map((notice) => ("record" in notice ? { ...notice, record: { ...notice.record, hook: "" } } : notice)),
  );
  expect(told).not.toContain("0000");
  expect(told).not.toContain("tell-nobody");
  expect(notices).toMatchObject([{ record: { verdict: { kind: "deny" }, ended: { code: 2 } } }]);
});

test("an observer that rejects is a warning and ends nothing", async () => {
  const observe = async () => {
    throw new Error("no disk");
  };
  const { engine } = await openIn({}, { ports: { observe } });
  engine.on("Notification", () => undefined);
  const payload = { message: "x", notification_type: "idle_prompt" };
  await engine.fire("Notification", payload);
  await new Promise((resolve) => setImmediate(resolve));
  expect((await engine.fire("Notification", payload)).warnings.map(({ code }) => code)).toContain("observer-threw");
});

test("a progress listener whose promise is rejected is a warning of the next outcome and does not end the host", async () => {
  const { engine, project } = await openIn(
    on("PreToolUse", "echo working; until [ -e progress ]; do sleep 0.02; done"),
  );
  const tell = async (): Promise<void> => {
    writeFileSync(join(project, "progress"), "");
    throw new Error("oops");
  };
  const first = await engine.fire("PreToolUse", bash, { progress: { everyMs: 20, tell } });
  const second = await engine.fire("PreToolUse", bash);
  expect([...first.warnings, ...second.warnings]).toContainEqual(
    expect.objectContaining({ code: "observer-threw", message: expect.stringContaining("oops") }),
  );
});
