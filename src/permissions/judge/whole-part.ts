import { type Finding, refOf } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import type { JudgedPart } from "./judgement.ts";

/** A part that was not taken apart any further: it has no head, and is where the call is. */
export function wholePart(
  { kind, text, at = [0, 0] }: Pick<JudgedPart, "kind" | "text"> & Partial<Pick<JudgedPart, "at">>,
  { decision, by, rule, why }: Finding,
  desk: Desk,
): JudgedPart {
  const { cwd } = desk.context;
  return { kind, text, at, head: null, dynamic: false, via: [], cwd, decision, by, rule: refOf(rule), why };
}
