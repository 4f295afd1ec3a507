import type { UnkeptCode } from "./code-cache.ts";
import { runHooks } from "./run/run-hooks.ts";

/** What `hookline` does with its words. `run` and all it takes is bundled into this very file; the other commands are modules. */
export function begin(words: readonly string[], unkept?: UnkeptCode): void {
  if (words[0] === "run" && !words.includes("--help") && !words.includes("-h")) void runHooks(words.slice(1), unkept);
  else void import("./start.ts").then(({ start }) => start(words));
}
