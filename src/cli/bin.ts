#!/usr/bin/env node
import { join } from "node:path";
import { loadProgram, loadScripts } from "./code-cache.ts";
import { asksToBlock } from "./run/run-arguments.ts";

// Every hook call starts this file. Node starts a script faster than a module, and a short script faster than a long one.
const [command = "", ...args] = process.argv.slice(2);
if (command === "run" && !args.includes("--help") && !args.includes("-h")) runHooks();
else startCommand();

function runHooks(): void {
  try {
    loadProgram(join(__dirname, "program.cjs"), process.env).runHooks(args);
  } catch (error) {
    process.stderr.write(`hookline: cannot load program.cjs: ${String(error)}\n`);
    process.exitCode = asksToBlock(args) ? 2 : 1;
  }
}

function startCommand(): void {
  const given = process.argv.slice(2);
  if (!isStartedOften(command)) return void import("./start.ts").then(({ start }) => start(given));
  const { exports, uncached } = loadScripts(join(__dirname, "start.cjs"), cacheName(), process.env);
  return void (exports as typeof import("./start.ts")).start(given, uncached);
}

/** Commands that scripts and status lines start. `usage` changes the compiler's flags, and then Node takes no code of an earlier start. */
function isStartedOften(name: string): boolean {
  return ["check", "explain", "fire", "list", "sessions", "statusline"].includes(name);
}

/** The verbs of `sessions` use different scripts. */
function cacheName(): string {
  const [verb = ""] = args;
  return command === "sessions" && /^[a-z]+$/.test(verb) ? `sessions-${verb}` : command;
}
