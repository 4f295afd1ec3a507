import fc from "fast-check";
import { afterEach, vi } from "vitest";
import { seed } from "./size.ts";

fc.configureGlobal({ seed });

afterEach(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error("The test leaves fake timers on. Files share a process: call vi.useRealTimers().");
});
