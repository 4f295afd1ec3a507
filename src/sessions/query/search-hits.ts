import type { Block } from "../model/content-block.ts";
import type { Entry } from "../model/entry.ts";
import { textOfBlock } from "./query-filters.ts";

/** Where in a session a text stands; the order is that of the ranking. */
export type TextKind = "title" | "prompt" | "answer" | "tool" | "result" | "thinking";

export interface SearchText {
  readonly kind: TextKind;
  readonly text: string;
}

/** The texts of an entry that a person would look for. */
export function searchTexts(entry: Entry): SearchText[] {
  switch (entry.kind) {
    case "custom-title":
      return [{ kind: "title", text: entry.customTitle ?? "" }];
    case "ai-title":
      return [{ kind: "title", text: entry.aiTitle ?? "" }];
    case "summary":
      return [{ kind: "title", text: entry.summary ?? "" }];
    case "user":
      return entry.role === "meta" || entry.role === "summary" ? [] : entry.content.flatMap((block) => userText(block));
    case "assistant":
      return entry.content.flatMap((block) => answerText(block));
    default:
      return [];
  }
}

function userText(block: Block): SearchText[] {
  if (block.type === "text") return [{ kind: "prompt", text: block.text }];
  return block.type === "tool_result" ? [{ kind: "result", text: textOfBlock(block) }] : [];
}

function answerText(block: Block): SearchText[] {
  if (block.type === "text") return [{ kind: "answer", text: block.text }];
  if (block.type === "thinking") return [{ kind: "thinking", text: block.thinking }];
  return block.type === "tool_use" || block.type === "server_tool_use"
    ? [{ kind: "tool", text: textOfBlock(block) }]
    : [];
}
