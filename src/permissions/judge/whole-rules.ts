import type { PolicyRule } from "../policy.ts";
import type { ShellAnalysis } from "../shell/analyse.ts";
import { coversWhole, joinsCommands } from "../shell/whole-text.ts";
import { asked, denied, type Finding } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import type { RulesOn } from "./rules-on.ts";

/**
 * Deny and ask rules that are written over several commands, such as `Bash(curl * | bash)`: no part of a command is like them, so they
 * are held against the text as a whole and against each of its pipelines, whatever blanks stand around the operators.
 */
export function judgeWholeRules(
  text: string,
  { parts }: ShellAnalysis,
  rules: RulesOn,
  desk: Desk,
): readonly Finding[] {
  const [deny, ask] = [rules.deny.filter(isJoined), rules.ask.filter(isJoined)];
  const commands = parts.filter(({ kind }) => kind === "command").length;
  if (deny.length + ask.length === 0 || commands < 2) return [];
  const isCovering = coversWhole(text);
  const meets = ({ meaning: { target } }: PolicyRule) => target.kind === "command" && isCovering(target.pattern);
  const denying = deny.find(meets);
  if (denying) return [denied(denying, `${denying.text} denies it`)];
  const asking = ask.find(meets);
  return asking ? [asked(desk.mode, "rule", `${asking.text} asks about it`, asking)] : [];
}

function isJoined({ meaning: { target } }: PolicyRule): boolean {
  return target.kind === "command" && joinsCommands(target.pattern);
}
