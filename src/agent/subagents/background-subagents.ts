import { defined } from "../../protocol/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import type { TurnResult } from "../turn/loop.ts";
import { reportOf, subagentNotification } from "./subagent-report.ts";
import { askBeforeIdle, continueSubagent, type SubagentRequest, startSubagent } from "./subagent-thread.ts";

/** A subagent that runs in the background, or ran. */
type BackgroundSubagent = ReturnType<typeof runSubagentInBackground>;

export type BackgroundSubagents = ReturnType<typeof openBackgroundSubagents>;

export function openBackgroundSubagents() {
  const agents = new Map<string, BackgroundSubagent>();
  return {
    list: (): readonly BackgroundSubagent[] => [...agents.values()],
    find: (idOrName: string): BackgroundSubagent | undefined =>
      agents.get(idOrName) ?? [...agents.values()].findLast(({ name }) => name === idOrName),
    add: (agent: BackgroundSubagent): void => void agents.set(agent.id, agent),
    /** Ends all that run and waits for them. */
    async killAll(): Promise<void> {
      const running = [...agents.values()].filter(({ status }) => status === "running" || status === "idle");
      for (const agent of running) agent.kill();
      await Promise.all(running.map(({ done }) => done));
    },
  };
}

export interface BackgroundRequest extends Pick<SubagentRequest, "description" | "prompt" | "toolUseId"> {
  /** It has done its work already; only a message makes it continue. */
  readonly again?: boolean;
}

/**
 * Runs a subagent in the background. Each time it has finished, the main thread gets a notification; then it can be sent
 * messages, which make it continue. The session waits for it while it works, not while it is idle.
 */
export function runSubagentInBackground(thread: AgentThread, request: BackgroundRequest) {
  const { session, agent } = thread;
  const { inbox, options } = session;
  const killed = new AbortController();
  const signal = AbortSignal.any([killed.signal, session.signal]);
  let status: "running" | "idle" | "completed" | "failed" | "killed" = request.again === true ? "completed" : "running";
  let wake: (() => void) | undefined;

  /** Runs one prompt to its end. */
  async function work(prompt: string, first: boolean): Promise<void> {
    const release = inbox.hold();
    const startedAt = options.clock.now();
    status = "running";
    try {
      let end = await (first ? startSubagent(thread, prompt, signal) : continueSubagent(thread, prompt, signal));
      if (agent?.name !== undefined) end = await askBeforeIdle(thread, end, signal);
      settle(end, prompt, startedAt);
    } catch (error) {
      session.notice(`Subagent "${request.description}" failed: ${String(error)}`, "error");
      settle({ by: "api_error", text: String(error), error: "unknown" }, prompt, startedAt);
    } finally {
      release();
    }
  }

  function settle(end: TurnResult, prompt: string, startedAt: number): void {
    if (signal.aborted || end.by === "interrupted") status = "killed";
    else status = end.by === "api_error" ? "failed" : agent?.name === undefined ? "completed" : "idle";
    const shownStatus = status === "idle" ? "completed" : status;
    const about = { ...request, outputFile: agent?.transcriptPath ?? "" };
    const content = subagentNotification(reportOf(thread, end, { prompt, startedAt }), about, shownStatus);
    // A killed subagent is reported with the next prompt; it does not wake the model.
    if (!session.signal.aborted)
      inbox.put({ kind: "news", content, source: "system", ...(status === "killed" ? { quiet: true } : {}) });
  }

  /** Works, then waits for mail, until it is killed or the session ends. */
  async function live(): Promise<void> {
    if (request.again !== true) await work(request.prompt, true);
    while (!signal.aborted) {
      const [message] = thread.mail?.splice(0, 1) ?? [];
      if (message !== undefined) await work(message, false);
      else
        await new Promise<void>((done) => {
          wake = done;
          signal.addEventListener("abort", () => done(), { once: true });
        });
    }
    status = "killed";
    session.shells.endOf(agent?.id ?? "");
  }

  const done = live();
  return {
    id: agent?.id ?? "",
    type: agent?.type ?? "",
    description: request.description,
    ...defined({ name: agent?.name }),
    get status() {
      return status;
    },
    /** Sends a message, which it reads before its next model call. */
    send(text: string): void {
      thread.mail?.push(text);
      wake?.();
    },
    /** Ends it with the status `killed`. */
    kill: (): void => killed.abort(new Error("killed")),
    /** Resolves when it has ended. */
    done,
  };
}
