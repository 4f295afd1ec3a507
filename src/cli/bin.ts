#!/usr/bin/env node
const words = process.argv.slice(2);
// A hook is a process per call, so `run` loads nothing of the other commands.
const runs = words[0] === "run" && !words.includes("--help") && !words.includes("-h");
if (runs) {
  const { runHooks } = await import("./run/index.ts");
  await runHooks(words.slice(1));
} else {
  const { start } = await import("./start.ts");
  await start(words);
}

export {};
