import type { PolicyRule } from "../policy.ts";
import { covers } from "../rules/command-pattern.ts";
import type { ShellAnalysis } from "../shell/analyse.ts";
import type { Desk } from "./desk.ts";
import { asked, denied, type Finding } from "./finding.ts";
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
  const [deny, ask] = [rules.deny.filter(joinsCommands), rules.ask.filter(joinsCommands)];
  const commands = parts.filter(({ kind }) => kind === "command").length;
  if (deny.length + ask.length === 0 || commands < 2) return [];
  const spellings = spellingsOf(text);
  const meets = ({ meaning: { target } }: PolicyRule) =>
    target.kind === "command" && spellings.some((spelling) => covers(target.pattern, spelling));
  const denying = deny.find(meets);
  if (denying) return [denied(denying, `${denying.text} denies it`)];
  const asking = ask.find(meets);
  return asking ? [asked(desk.mode, "rule", `${asking.text} asks about it`, asking)] : [];
}

function joinsCommands({ text, meaning }: PolicyRule): boolean {
  return meaning.target.kind === "command" && /[|&;]/.test(text);
}

function spellingsOf(text: string): readonly string[] {
  const pipelines = text.split(/&&|\|\||[;\n]/);
  const texts = new Set(
    [text, ...(pipelines.length > 1 ? pipelines : [])].map((one) => one.replace(/\s+/g, " ").trim()),
  );
  return [...texts].flatMap((one) => {
    const tight = one.replace(/ ?(&&|\|\||\|&|[|;&]) ?/g, "$1");
    const spaced = tight.replace(/&&|\|\||\|&|[|;&]/g, " $& ").trim();
    return [...new Set([one, tight, spaced, spaced.replaceAll(" ;", ";")])];
  });
}
