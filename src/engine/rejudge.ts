import type { Outcome, ToolInput } from "../protocol/index.ts";
import type { Judge } from "./ports.ts";
import type { Occasion } from "./select.ts";

/** A hook's allow never beats a deny or ask rule: the input that will really run is judged by the rules too. */
export async function judgeAllow(outcome: Outcome, occasion: Occasion, judge: Judge | undefined): Promise<Outcome> {
  if (outcome.decision !== "allow" || judge === undefined || !occasion.row.decisions.includes("ask")) return outcome;
  const { tool_name: tool, tool_input: sent } = occasion.payload;
  const input = outcome.updatedInput ?? (sent as ToolInput);
  const judged = await judge(String(tool), input, occasion.payload);
  if (judged.decision === "allow" || !judged.byRule) return outcome;
  const { updatedInput, ...rest } = outcome;
  const denied = judged.decision === "deny";
  return {
    ...rest,
    decision: judged.decision,
    blocked: denied,
    reason: judged.reason,
    ...(denied || updatedInput === undefined ? {} : { updatedInput }),
  };
}
