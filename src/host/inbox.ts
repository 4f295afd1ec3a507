import type { ContentBlock } from "../models/index.ts";

/** Something for the model that did not come from it: a prompt, or news of what ran beside it. */
export interface Incoming {
  /** `deferred`: calls of an earlier run that still wait for a decision. */
  readonly kind: "prompt" | "news" | "deferred";
  readonly content: string | readonly ContentBlock[];
  /** As the transcript calls it. */
  readonly source: "sdk" | "typed" | "system";
  /** A hook gave it when the session began: a turn of its own, with a result of its own. */
  readonly first?: true;
  /** Told with the next prompt; no reason for a turn of its own. */
  readonly quiet?: true;
}

/** What waits to be told. News is taken into a running turn; a prompt is a turn of its own. */
export interface Inbox {
  put(item: Incoming): void;
  /** News that arrived while a turn runs, each once. */
  takeNews(): readonly Incoming[];
  /** The next one; undefined when nothing is left and nobody can put more. */
  next(signal: AbortSignal): Promise<Incoming | undefined>;
  /** Somebody may still put something; returns the end of it. */
  hold(): () => void;
  /** Whether something waits, or may still come from work that goes on. */
  readonly expects: boolean;
}

export function openInbox(): Inbox {
  const waiting: Incoming[] = [];
  let holds = 0;
  let wake: (() => void) | undefined;

  return {
    put(item) {
      if (item.first === true) waiting.unshift(item);
      else waiting.push(item);
      wake?.();
    },
    takeNews() {
      const news = waiting.filter(({ kind }) => kind === "news");
      for (const item of news) waiting.splice(waiting.indexOf(item), 1);
      return news;
    },
    async next(signal) {
      for (;;) {
        signal.throwIfAborted();
        const at = waiting.findIndex(({ quiet }) => quiet !== true);
        const [item] = at === -1 ? [] : waiting.splice(at, 1);
        if (item !== undefined || holds === 0) return item;
        await new Promise<void>((done) => {
          wake = done;
          signal.addEventListener("abort", () => done(), { once: true });
        });
      }
    },
    hold() {
      holds += 1;
      let held = true;
      return () => {
        if (held) holds -= 1;
        held = false;
        wake?.();
      };
    },
    get expects() {
      return waiting.some(({ quiet }) => quiet !== true) || holds > 0;
    },
  };
}
