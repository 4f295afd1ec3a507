export type { CommandLine } from "./command-line.ts";
export { type WindowsShell, windowsShell } from "./command-line.ts";
export { onAbort } from "./on-abort.ts";
export type { LineFate, OnLine, Output } from "./output-capture.ts";
export { endLeftovers, findLeftovers, type Leftover, runTag, type Tag } from "./process-family.ts";
export type { Ended, Finished, Leak, Running, StartOptions } from "./process-run.ts";
export { run, start } from "./start-process.ts";
