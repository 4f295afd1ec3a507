export type { AnswerSummary } from "./child-protocol.ts";
export { replay } from "./replay.ts";
export type { Difference, EventCount, EventLine, ListedEvent, ReplayReport } from "./replay-report.ts";
