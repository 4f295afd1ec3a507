import type { Outcome } from "../../protocol/index.ts";

/** What the demo saw of the session. */
export interface Seen {
  readonly outcomes: readonly Outcome[];
  /** Questions that the demo's person answered. */
  readonly answered: number;
  readonly compactions: number;
  /** What the scripted model missed. */
  readonly complaints: readonly string[];
  /** What the agent said last. */
  readonly result: string;
}

/** Steps of the story that did not happen; none when all is as told. */
export function missingSteps(seen: Seen): readonly string[] {
  const some = (event: string, holds: (outcome: Outcome) => boolean): boolean =>
    seen.outcomes.some((outcome) => outcome.event === event && holds(outcome));
  const stops = seen.outcomes.filter(({ event }) => event === "Stop");
  const steps: readonly (readonly [string, boolean])[] = [
    ["a destructive command is denied", some("PreToolUse", ({ decision }) => decision === "deny")],
    ["a command is rewritten", some("PreToolUse", ({ updatedInput }) => updatedInput !== undefined)],
    ["an edit is asked about, and a person answers", seen.answered === 1],
    ["a secret is taken out of a result", some("PostToolUse", ({ output }) => output.updatedToolOutput !== undefined)],
    ["a subagent looks around", some("SubagentStop", () => true)],
    ["the agent may not stop before the tests pass", stops[0]?.blocked === true && stops.at(-1)?.blocked === false],
    ["the conversation is compacted", seen.compactions === 1],
    ["the hook's note outlives the compaction", seen.result.includes("in cents")],
  ];
  return [
    ...steps.filter(([, happened]) => !happened).map(([step]) => `It did not happen: ${step}.`),
    ...seen.complaints,
  ];
}
