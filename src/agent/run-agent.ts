import { type AgentResult, Problem } from "../protocol/internal.ts";
import { type RunAgentOptions, resolveAgentOptions } from "./agent-options.ts";
import { resultObjectOf } from "./session/agent-result.ts";
import { beginSession } from "./session/begin-session.ts";
import { openSessionEnd } from "./session/end-session.ts";
import { type OpenSession, openAgentSession } from "./session/open-session.ts";
import { openControl } from "./session/session-control.ts";
import { type Driver, openDriver } from "./session/session-driver.ts";

/**
 * Runs the reference agent: one session, from Setup to SessionEnd.
 *
 * Contract: resolves with the last result, whatever the model, tools, hooks and the user do; an API error, a limit and an interrupt
 * are results. Rejects with a `Problem` for wrong options, for a session that cannot be opened, and when the transcript cannot be
 * written. What `onReady` or `connect` throws rejects the run as it is. Settles within two seconds after `signal` is aborted, even if something still runs.
 */
export async function runAgent(given: RunAgentOptions): Promise<AgentResult> {
  const options = resolveAgentOptions(given);
  const { prompt, onReady, setup, signal } = options;
  if (prompt === undefined && onReady === undefined && setup !== "init-only")
    throw new Problem("host/no-prompt", "Pass prompt, or send prompts through the control that onReady receives.");
  const opened = await openAgentSession(options);
  const reason = options.interactive ? "prompt_input_exit" : "other";
  const sessionEnd = openSessionEnd(opened.main);
  // The end does not wait for the turn: SessionEnd hooks run at once.
  const beginEnd = (): void => sessionEnd.begin("other");
  if (signal.aborted) beginEnd();
  signal.addEventListener("abort", beginEnd, { once: true });
  try {
    const driver = openDriver(opened.main, opened.history.deferred);
    // An abort while the session begins is an interrupt too.
    const lastResult = runSession(opened, driver).catch((error: unknown) => {
      if (!signal.aborted || error instanceof Problem) throw error;
      return undefined;
    });
    const result = await Promise.race([lastResult, sessionEnd.overdue]);
    if (result !== undefined) return result;
    const nothingToDo = { by: "completed", text: "", stopReason: "" } as const;
    const end = signal.aborted ? ({ by: "interrupted", text: "" } as const) : nothingToDo;
    return resultObjectOf(opened.session, end, { startedAt: options.clock.now(), turns: 0 });
  } finally {
    signal.removeEventListener("abort", beginEnd);
    await sessionEnd.finish(reason);
  }
}

/** From the first event to the last answer. */
async function runSession(opened: OpenSession, driver: Driver): Promise<AgentResult | undefined> {
  const { inbox, options } = opened.session;
  const { prompt, setup, onReady } = options;
  const close = inbox.hold();
  const sdk = { kind: "prompt", source: "sdk" } as const;
  // In the inbox before the session begins, so that an interrupt meanwhile reaches it.
  const deferred = opened.history.deferred.length > 0;
  if (deferred) inbox.put({ ...sdk, kind: "deferred", content: "" });
  await onReady?.(openControl(opened.main, driver.interrupt, close));
  const hasPrompt = prompt !== undefined && prompt.trim() !== "";
  if (hasPrompt && setup !== "init-only") inbox.put({ ...sdk, content: prompt });
  const firstPrompt = await beginSession(opened);
  if (setup === "init-only") close();
  else if (prompt !== undefined) {
    if (!hasPrompt && !deferred)
      throw new Problem("host/no-prompt", "There is no prompt. Give one as an argument or on standard input.");
    close();
  }
  return driver.run(firstPrompt);
}
