import type { CallMessage } from "./messages.ts";

/** The text of a failure, with paths relative to the directory of the call that gets it. */
export type StrayFailure = (cwd: string | undefined) => string;

/** What a failure needs to know of a call, and can do to it. */
interface FailableCall {
  readonly message: Pick<CallMessage, "asked">;
  readonly isAnswered: boolean;
  blocks(): boolean;
  fail(why: string): void;
  report(why: string): void;
}

export type StrayFailures = ReturnType<typeof openStrayFailures>;

/**
 * Failures that belong to no call, such as those of a timer that the file starts when it loads, or would fail a call that has its answer. Each
 * call without an answer gets them: any may depend on what failed. When none of these blocks, the next call that does is refused; the next
 * other one only reports it. Failures of the load are for all calls: `run` has them at every start.
 */
export function openStrayFailures(running: ReadonlyMap<number, FailableCall>) {
  let isLoaded = false;
  let atLoad: StrayFailure | undefined;
  let kept: { readonly failure: StrayFailure; readonly isReported: boolean } | undefined;
  const give = (call: FailableCall, failure: StrayFailure) => {
    const why = failure(call.message.asked.cwd);
    if (call.blocks()) call.fail(why);
    else call.report(why);
  };
  return {
    add(failure: StrayFailure): void {
      if (!isLoaded) {
        atLoad ??= failure;
        return;
      }
      const open = [...running.values()].filter(({ isAnswered }) => !isAnswered);
      const isNews = kept === undefined || kept.isReported;
      if (isNews && !open.some((call) => call.blocks())) kept = { failure, isReported: open.length > 0 };
      for (const call of open) give(call, failure);
    },
    loaded(): void {
      isLoaded = true;
    },
    giveTo(call: FailableCall): void {
      const failure = atLoad ?? (kept?.isReported && !call.blocks() ? undefined : kept?.failure);
      if (failure === undefined) return;
      kept = call.blocks() ? undefined : { failure, isReported: true };
      give(call, failure);
    },
  };
}
