import { textIn } from "../../models/internal.ts";
import type { AgentResult } from "../../protocol/internal.ts";
import { runBuiltin } from "../turn/builtin-commands.ts";
import { tellModelAsHost } from "../turn/channels.ts";
import { notifyHooks } from "../turn/fire-event.ts";
import { runBatch, runTurn } from "../turn/loop.ts";
import { answerPrompt } from "../turn/submit-prompt.ts";
import { resultObjectOf, type TurnResult } from "./agent-result.ts";
import type { AgentThread } from "./agent-session.ts";
import type { BatchCall } from "./conversation-history.ts";
import type { InboxItem } from "./inbox.ts";

export type Driver = ReturnType<typeof openDriver>;

/** Runs the turns of a session, one after the other. */
export function openDriver(main: AgentThread, deferred: readonly BatchCall[]) {
  const { session } = main;
  const { options, inbox, registry, signal, spending } = session;
  let turn: AbortController | undefined;
  let wasInterrupted = false;

  async function runItem(item: InboxItem, turnSignal: AbortSignal): Promise<TurnResult | "exit"> {
    await registry.set("busy");
    try {
      // Also after an interrupt: each call needs a result before the next request.
      if (item.kind === "deferred") return await finishDeferred(turnSignal);
      turnSignal.throwIfAborted();
      const typed = textIn(item.content, "\n");
      return (await runBuiltin(main, typed, item, turnSignal)) ?? (await answerPrompt(main, item, turnSignal));
    } catch (error) {
      if (!turnSignal.aborted) throw error;
      return { by: "interrupted", text: "" };
    }
  }

  /** Decides about the deferred calls again, runs the allowed ones, and continues the turn. */
  async function finishDeferred(turnSignal: AbortSignal): Promise<TurnResult> {
    session.promptId = options.uuid();
    const end = await runBatch(main, deferred, turnSignal);
    if (end !== undefined) return end;
    await tellModelAsHost(main, "Continue from where you left off.");
    return runTurn(main, turnSignal);
  }

  /** Waits for the next item; after `idleMs` without one, Notification hooks run. */
  async function waitForItem(): Promise<void> {
    await registry.set("idle");
    const about = { message: "The agent is waiting for your input", notification_type: "idle_prompt" };
    const idleTimer = options.interactive
      ? setTimeout(() => notifyHooks(main, "Notification", about), options.idleMs)
      : undefined;
    const waitTimer = setTimeout(() => session.shells.stopWaiting(), maxWaitMs(options.env));
    try {
      await inbox.wait(signal);
    } finally {
      clearTimeout(idleTimer);
      clearTimeout(waitTimer);
    }
  }

  /** Reports background commands that the end of a headless run ends. */
  function reportLeftCommands(): void {
    if (options.interactive || signal.aborted) return;
    for (const { command, status } of session.shells.list())
      if (status() === "running")
        session.notice(`A background command was still running and was terminated: ${command}`, "warning");
  }

  return {
    /**
     * Answers the prompt that a SessionStart hook gave, then prompts and notifications until no more can arrive. An interrupt while the
     * session began ends the hook's prompt too. Returns the last result.
     */
    async run(firstPrompt?: string): Promise<AgentResult | undefined> {
      if (firstPrompt !== undefined) {
        inbox.put({ kind: "prompt", source: "sdk", content: firstPrompt, first: true });
        if (wasInterrupted) inbox.interruptNext();
      }
      let result: AgentResult | undefined;
      let isReported = true;
      // A result covers everything since the previous one.
      let since = { startedAt: options.clock.now(), turns: session.turns };
      try {
        for (;;) {
          await waitForItem();
          const item = inbox.take();
          if (item === undefined) break;
          // Until its result is known, an interrupt is for this item; afterwards for the next.
          turn = new AbortController();
          if (item.interrupted === true) turn.abort(new Error("interrupted"));
          if (isReported) {
            since = { startedAt: options.clock.now(), turns: session.turns };
            spending.mark();
          }
          const end = await runItem(item, AbortSignal.any([turn.signal, signal]));
          turn = undefined;
          if (end === "exit") break;
          result = resultObjectOf(session, end, { ...since, turns: session.turns - since.turns });
          // A run with one prompt has one result, which waits for background work.
          isReported = options.prompt === undefined || !inbox.expects || item.first === true;
          if (isReported) session.report({ kind: "result", result });
          if (result.terminal_reason === "tool_deferred" && !options.interactive) break;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      if (result !== undefined && !isReported) session.report({ kind: "result", result });
      reportLeftCommands();
      return result;
    },
    /** Ends the current turn, or the prompt that waits to begin, and all background subagents. */
    interrupt(): void {
      wasInterrupted = true;
      if (turn === undefined) inbox.interruptNext();
      else turn.abort(new Error("interrupted"));
      void session.subagents.killAll();
    },
  };
}

/** How long an otherwise idle headless run waits for background commands. The variable is Claude Code's. */
function maxWaitMs(env: Readonly<Record<string, string | undefined>>): number {
  const ms = Number(env["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"] ?? Number.NaN);
  return ms >= 0 && ms < 2 ** 31 ? ms : 600_000;
}
