import type { Entry } from "./entry.ts";

/** The title of a session: what a person gave, else what a model gave, else a summary, else the first prompt. */
export function titleOf(entries: readonly Entry[]): string | undefined {
  let ai: string | undefined;
  let summary: string | undefined;
  for (const entry of entries.toReversed()) {
    if (entry.kind === "custom-title" && entry.customTitle) return entry.customTitle;
    if (entry.kind === "ai-title") ai ??= entry.aiTitle;
    if (entry.kind === "summary") summary ??= entry.summary;
  }
  return ai ?? summary ?? firstPrompt(entries);
}

function firstPrompt(entries: readonly Entry[]): string | undefined {
  const first = entries.find((entry) => entry.kind === "user" && entry.role === "prompt");
  const block = first?.kind === "user" ? first.content.find(({ type }) => type === "text") : undefined;
  return block?.type === "text" ? block.text : undefined;
}
