import { messageOf } from "../../protocol/index.ts";
import { shown } from "../shown.ts";

/** Reads the conversation by the host's code, which may throw or give something else. */
export function readConversation(
  read: () => unknown,
): { readonly messages: readonly unknown[] } | { readonly failed: string } {
  try {
    const messages = read();
    if (Array.isArray(messages)) return { messages };
    return { failed: `the host's conversation is ${shown(messages)}, not a list` };
  } catch (error) {
    return { failed: `the host's conversation cannot be read: ${messageOf(error)}` };
  }
}
