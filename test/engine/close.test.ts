import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { bash, on, openIn, processesWith } from "./world.ts";

const onLinux = process.platform === "linux";

test("closing ends events that are being fired: their hooks exit and they reject as engine/closed", async () => {
  const { engine, project, mark } = await openIn(on("PreToolUse", "echo > started.$$; sleep 60"), { concurrency: 20 });
  const fires = Array.from({ length: 10 }, () => engine.fire("PreToolUse", bash));
  const settled = Promise.allSettled(fires);
  await until(
    "all have started",
    () => readdirSync(project).filter((name) => name.startsWith("started")).length === 10,
  );
  await engine.close();
  if (onLinux) expect(processesWith(mark)).toEqual([]);
  for (const result of await settled) {
    expect(result).toMatchObject({ status: "rejected", reason: { name: "Problem", code: "engine/closed" } });
  }
});

test("closing with waitMs awaits events that are being fired", async () => {
  const { engine, project } = await openIn(
    on("PreToolUse", "until [ -e go ]; do sleep 0.02; done; echo done > done.txt"),
  );
  const fired = engine.fire("PreToolUse", bash);
  const closing = engine.close({ waitMs: 60_000 });
  writeFileSync(join(project, "go"), "");
  await closing;
  expect(readFileSync(join(project, "done.txt"), "utf8")).toBe("done\n");
  expect((await fired).decision).toBe("none");
});

test("closing ends handlers that never answer, and a handler may close its own engine", async () => {
  const { engine } = await openIn({});
  const signals: AbortSignal[] = [];
  engine.on("Stop", (_payload, { signal }) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  const fired = engine.fire("Stop", {});
  await engine.close();
  await expect(fired).rejects.toMatchObject({ code: "engine/closed" });
  expect(signals[0]?.aborted).toBe(true);
  const other = (await openIn({})).engine;
  other.on("Stop", () => other.close());
  await expect(other.fire("Stop", {})).rejects.toMatchObject({ code: "engine/closed" });
});

test("closing ends an event that has a signal of its own, and an abort still gives that signal's reason", async () => {
  const { engine } = await openIn({});
  engine.on("Stop", () => new Promise(() => undefined));
  const [first, second] = [new AbortController(), new AbortController()];
  const aborted = engine.fire("Stop", {}, { signal: first.signal });
  first.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  const closed = engine.fire("Stop", {}, { signal: second.signal });
  await engine.close();
  await expect(closed).rejects.toMatchObject({ code: "engine/closed" });
});

test("closing ends the status line's process", async () => {
  const { engine, mark } = await openIn({ statusLine: { type: "command", command: "sleep 60" } });
  const line = engine.statusLine({});
  if (onLinux) await until("it runs", () => processesWith(mark).length > 0);
  await engine.close();
  if (onLinux) expect(processesWith(mark)).toEqual([]);
  expect(await line).toEqual([]);
});

test.runIf(onLinux)("processes that a hook left behind are a warning that names them", async () => {
  const { engine, mark } = await openIn(on("PreToolUse", "for i in 1 2 3; do sleep 61 >/dev/null 2>&1 & done; exit 0"));
  const { warnings, runs } = await engine.fire("PreToolUse", bash);
  expect(runs).toMatchObject([{ ended: { by: "exit", code: 0 } }]);
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: "possible-leak", message: expect.stringMatching(/(\d+ sleep.*){3}/) }),
  );
  for (const pid of processesWith(mark)) process.kill(pid);
});
