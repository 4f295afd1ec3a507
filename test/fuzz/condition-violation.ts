import { compileCondition, conditionHolds } from "../../src/permissions/internal.ts";
import type { Deeds } from "./bash-oracle.ts";

/** Words that mean themselves in a rule. */
const plain = /^[\w./=+-]+$/;
/** Longer ones are no valid rules: a glob may have matched a folder of thousands. */
const longestRule = 1_000;

/** Conditions on what bash really ran that do not hold for the line: a guard with such a condition would be skipped. */
export function skippedConditions(line: string, { calls, cwd }: Deeds): string[] {
  const context = { cwd, home: cwd, projectRoot: cwd };
  const rules = new Set<string>();
  for (const { words } of calls) {
    const [head = ""] = words;
    if (!plain.test(head)) continue;
    rules.add(`Bash(${head} *)`);
    const whole = `Bash(${words.join(" ")})`;
    if (whole.length <= longestRule && words.every((word) => plain.test(word))) rules.add(whole);
  }
  return [...rules].filter((rule) => {
    const condition = compileCondition(rule);
    if ("invalid" in condition) throw new Error(`${rule}: ${condition.invalid}`);
    return !conditionHolds(condition, { tool: "Bash", input: { command: line } }, context);
  });
}
