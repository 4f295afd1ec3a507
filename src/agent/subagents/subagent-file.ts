import { misspelledKeys } from "../../engine/internal.ts";

/** Names of tools in one text, split at commas and blanks outside of brackets, as the client does it. */
export function toolNames(list: string | undefined): readonly string[] | undefined {
  if (list === undefined) return undefined;
  const names: string[] = [];
  let [name, depth] = ["", 0];
  for (const letter of list) {
    if (letter === "(") depth++;
    else if (letter === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(letter)) {
      names.push(name);
      name = "";
    } else name += letter;
  }
  return [...names, name].filter(Boolean);
}

/** What an agent file says of tools and has no effect: a key, and why. */
export function withoutEffect(
  fields: Readonly<Record<string, string>>,
  keys: readonly string[],
): readonly { readonly key: string; readonly why: string }[] {
  const present = Object.fromEntries(keys.map((key) => [key, true]));
  const misspelled = misspelledKeys(present, ["tools", "disallowedTools", "allowedTools"]).map(({ key, meant }) => ({
    key,
    meant: meant === "allowedTools" ? "tools" : meant,
  }));
  const older = keys.includes("allowedTools") ? [{ key: "allowedTools", meant: "tools" }] : [];
  const rules = (toolNames(fields["tools"]) ?? []).filter((name) => name.includes("("));
  return [
    ...[...older, ...misspelled].map(({ key, meant }) => ({
      key,
      why: `"${key}" is not a key of a subagent file, so it has no effect. Use "${meant}" instead`,
    })),
    ...rules.slice(0, 1).map((rule) => ({
      key: "tools",
      why: `${JSON.stringify(rule)} is a rule and not a tool, so the subagent does not get that tool. Name the tool, and limit it by permission rules`,
    })),
  ];
}
