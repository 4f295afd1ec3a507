export type { CommandLine } from "./command-line.ts";
export type { Ended, Finished, Leak, Output } from "./finished.ts";
export { endLeftovers, findLeftovers, type Leftover } from "./leftovers.ts";
export type { LineFate, OnLine } from "./lines.ts";
export { onAbort } from "./on-abort.ts";
export type { Running, StartOptions } from "./process-run.ts";
export { run, start } from "./start-process.ts";
export { runTag, type Tag } from "./tag.ts";
export { type WindowsShell, windowsShell } from "./windows-shell.ts";
