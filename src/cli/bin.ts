#!/usr/bin/env node
import { runHooks } from "./run/index.ts";

const words = process.argv.slice(2);
// A hook is a process per call: `run` is bundled into this very file and loads nothing of the other commands.
if (words[0] === "run" && !words.includes("--help") && !words.includes("-h")) {
  await runHooks(words.slice(1));
} else {
  const { start } = await import("./start.ts");
  await start(words);
}
