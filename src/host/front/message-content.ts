import type { ContentBlock } from "../../models/index.ts";

/** Whether a message from outside holds blocks; what is in them is for the API to judge. */
export function isBlocks(content: unknown): content is readonly ContentBlock[] {
  return Array.isArray(content) && content.every((block: unknown) => typeof typeOf(block) === "string");
}

function typeOf(block: unknown): unknown {
  return typeof block === "object" && block !== null && "type" in block ? block.type : undefined;
}
