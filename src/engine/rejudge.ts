import type { ToolInput, Verdict } from "../protocol/index.ts";
import type { Judge } from "./ports.ts";
import type { Occasion } from "./select.ts";

/** Whether rules are asked about what hooks allow on this event. */
export function isJudged({ row }: Occasion): boolean {
  return row.special.onTool === true && row.decisions.includes("allow");
}

/**
 * What the rules have against an input that hooks allowed: a hook's allow never beats a deny or ask rule.
 *
 * Where an event answers in the person's place, a question is what it answers; only an input that the hook made itself is asked about
 * again.
 */
export async function objection(
  { row, payload }: Occasion,
  rewritten: ToolInput | undefined,
  judge: Judge,
): Promise<Verdict> {
  const { tool_name: tool, tool_input: sent } = payload;
  const { decision, reason, byRule } = await judge(String(tool), rewritten ?? (sent as ToolInput), payload);
  if (decision === "allow" || !byRule) return { kind: "none" };
  const answersQuestions = !row.decisions.includes("ask");
  if (decision === "ask" && answersQuestions && rewritten === undefined) return { kind: "none" };
  return { kind: decision, reason };
}
