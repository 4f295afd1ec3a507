#!/usr/bin/env node
import { join } from "node:path";
import { compileProgram } from "./code-cache.ts";
import { asksToBlock } from "./run/run-arguments.ts";

// A hook is a process per call. Node starts a script in less time than a module, and a short one in less time than a long one.
const words = process.argv.slice(2);
try {
  compileProgram(join(__dirname, "program.cjs"), process.env).begin(words);
} catch (error) {
  process.stderr.write(`hookline: its own program cannot be loaded: ${String(error)}\n`);
  process.exitCode = asksToBlock(words) ? 2 : 1;
}
