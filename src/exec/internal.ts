export { endLeftovers, findLeftovers, runTag } from "./end-tree.ts";
export { type CapturedOutput, capture, type OnLine } from "./output-capture.ts";
export type { FinishedProcess, ProcessEnd, ProcessOptions, RunningProcess, SurvivingProcess } from "./process-run.ts";
export { type CommandLine, runProcess, startProcess } from "./start-process.ts";
export { onAbort } from "./supervise.ts";
