export type { CommandLine } from "./command-line.ts";
export { onAbort } from "./on-abort.ts";
export type { OnLine } from "./output-capture.ts";
export { endLeftovers, findLeftovers, runTag } from "./process-family.ts";
export type { FinishedProcess, ProcessEnd, ProcessOptions, RunningProcess, SurvivingProcess } from "./process-run.ts";
export { runProcess, startProcess } from "./start-process.ts";
