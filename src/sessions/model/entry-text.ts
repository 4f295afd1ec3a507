import type { UserEntry } from "./entry.ts";

/** What a person would say a user line says: a command by its name and arguments, an output without its wrapping. */
export function sayOf({ role, content }: Pick<UserEntry, "role" | "content">): string {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (role === "command") {
    const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
    const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim();
    return name === undefined ? text : [name, args].filter(Boolean).join(" ");
  }
  if (role !== "command-output") return text;
  return text.replace(/^\s*<local-command-(stdout|stderr)>([\s\S]*?)(?:<\/local-command-\1>\s*)?$/, "$2");
}
