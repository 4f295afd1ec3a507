import type { EntryBlock } from "./content-block.ts";
import type { Entry, UserEntry } from "./entry.ts";

/** The readable text of a user line: a command as its name and arguments, a command output without its tags. */
export function userText({ role, content }: Pick<UserEntry, "role" | "content">): string {
  const text = textsIn(content).join("\n");
  if (role === "command") {
    const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
    const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim();
    return name === undefined ? text : [name, args].filter(Boolean).join(" ");
  }
  if (role !== "command-output") return text;
  return text.replace(/^\s*<local-command-(stdout|stderr)>([\s\S]*?)(?:<\/local-command-\1>\s*)?$/, "$2");
}

/** The text blocks of a message, without thinking, tools and images. */
export function textsIn(content: readonly EntryBlock[]): string[] {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** The title of a session: set by the user, else by a model, else a summary, else the first prompt. */
export function titleOf(entries: readonly Entry[]): string | undefined {
  return recordedTitle(entries.toReversed()) ?? firstPrompt(entries);
}

/** The newest title of the best kind. A user who sets an empty title takes back earlier ones. */
export function recordedTitle(newestFirst: Iterable<Entry>): string | undefined {
  let custom: string | undefined;
  let ai: string | undefined;
  let summary: string | undefined;
  for (const entry of newestFirst) {
    if (entry.kind === "custom-title") custom ??= entry.customTitle;
    if (custom) return custom;
    if (entry.kind === "ai-title") ai ??= entry.aiTitle;
    if (entry.kind === "summary") summary ??= entry.summary;
  }
  return ai ?? summary;
}

function firstPrompt(entries: readonly Entry[]): string | undefined {
  const first = entries.find((entry) => entry.kind === "user" && entry.role === "prompt");
  return first?.kind === "user" ? textsIn(first.content)[0] : undefined;
}
