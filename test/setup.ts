import fc from "fast-check";
import { afterEach, vi } from "vitest";
import { seed } from "./size.ts";

fc.configureGlobal({ seed });

// Files share a process: what one test fakes must not reach the next.
afterEach(() => void vi.useRealTimers());
