import { covers } from "../rules/spec-patterns.ts";
import { allowed, asked, denied, type Finding, strictest } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import { judgeText } from "./judge-shell.ts";
import type { JudgedPart } from "./judgement.ts";
import { rulesOn } from "./rules-on.ts";
import { wholePart } from "./whole-part.ts";

/** A command for a shell that is not analysed: only an exact rule allows it, any trace of a rule restricts it. */
export function judgeWholeText(
  command: string,
  tool: string,
  desk: Desk,
): { findings: readonly Finding[]; parts: readonly JudgedPart[]; complete: false } {
  const text = command.trim();
  const found = judge(text, tool, desk);
  const part = wholePart({ kind: "command", text, at: [0, command.length] }, found, desk);
  return { findings: [found], parts: [part], complete: false };
}

function judge(text: string, tool: string, desk: Desk): Finding {
  const rules = rulesOn([tool], desk.policy);
  const nul = text.includes("\0");
  const code = nul ? "nul" : "construct";
  const problems = [{ code, at: [0, text.length], text: "the shell it is for is not analysed" }] as const;
  const net = judgeText({ text, complete: false, problems, parts: [] }, rules, desk);
  const covered = rules.deny.find(
    ({ meaning: { target } }) => target.kind === "command" && covers(target.pattern, text),
  );
  const asking = rules.ask.find(({ meaning: { target } }) => target.kind === "command" && covers(target.pattern, text));
  if (covered) return denied(covered, `${covered.text} denies it`);
  if (asking) return asked(desk.mode, "rule", `${asking.text} asks about it`, asking);
  const worst = strictest(net);
  const exact = rules.allow.find(
    ({ meaning: { target } }) => target.kind === "command" && target.pattern.exact && covers(target.pattern, text),
  );
  const restricted = worst?.stance === "deny" || worst?.stance === "ask";
  if (exact && !restricted) return allowed(exact);
  return worst ?? asked(desk.mode, "analysis", "the shell it is for is not analysed");
}
