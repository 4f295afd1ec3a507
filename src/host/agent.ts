import { Problem } from "../protocol/index.ts";
import { beginSession } from "./begin.ts";
import { controlOf } from "./control-of.ts";
import { openDriver } from "./drive.ts";
import { endSession } from "./end.ts";
import { openAgentSession } from "./open-session.ts";
import { type RunAgentOptions, resolveAgentOptions } from "./options.ts";
import { type AgentResult, resultOf } from "./result.ts";

/**
 * Runs the reference agent: one session, from Setup to SessionEnd.
 *
 * Contract: resolves with the last result, however the model, tools, hooks and people behaved; an API error, a limit and an interrupt
 * are results. It rejects with a `Problem` for a wrong call or a session that cannot be opened, and when the transcript cannot be written.
 */
export async function runAgent(given: RunAgentOptions): Promise<AgentResult> {
  const options = resolveAgentOptions(given);
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const opened = await openAgentSession(options, ending.signal);
  const { session, main } = opened;
  const { calls } = opened.deferred;
  const driver = openDriver(main, opened.deferred);
  try {
    const close = session.inbox.hold();
    await options.onReady?.(controlOf(opened, driver, close));
    const { firstPrompt } = await beginSession(opened);
    const sdk = { kind: "prompt", source: "sdk" } as const;
    if (calls.length > 0) session.inbox.put({ ...sdk, kind: "deferred", content: "" });
    if (firstPrompt !== undefined) session.inbox.put({ ...sdk, content: firstPrompt, first: true });
    if (options.prompt !== undefined && options.setup !== "init-only") {
      if (options.prompt.trim() !== "") session.inbox.put({ ...sdk, content: options.prompt });
      else if (calls.length === 0) throw noPrompt();
    }
    if (options.prompt !== undefined || options.setup === "init-only") close();
    const nothing = { by: ending.signal.aborted ? "interrupted" : "completed", text: "", stopReason: "" } as const;
    return (await driver.run()) ?? resultOf(session, nothing, { startedAt: options.clock.now(), turns: 0 });
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    await endSession(main, options.interactive ? "prompt_input_exit" : "other");
  }
}

function noPrompt(): Problem {
  return new Problem("host/no-prompt", "There is no prompt. Give one as an argument or on standard input.");
}
