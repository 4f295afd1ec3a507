export type { AnswerSummary, Decision, Effect, SaidHandler } from "./child-protocol.ts";
export { type PastEvent, type PastEventName, pastEventNames } from "./past-event.ts";
export { type ReplayOptions, replay } from "./replay.ts";
export type {
  Against,
  Change,
  Difference,
  EventCount,
  HandlerReport,
  Listed,
  Place,
  Report,
} from "./replay-report.ts";
