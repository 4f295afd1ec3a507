import type { ModelEnd } from "../../models/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { fireAndHold } from "./fire-event.ts";

/** Shows an answer of the main thread as it is streamed, in whole lines, after MessageDisplay hooks. */
export function openDisplay(thread: AgentThread, signal: AbortSignal) {
  const { session } = thread;
  const turnId = session.promptId ?? session.options.uuid();
  let blocks = new Map<number, DisplayBlock>();
  let lastFlush: Promise<void> = Promise.resolve();

  const newBlock = (pending: string): DisplayBlock => ({ id: session.options.uuid(), index: 0, pending, shown: "" });

  /** Keeps the last line until the block is complete, so that `final` is sent with the end of the text. */
  function flush(block: DisplayBlock): void {
    lastFlush = lastFlush.then(async () => {
      const end = block.pending.lastIndexOf("\n", block.pending.length - 2) + 1;
      if (end > 0) await show(block, end, false);
    });
  }

  async function show(block: DisplayBlock, end: number, final: boolean): Promise<void> {
    const delta = block.pending.slice(0, end);
    block.pending = block.pending.slice(end);
    const text = await applyHooks(block, delta, final);
    block.shown += text;
    session.report({ kind: "display", text, final });
  }

  async function applyHooks(block: DisplayBlock, delta: string, final: boolean): Promise<string> {
    if (!session.engine.hasHookFor("MessageDisplay")) return delta;
    const about = { turn_id: turnId, message_id: block.id, index: block.index, final, delta };
    block.index += 1;
    const { outcome } = await fireAndHold(thread, "MessageDisplay", about, { signal });
    return outcome.output.displayContent ?? delta;
  }

  return {
    add(index: number, text: string): void {
      const block = blocks.get(index) ?? newBlock("");
      blocks.set(index, block);
      block.pending += text;
      if (block.pending.includes("\n")) flush(block);
    },
    /** Discards the text so far: the answer is streamed again. */
    reset(): void {
      blocks = new Map();
    },
    /** Shows the rest; returns the whole text as it was shown. */
    async end(answer: ModelEnd): Promise<string> {
      await lastFlush;
      let all = "";
      for (const [index, content] of answer.content.entries()) {
        if (content.type !== "text" || content.text === "") continue;
        const block = blocks.get(index) ?? newBlock(content.text);
        await show(block, block.pending.length, true);
        all += block.shown;
      }
      return all;
    },
  };
}

/** A text block of the answer. */
interface DisplayBlock {
  readonly id: string;
  /** The number of the next delta. */
  index: number;
  pending: string;
  shown: string;
}
