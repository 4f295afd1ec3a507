import { textIn } from "../../models/internal.ts";
import type { AgentResult } from "../../protocol/internal.ts";
import { type CommandResult, runBuiltin } from "../turn/builtin-commands.ts";
import type { BatchCall } from "../turn/call-model.ts";
import { tellModelAsHost } from "../turn/channels.ts";
import { notifyHooks } from "../turn/fire-event.ts";
import { runBatch, runTurn, type TurnResult } from "../turn/loop.ts";
import { answerPrompt } from "../turn/submit-prompt.ts";
import { resultObjectOf } from "./agent-result.ts";
import type { AgentThread } from "./agent-session.ts";
import type { InboxItem } from "./inbox.ts";

export type Driver = ReturnType<typeof openDriver>;

/** Runs the turns of a session, one after the other. */
export function openDriver(main: AgentThread, deferred: readonly BatchCall[]) {
  const { session } = main;
  const { options, inbox, registry, signal, spending } = session;
  let turn: AbortController | undefined;

  async function runItem(item: InboxItem): Promise<TurnResult | CommandResult> {
    if (item.interrupted === true) return { by: "interrupted", text: "" };
    turn = new AbortController();
    const turnSignal = AbortSignal.any([turn.signal, signal]);
    await registry.set("busy");
    try {
      if (item.kind === "deferred") return await finishDeferred(main, deferred, turnSignal);
      const typed = textIn(item.content, "\n");
      return (await runBuiltin(main, typed, item, turnSignal)) ?? (await answerPrompt(main, item, turnSignal));
    } catch (error) {
      if (!turnSignal.aborted) throw error;
      return { by: "interrupted", text: "" };
    } finally {
      turn = undefined;
    }
  }

  /** Waits for the next item; after `idleMs` without one, Notification hooks run. */
  async function next(): Promise<InboxItem | undefined> {
    await registry.set("idle");
    const about = { message: "The agent is waiting for your input", notification_type: "idle_prompt" };
    const idleTimer = options.interactive
      ? setTimeout(() => notifyHooks(main, "Notification", about), options.idleMs)
      : undefined;
    const waitTimer = setTimeout(() => session.shells.stopWaiting(), maxWaitMs(options.env));
    try {
      return await inbox.next(signal);
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
        session.notice(`A command still ran in the background and was ended with the run: ${command}`, "warning");
  }

  return {
    /** Answers prompts and notifications until no more can arrive. Returns the last result. */
    async run(): Promise<AgentResult | undefined> {
      let result: AgentResult | undefined;
      let isReported = true;
      // A result covers everything since the previous one.
      let since = { startedAt: options.clock.now(), turns: session.turns };
      try {
        for (let item = await next(); item !== undefined; item = await next()) {
          if (isReported) {
            since = { startedAt: options.clock.now(), turns: session.turns };
            spending.mark();
          }
          const end = await runItem(item);
          if ("exit" in end) break;
          result = resultObjectOf(session, asTurn(end), { ...since, turns: session.turns - since.turns });
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
      if (turn === undefined) inbox.interruptNext();
      else turn.abort(new Error("interrupted"));
      void session.subagents.killAll();
    },
  };
}

/** How long an otherwise idle headless run waits for background commands. The variable is the client's. */
function maxWaitMs(env: Readonly<Record<string, string | undefined>>): number {
  const ms = Number(env["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"] ?? Number.NaN);
  return ms >= 0 && ms < 2 ** 31 ? ms : 600_000;
}

/** A built-in command ends like a completed turn; its text is the answer. */
function asTurn(end: TurnResult | CommandResult): TurnResult {
  return "by" in end ? end : { by: "completed", text: end.text, stopReason: "end_turn" };
}

/** Decides about the deferred calls again, runs the allowed ones, and continues the turn. */
async function finishDeferred(
  main: AgentThread,
  calls: readonly BatchCall[],
  signal: AbortSignal,
): Promise<TurnResult> {
  main.session.promptId = main.session.options.uuid();
  const end = await runBatch(main, calls, signal);
  if (end !== undefined) return end;
  await tellModelAsHost(main, "Continue from where you left off.");
  return runTurn(main, signal);
}
