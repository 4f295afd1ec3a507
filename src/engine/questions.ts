import type { Asker, Question } from "./ports.ts";

/** Puts the questions of all hooks of an engine to the person one at a time, in order of arrival. */
export type AskInTurn = (question: Question, signal: AbortSignal) => Promise<string | undefined>;

/** Contract: never rejects; without somebody to ask, on refusal, on cancel and when the asker fails the answer is undefined. */
export function askInTurn(asker: Asker | undefined): AskInTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    if (asker === undefined) return Promise.resolve(undefined);
    const answer = last.then(() => (signal.aborted ? undefined : asker(question, signal))).catch(() => undefined);
    last = answer;
    return answer;
  };
}
