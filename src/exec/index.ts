export type { CommandLine } from "./command-line.ts";
export type { Ended, Finished, Leak, Output } from "./finished.ts";
export { type LineFate, type OnLine, type Running, run, type StartOptions, start, type Tag } from "./start.ts";
