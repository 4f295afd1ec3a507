import type { UncachedCode } from "./code-cache.ts";
import { runHooks } from "./run/run-hooks.ts";

/** Runs `hookline` with its arguments. `run` is bundled into this file; the other commands are modules. */
export function runProgram(args: readonly string[], uncached?: UncachedCode): void {
  if (args[0] === "run" && !args.includes("--help") && !args.includes("-h")) void runHooks(args.slice(1), uncached);
  else void import("./start.ts").then(({ start }) => start(args));
}
