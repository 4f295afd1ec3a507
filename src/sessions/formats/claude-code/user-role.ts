import { isObject } from "../../../protocol/index.ts";
import type { Block } from "../../model/content-block.ts";
import type { PromptSource, UserRole } from "../../model/entry.ts";

interface UserFacts {
  readonly content: readonly Block[];
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly origin?: unknown;
}

/** What a user line is: the first rule that fits. */
export function roleOf({ content, isMeta, isCompactSummary, origin }: UserFacts): UserRole {
  if (content.some((block) => block.type === "tool_result")) return "result";
  if (isCompactSummary === true) return "summary";
  if (isMeta === true) return "meta";
  const first = content.find((block) => block.type === "text");
  const text = first?.type === "text" ? first.text.trimStart() : "";
  if (opens(text, "<command-name>", "<command-message>")) return "command";
  if (opens(text, "<local-command-stdout>", "<local-command-stderr>")) return "command-output";
  if (content.length === 1 && /^\[Request interrupted by user[^\]]*\]$/.test(text.trimEnd())) return "interrupt";
  const from = isObject(origin) ? origin["kind"] : undefined;
  if (from === "task-notification" || text.startsWith("<task-notification>")) return "notification";
  if (from !== "human" && /^(?:[^\n<]*\n)?\s*<teammate-message/.test(text)) return "teammate";
  return "prompt";
}

/** Who a prompt came from. The first line of an agent's thread is written by the agent that started it. */
export function sourceOf(
  promptSource: string | undefined,
  isSidechain: boolean,
  parentUuid: string | null,
): PromptSource {
  if (isSidechain && parentUuid === null) return "agent";
  if (promptSource === "typed" || promptSource === "sdk" || promptSource === "system") return promptSource;
  return "unknown";
}

function opens(text: string, ...tags: readonly string[]): boolean {
  return tags.some((tag) => text.startsWith(tag));
}
