import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { bash, command, on, openIn, processesWith } from "./world.ts";

const linux = process.platform === "linux";

test("hooks that still queue are never started", async () => {
  const { engine, project } = await openIn(on("PreToolUse", "touch one; sleep 60", "touch two"), { concurrency: 1 });
  const abort = new AbortController();
  const fired = engine.fire("PreToolUse", bash, { signal: abort.signal });
  await until("one is there", () => existsSync(join(project, "one")));
  abort.abort(new Error("enough"));
  await expect(fired).rejects.toThrow("enough");
  expect(existsSync(join(project, "two"))).toBe(false);
});

test("callbacks, models, agents and servers see the same signal", async () => {
  const seen: string[] = [];
  let waiting = 0;
  const waits = (name: string) => (_: unknown, signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      waiting++;
      signal.addEventListener("abort", () => {
        seen.push(`${name}: ${signal.reason?.message}`);
        reject(signal.reason);
      });
    });
  const { engine } = await openIn(
    on(
      "PreToolUse",
      { type: "prompt", prompt: "Is it safe?" },
      { type: "agent", prompt: "Look." },
      { type: "mcp_tool", server: "srv", tool: "check" },
    ),
    { ports: { model: waits("model"), agent: waits("agent"), mcp: waits("mcp") } },
  );
  engine.on("PreToolUse", (payload, { signal }) => waits("callback")(payload, signal));
  const abort = new AbortController();
  const fired = engine.fire("PreToolUse", bash, { signal: abort.signal });
  await until("all wait", () => waiting === 4);
  abort.abort(new Error("enough"));
  await expect(fired).rejects.toThrow("enough");
  expect(seen.sort()).toEqual(["agent: enough", "callback: enough", "mcp: enough", "model: enough"]);
});

test("a signal that is already aborted starts nothing", async () => {
  const { engine, project } = await openIn(on("PreToolUse", "touch made", command("touch made too", { async: true })));
  let called = false;
  engine.on("PreToolUse", () => {
    called = true;
    return undefined;
  });
  const signal = AbortSignal.abort(new Error("too late"));
  await expect(engine.fire("PreToolUse", bash, { signal })).rejects.toThrow("too late");
  expect(engine.background.list()).toEqual([]);
  expect({ called, made: readdirSync(project) }).toEqual({ called: false, made: [".claude"] });
});

test("leaving a stream early ends the hooks", async () => {
  const { engine, project, mark } = await openIn(on("PreToolUse", "touch started; sleep 60"));
  for await (const step of engine.stream("PreToolUse", bash)) {
    expect(step.kind).toBe("started");
    await until("started is there", () => existsSync(join(project, "started")));
    break;
  }
  if (linux) await until("its processes have exited", () => processesWith(mark).length === 0);
});
