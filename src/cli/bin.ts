#!/usr/bin/env node
import { runHooks } from "./run/index.ts";

const words = process.argv.slice(2);
// A hook is a process per call: `run` and all it takes is bundled into this very file, which is a script, for Node starts a script in
// less time than a module. The other commands are modules.
if (words[0] === "run" && !words.includes("--help") && !words.includes("-h")) void runHooks(words.slice(1));
else void import("./start.ts").then(({ start }) => start(words));
