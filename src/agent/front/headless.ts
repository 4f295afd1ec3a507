import { type AgentResult, guardedObserver, stripControl } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { RunAgentOptions } from "../agent-options.ts";
import { runAgent } from "../run-agent.ts";
import { printedResult } from "../session/agent-result.ts";
import type { AgentControl } from "../session/session-control.ts";
import type { UserPort } from "../turn/ask-user.ts";
import { exitNow, type FrontIo, noticeText, type SignalName, signalStatus } from "./front-io.ts";
import { openProtocol, type Protocol } from "./stdio-protocol.ts";
import { streamLines } from "./stream-lines.ts";

export interface HeadlessOptions extends RunAgentOptions {
  readonly output: "text" | "json" | "stream-json";
  readonly input: "text" | "stream-json";
  readonly hookEvents?: boolean;
  readonly partialMessages?: boolean;
  /** Sends permission questions to the embedding program. */
  readonly askOverStdio?: boolean;
}

/** Runs the agent non-interactively. Returns the exit code. */
export async function runHeadless(options: HeadlessOptions, io: FrontIo): Promise<number> {
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
    lastWrite = lastWrite.then(() => io.out(text));
  };
  const protocol =
    options.input === "stream-json" ? openProtocol(io.stdin, (line) => write(`${JSON.stringify(line)}\n`)) : undefined;
  const lines =
    options.output === "stream-json"
      ? streamLines(
          streamContext(options, () => control),
          { hookEvents: options.hookEvents === true, partialMessages: options.partialMessages === true },
        )
      : () => [];
  const observe = guardedObserver(
    options.observe,
    (warning) => void io.err(noticeText({ kind: "warning", warning }) ?? ""),
  );
  try {
    const { output: _, input: __, hookEvents: ___, partialMessages: ____, askOverStdio: _____, ...rest } = options;
    const result = await runAgent({
      ...rest,
      signal: ending.signal,
      ...(protocol === undefined ? {} : { user: userPort(protocol, options) }),
      onReady: async (sessionControl) => {
        control = sessionControl;
        await protocol?.serve(sessionControl);
      },
      observe: (event: AgentEvent) => {
        observe(event);
        const notice = noticeText(event);
        if (notice !== undefined) void io.err(notice);
        for (const line of lines(event)) write(`${JSON.stringify(line)}\n`);
      },
    });
    if (options.output === "json") write(`${JSON.stringify(printedResult(result))}\n`);
    const text = textOf(result, options);
    if (options.output === "text" && text !== "") write(`${stripControl(text)}\n`);
    if (endSignal !== undefined) return signalStatus[endSignal];
    return result.is_error ? 1 : 0;
  } finally {
    stopListening();
    protocol?.close();
    await lastWrite;
  }
}

/** The answer, or the client's message about the limit that ended the run. */
function textOf({ subtype, result }: AgentResult, { maxTurns, maxBudgetUsd }: HeadlessOptions): string {
  if (subtype === "error_max_turns") return `Error: Reached max turns (${maxTurns})`;
  return subtype === "error_max_budget_usd" ? `Error: Exceeded USD budget (${maxBudgetUsd})` : result;
}

/** The program answers permission questions only if requested; it gets forms if it uses control requests. */
function userPort(protocol: Protocol, { askOverStdio, user }: HeadlessOptions): UserPort {
  return askOverStdio === true ? protocol.user : (user ?? protocol.forms);
}

function streamContext(options: HeadlessOptions, control: () => AgentControl | undefined) {
  return {
    cwd: options.cwd ?? process.cwd(),
    version: options.version ?? "",
    permissionMode: () => control()?.session.permissionMode ?? "default",
    sessionId: () => control()?.session.id ?? "",
    uuid: options.uuid ?? (() => crypto.randomUUID()),
    now: options.clock?.now ?? Date.now,
  };
}
