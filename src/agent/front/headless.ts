import { randomUUID } from "node:crypto";
import { type AgentResult, guardedObserver, stripControl } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { RunAgentOptions } from "../agent-options.ts";
import type { AgentControl } from "../agent-ports.ts";
import { runAgent } from "../run-agent.ts";
import { exitNow, type FrontIo, noticeText, type SignalName, signalStatus } from "./front-io.ts";
import { openProtocol } from "./stdio-protocol.ts";
import { printedResult, streamLines } from "./stream-lines.ts";

export interface HeadlessOptions extends RunAgentOptions {
  readonly output: "text" | "json" | "stream-json";
  readonly input: "text" | "stream-json";
  readonly hookEvents?: boolean;
  readonly partialMessages?: boolean;
  /** Sends permission questions to the embedding program. Without it, the program gets only forms, if it uses control requests. */
  readonly askOverStdio?: boolean;
}

/** Runs the agent non-interactively. Returns the exit code. */
export async function runHeadless(options: HeadlessOptions, io: FrontIo): Promise<number> {
  const { output, input, hookEvents = false, partialMessages = false, askOverStdio = false, ...agentOptions } = options;
  const ending = new AbortController();
  let endSignal: SignalName | undefined;
  let signalledAt = 0;
  let control: AgentControl | undefined;
  const stopListening = io.onSignal((signal) => {
    const isRepeated = endSignal === "SIGINT" && signal === "SIGINT" && Date.now() - signalledAt < 2_000;
    if (isRepeated) return void exitNow(control, io);
    endSignal ??= signal;
    signalledAt = Date.now();
    ending.abort(new Error(`ended by ${signal}`));
  });
  let lastWrite: Promise<void> = Promise.resolve();
  const write = (text: string): void => {
    lastWrite = lastWrite.then(() => io.out(`${text}\n`));
  };
  const writeLine = (line: object): void => write(JSON.stringify(line));
  const protocol = input === "stream-json" ? openProtocol(io.stdin, writeLine) : undefined;
  const toLines = streamLines({
    cwd: options.cwd ?? process.cwd(),
    version: options.version ?? "",
    permissionMode: () => control?.session.permissionMode ?? "default",
    sessionId: () => control?.session.id ?? "",
    uuid: options.uuid ?? randomUUID,
    now: options.clock?.now ?? Date.now,
    hookEvents,
    partialMessages,
  });
  const showNotice = (event: AgentEvent): void => {
    const text = noticeText(event);
    if (text !== "") void io.err(text);
  };
  const observe = guardedObserver(options.observe, (warning) => showNotice({ kind: "warning", warning }));
  try {
    const result = await runAgent({
      ...agentOptions,
      signal: ending.signal,
      ...(protocol === undefined ? {} : { user: askOverStdio ? protocol.user : (options.user ?? protocol.forms) }),
      onReady: async (sessionControl) => {
        control = sessionControl;
        await protocol?.serve(sessionControl);
      },
      observe: (event) => {
        observe(event);
        showNotice(event);
        if (output === "stream-json") toLines(event).forEach(writeLine);
      },
    });
    if (output === "json") writeLine(printedResult(result));
    const text = textOf(result, options);
    if (output === "text" && text !== "") write(stripControl(text));
    const { terminal_reason: by, hook_reason: reason = "no reason given" } = result;
    if (output === "text" && text === "" && (by === "hook_stopped" || by === "stop_hook_prevented"))
      void io.err(`hookline: a hook ended the run: ${stripControl(reason)}\n`);
    if (endSignal !== undefined) return signalStatus[endSignal];
    return result.is_error ? 1 : 0;
  } finally {
    stopListening();
    protocol?.close();
    await lastWrite;
  }
}

/** The answer, or Claude Code's message about the limit that ended the run. */
function textOf({ subtype, result }: AgentResult, { maxTurns, maxBudgetUsd }: HeadlessOptions): string {
  if (subtype === "error_max_turns") return `Error: Reached max turns (${maxTurns})`;
  return subtype === "error_max_budget_usd" ? `Error: Exceeded USD budget (${maxBudgetUsd})` : result;
}
