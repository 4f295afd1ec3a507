import type { TurnResult } from "../session/agent-result.ts";
import type { BackgroundSubagent, SubagentThread } from "../session/agent-session.ts";
import { reportOf, subagentNotification } from "./subagent-report.ts";
import { askBeforeIdle, continueSubagent, startSubagent } from "./subagent-thread.ts";

/**
 * Runs a subagent in the background. Each time it has finished, the main thread gets a notification; then it can be sent
 * messages, which make it continue. The session waits for it while it works, not while it is idle. Without a `task` it has done its
 * work already.
 */
export function runSubagentInBackground(thread: SubagentThread, task?: string): BackgroundSubagent {
  const { session, agent } = thread;
  const { inbox, options } = session;
  const killed = new AbortController();
  const signal = AbortSignal.any([killed.signal, session.signal]);
  let status: BackgroundSubagent["status"] = task === undefined ? "completed" : "running";
  let wake: (() => void) | undefined;
  signal.addEventListener("abort", () => wake?.(), { once: true });

  /** Runs one prompt to its end. */
  async function work(prompt: string, run: typeof startSubagent): Promise<void> {
    const release = inbox.hold();
    const startedAt = options.clock.now();
    status = "running";
    try {
      const end = await run(thread, prompt, signal);
      settle(agent.name === undefined ? end : await askBeforeIdle(thread, end, signal), prompt, startedAt);
    } catch (error) {
      session.notice(`Subagent "${agent.description}" failed: ${String(error)}`, "error");
      settle({ by: "api_error", text: String(error), error: "unknown" }, prompt, startedAt);
    } finally {
      release();
    }
  }

  function settle(end: TurnResult, prompt: string, startedAt: number): void {
    if (signal.aborted || end.by === "interrupted") status = "killed";
    else status = end.by === "api_error" ? "failed" : agent.name === undefined ? "completed" : "idle";
    const shownStatus = status === "idle" ? "completed" : status;
    const notification = subagentNotification(agent, reportOf(thread, end, { prompt, startedAt }), shownStatus);
    if (!session.signal.aborted) inbox.put(notification);
  }

  /** Works, then waits for mail, until it is killed or the session ends. */
  async function live(): Promise<void> {
    if (task !== undefined) await work(task, startSubagent);
    while (!signal.aborted) {
      const message = agent.mail.shift();
      if (message !== undefined) await work(message, continueSubagent);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    status = "killed";
    session.shells.endOf(agent.id);
  }

  const done = live();
  return {
    agent,
    get status() {
      return status;
    },
    send(text) {
      agent.mail.push(text);
      wake?.();
    },
    kill: () => killed.abort(new Error("killed")),
    done,
  };
}
