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

/** What can be done to the turn that runs. */
export interface Driver {
  /** Answers prompts and news until none can come any more. Gives the last result. */
  run(): Promise<AgentResult | undefined>;
  /** Ends the turn that runs, and the agents in the background. */
  interrupt(): void;
}

export function openDriver(main: AgentThread, deferred: readonly BatchCall[]): Driver {
  const { session } = main;
  const { options, inbox, registry, signal, spending } = session;
  let turn: AbortController | undefined;

  async function one(item: InboxItem): Promise<TurnResult | CommandResult> {
    turn = new AbortController();
    const either = AbortSignal.any([turn.signal, signal]);
    await registry.set("busy");
    try {
      if (item.kind === "deferred") return await finishDeferred(main, deferred, either);
      const typed = textIn(item.content, "\n");
      return (await runBuiltin(main, typed, item, either)) ?? (await answerPrompt(main, item, either));
    } catch (error) {
      if (!either.aborted) throw error;
      return { by: "interrupted", text: "" };
    } finally {
      turn = undefined;
    }
  }

  /** Waits for the next item; after `idleMs` without one, Notification hooks run. */
  async function next(): Promise<InboxItem | undefined> {
    await registry.set("idle");
    const about = { message: "The agent is waiting for your input", notification_type: "idle_prompt" };
    const idle = options.interactive
      ? setTimeout(() => notifyHooks(main, "Notification", about), options.idleMs)
      : undefined;
    const wait = setTimeout(() => session.shells.letGo(), maxWaitMs(options.env));
    try {
      return await inbox.next(signal);
    } finally {
      clearTimeout(idle);
      clearTimeout(wait);
    }
  }

  /** Commands that the end of a headless run ends. */
  function reportLeftCommands(): void {
    if (options.interactive || signal.aborted) return;
    for (const shell of session.shells.list().filter((one) => one.status() === "running")) {
      const text = `A command still ran in the background and was ended with the run: ${shell.command}`;
      session.notice(text, "warning");
    }
  }

  return {
    async run() {
      let result: AgentResult | undefined;
      let reported = true;
      // A result counts everything since the one before it.
      let since = { startedAt: options.clock.now(), turns: session.turns };
      try {
        for (let item = await next(); item !== undefined; item = await next()) {
          if (reported) since = { startedAt: options.clock.now(), turns: session.turns };
          if (reported) spending.mark();
          if (reported) session.timing.mark();
          const end = await one(item);
          if ("exit" in end) break;
          result = resultObjectOf(session, asTurn(end), { ...since, turns: session.turns - since.turns });
          // Who gave one prompt wants one result: it waits for what runs in the background.
          reported = options.prompt === undefined || !inbox.expects || item.first === true;
          if (reported) session.report({ kind: "result", result });
          if (result.terminal_reason === "tool_deferred" && !options.interactive) break;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      if (result !== undefined && !reported) session.report({ kind: "result", result });
      reportLeftCommands();
      return result;
    },
    interrupt() {
      turn?.abort(new Error("interrupted"));
      void session.subagents.killAll();
    },
  };
}

/** How long a headless run that has nothing else to do waits for commands in the background. The variable is the client's. */
function maxWaitMs(env: Readonly<Record<string, string | undefined>>): number {
  const wanted = Number(env["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"] ?? Number.NaN);
  return wanted >= 0 && wanted < 2 ** 31 ? wanted : 600_000;
}

/** A built-in command ends like a turn that said one thing. */
function asTurn(end: TurnResult | CommandResult): TurnResult {
  return "by" in end ? end : { by: "completed", text: end.text, stopReason: "end_turn" };
}

/** Asks about the calls again, carries out what may run, and lets the model go on. */
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
