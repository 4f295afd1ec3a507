#!/usr/bin/env node
import { join } from "node:path";
import { loadProgram } from "./code-cache.ts";
import { asksToBlock } from "./run/run-arguments.ts";

// Every hook call starts this file. Node starts a script faster than a module, and a short script faster than a long one.
const [command, ...args] = process.argv.slice(2);
if (command === "run" && !args.includes("--help") && !args.includes("-h")) runHooks();
else void import("./start.ts").then(({ start }) => start(process.argv.slice(2)));

function runHooks(): void {
  try {
    loadProgram(join(__dirname, "program.cjs"), process.env).runHooks(args);
  } catch (error) {
    process.stderr.write(`hookline: cannot load program.cjs: ${String(error)}\n`);
    process.exitCode = asksToBlock(args) ? 2 : 1;
  }
}
