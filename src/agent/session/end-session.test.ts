import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../fixtures/agent-run.ts";
import type { AgentThread } from "./agent-session.ts";
import { openSessionEnd, openTimeLeft, type Time } from "./end-session.ts";

/** A clock that jumps when everybody waits: what is done at once costs nothing, what never ends costs all there is. */
function jumpingTime(): Time & { at: number; readonly waits: AbortSignal[] } {
  const time = {
    at: 0,
    waits: [] as AbortSignal[],
    now: () => time.at,
    async sleep(ms: number, signal: AbortSignal) {
      time.waits.push(signal);
      await nextTick();
      if (!signal.aborted) time.at += ms;
    },
  };
  return time;
}

const never = new Promise<never>(() => undefined);

/** A session in which nothing ends on request; `seen` has the calls and their times. */
function stuck(time: Time, budgetMs?: number, aborted = true) {
  const seen: [string, number][] = [];
  const note = (what: string): Promise<void> => {
    seen.push([what, time.now()]);
    return what === "registry" || what === "transcript" ? Promise.resolve() : never;
  };
  const session = {
    engine: {
      budgetMs: () => budgetMs,
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => note("hooks") }) }),
      background: { list: () => [] },
      close: () => note("engine"),
    },
    subagents: { killAll: () => note("agents") },
    shells: { endAll: () => note("commands"), clearFolders: () => note("folders") },
    servers: { close: () => note("server") },
    workspace: { end: () => note("watchers") },
    registry: { remove: () => note("registry") },
    record: { id: "s", file: "f", close: () => note("transcript") },
    signal: aborted ? AbortSignal.abort() : new AbortController().signal,
    options: { env: { HOOKLINE_RUN: "no-such-mark" }, uuid: () => "u" },
    permissions: { mode: () => "default" },
    report: () => undefined,
    notice: () => undefined,
  };
  return { main: { session, cwd: "/", model: { name: "m", port: {} } } as unknown as AgentThread, seen };
}

describe("a session ends within two seconds", () => {
  test("the session ends even if nothing else ends; registry and transcript are always written", async () => {
    const time = jumpingTime();
    const { main, seen } = stuck(time, 1_500);
    const end = openSessionEnd(main, time);
    end.begin("other");
    await end.overdue;
    expect(time.at).toBeLessThan(2_000);
    await end.finish("other");
    expect(time.waits.every(({ aborted }) => aborted)).toBe(true);
    expect(time.at).toBeLessThanOrEqual(2_000);
    const names = seen.map(([what]) => what);
    expect(names).toEqual([
      ...["hooks", "agents", "commands", "server", "watchers", "engine", "folders", "registry", "transcript"],
    ]);
    expect(seen.filter(([, at]) => at === 0).map(([what]) => what)).toEqual(["hooks", "agents", "commands"]);
  });

  test("hooks with a longer budget get it, and the other steps have half a second after them", async () => {
    const time = jumpingTime();
    const { main, seen } = stuck(time, 10_000, false);
    await openSessionEnd(main, time).finish("prompt_input_exit");
    expect(seen.find(([what]) => what === "server")?.[1]).toBeGreaterThanOrEqual(10_250);
    expect(time.at).toBeLessThanOrEqual(10_500);
    expect(seen.at(-1)?.[0]).toBe("transcript");
  });

  test("a turn that ended leaves no timer behind that would keep the process", async () => {
    const waits: AbortSignal[] = [];
    const sleep = (_: number, signal: AbortSignal) => {
      waits.push(signal);
      return never;
    };
    const time = { now: () => 0, sleep };
    const { main } = stuck(time);
    const end = openSessionEnd(main, time);
    end.begin("other");
    void end.finish("other");
    await nextTick();
    expect(waits.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test("the steps share the time; an error of an abandoned step has no effect", async () => {
    const time = jumpingTime();
    const left = openTimeLeft(1_000, time);
    let fail: (error: Error) => void = () => undefined;
    const late = new Promise((_, no) => {
      fail = no;
    });
    expect(await left.waitFor(late, 300)).toBe(false);
    expect([time.at, left.leftMs()]).toEqual([700, 300]);
    expect(await left.waitFor(Promise.resolve(), 300)).toBe(true);
    expect(await left.waitFor(never)).toBe(false);
    expect(await left.waitFor(Promise.resolve())).toBe(true);
    fail(new Error("too late"));
    await nextTick();
    expect(time.at).toBe(1_000);
  });
});

test("a signal that is aborted before the session has begun gives an interrupted result", async () => {
  const world = makeWorld({ hooks: {} });
  try {
    const { result } = await world.run([{ text: "ok", times: "any" }], { prompt: "go", signal: AbortSignal.abort() });
    expect(result).toMatchObject({ terminal_reason: "interrupted", is_error: true });
  } finally {
    world.remove();
  }
});
