/** The rules or tool names in one text, split at commas and blanks outside of parentheses, as Claude Code does it. */
export function splitRules(list: string): readonly string[] {
  const rules: string[] = [];
  let [rule, depth] = ["", 0];
  for (const letter of list) {
    if (letter === "(") depth++;
    else if (letter === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(letter)) {
      rules.push(rule);
      rule = "";
    } else rule += letter;
  }
  return [...rules, rule].filter(Boolean);
}
