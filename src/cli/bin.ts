#!/usr/bin/env node
import { join } from "node:path";
import { loadProgram } from "./code-cache.ts";
import { asksToBlock } from "./run/run-arguments.ts";

// Every hook call starts this file. Node starts a script faster than a module, and a short script faster than a long one.
const args = process.argv.slice(2);
try {
  loadProgram(join(__dirname, "program.cjs"), process.env).runProgram(args);
} catch (error) {
  process.stderr.write(`hookline: cannot load program.cjs: ${String(error)}\n`);
  process.exitCode = asksToBlock(args) ? 2 : 1;
}
