import type { ContentBlock, Message } from "./message.ts";

/**
 * Joins neighbouring messages of one role, so that turns alternate. In a joined message tool results come first, as the Messages API
 * requires.
 */
export function joinTurns(messages: readonly Message[]): Message[] {
  const all: Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role !== message.role) all.push(message);
    else all[all.length - 1] = { role: last.role, content: resultsFirst([...blocksOf(last), ...blocksOf(message)]) };
  }
  return all;
}

function resultsFirst(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const isResult = (block: ContentBlock) => block.type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

function blocksOf({ content }: Message): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
