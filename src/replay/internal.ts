export type { AnswerSummary } from "./child-protocol.ts";
export { type ReplayOptions, replay } from "./replay.ts";
export type { Difference, EventCount, Listed, Place, Report } from "./replay-report.ts";
