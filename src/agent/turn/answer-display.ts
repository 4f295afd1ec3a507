import type { ModelEnd } from "../../models/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { fireAndHold } from "./fire-event.ts";

/** Shows an answer of the main thread while it is being written, by whole lines, after hooks have seen them. */
export interface Display {
  add(block: number, text: string): void;
  /** The answer begins again. */
  reset(): void;
  /** Shows what is left; gives all text as it was shown. */
  end(answer: ModelEnd): Promise<string>;
}

export function openDisplay(thread: AgentThread, signal: AbortSignal): Display {
  const { session } = thread;
  const turnId = session.promptId ?? session.options.uuid();
  let blocks = new Map<number, Shown>();
  let work: Promise<void> = Promise.resolve();

  /** The last line stays back until the block is whole, so that `final` comes with the last words. */
  function flush(shown: Shown): void {
    work = work.then(async () => {
      const end = shown.rest.lastIndexOf("\n", shown.rest.length - 2) + 1;
      if (end > 0) await show(shown, end, false);
    });
  }

  async function show(shown: Shown, end: number, final: boolean): Promise<void> {
    const delta = shown.rest.slice(0, end);
    shown.rest = shown.rest.slice(end);
    const text = await asHooksWant(shown, delta, final);
    shown.text += text;
    session.report({ kind: "display", text, final });
  }

  async function asHooksWant(shown: Shown, delta: string, final: boolean): Promise<string> {
    if (!session.engine.hasHookFor("MessageDisplay")) return delta;
    const about = { turn_id: turnId, message_id: shown.id, index: shown.index, final, delta };
    shown.index += 1;
    const { outcome } = await fireAndHold(thread, "MessageDisplay", about, { signal });
    return outcome.output.displayContent ?? delta;
  }

  return {
    add(block, text) {
      const shown = blocks.get(block) ?? { id: session.options.uuid(), index: 0, rest: "", text: "" };
      blocks.set(block, shown);
      shown.rest += text;
      if (shown.rest.includes("\n")) flush(shown);
    },
    reset() {
      blocks = new Map();
    },
    async end(answer) {
      await work;
      let all = "";
      for (const [index, block] of answer.content.entries()) {
        if (block.type !== "text" || block.text === "") continue;
        const shown = blocks.get(index) ?? { id: session.options.uuid(), index: 0, rest: block.text, text: "" };
        await show(shown, shown.rest.length, true);
        all += shown.text;
      }
      return all;
    },
  };
}

interface Shown {
  readonly id: string;
  index: number;
  rest: string;
  text: string;
}
