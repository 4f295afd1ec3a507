import { expect, test, vi } from "vitest";
import { statusLine } from "./status-line.ts";

test("a run starts at the earliest 300 ms after the one before", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const line = statusLine(() => undefined);
  let starts = 0;
  const mayStart = async () => {
    starts++;
    return false;
  };
  const call = { command: "true", mayStart, cwd: "/", env: {} };
  await line.run({}, call);
  const second = line.run({}, call);
  await vi.advanceTimersByTimeAsync(299);
  expect([starts, vi.getTimerCount()]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1);
  await second;
  expect([starts, vi.getTimerCount()]).toEqual([2, 0]);
});
