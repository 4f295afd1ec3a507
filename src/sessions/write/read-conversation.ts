import type { Item } from "../model/entry.ts";
import { pairTools } from "../model/pair-tool-calls.ts";
import { takeSidechains } from "../model/sidechains.ts";
import { draftOf, type Thread, threadOf } from "../model/transcript-conversation.ts";
import { readEntries } from "../read/read-entries.ts";

/** The conversation in one transcript, read whole; its agents, and everything else of the session, are left alone. */
export async function readConversation(file: string, options: { readonly ofAgent?: boolean } = {}): Promise<Thread> {
  const items: Item[] = [];
  for await (const batch of readEntries(file)) for (const item of batch) items.push(item);
  const draft = draftOf(options.ofAgent === true ? items : takeSidechains(items).main);
  return threadOf(draft, pairTools([draft]).of(draft));
}
