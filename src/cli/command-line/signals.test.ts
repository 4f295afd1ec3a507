import { EventEmitter } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";
import { abortOnSignal } from "../start.ts";
import type { Io } from "./command.ts";

afterEach(() => void vi.useRealTimers());

function fakeProcess() {
  const exit = vi.fn();
  const signals = new EventEmitter();
  return { signals, exit, process: Object.assign(signals, { exit }) as unknown as NodeJS.Process };
}

test("two SIGINT at once count as one, so the demo cleans up", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { signals, exit, process } = fakeProcess();
  const signal = abortOnSignal(process);
  signals.emit("SIGINT");
  signals.emit("SIGINT");
  expect([signal.aborted, exit.mock.calls]).toEqual([true, []]);
  vi.advanceTimersByTime(1_000);
  signals.emit("SIGINT");
  expect(exit.mock.calls).toEqual([[130]]);
});

test("a second signal does not end a command that handles signals itself", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { signals, exit, process } = fakeProcess();
  const signal = abortOnSignal(process);
  signals.on("SIGTERM", () => undefined);
  signals.emit("SIGTERM");
  vi.advanceTimersByTime(1_000);
  signals.emit("SIGTERM");
  expect([signal.aborted, exit.mock.calls]).toEqual([true, []]);
});

test("a terminal that closes interrupts like Ctrl-C", () => {
  const { signals, process } = fakeProcess();
  const signal = abortOnSignal(process);
  signals.emit("SIGHUP");
  expect(signal.reason).toEqual(new Error("interrupted by SIGHUP"));
});

test("an abortOnSignal is not reported as a bug", async () => {
  const printed: string[] = [];
  const reason = new Error("interrupted by SIGINT");
  const say = async (text: string) => {
    printed.push(text);
  };
  const io = {
    env: {},
    cwd: "/",
    home: "/",
    out: () => Promise.reject(reason),
    err: say,
    signal: AbortSignal.abort(reason),
  };
  expect([await main(["--help"], io as unknown as Io), printed]).toEqual([130, []]);
});
