export type { OnLine } from "./output-capture.ts";
export { endLeftovers, findLeftovers, runTag } from "./process-family.ts";
export type { FinishedProcess, ProcessEnd, ProcessOptions, RunningProcess, SurvivingProcess } from "./process-run.ts";
export { type CommandLine, runProcess, startProcess } from "./start-process.ts";
export { onAbort } from "./stop-triggers.ts";
