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
  /** Questions go to the program at the other end. */
  readonly askOverStdio?: boolean;
}

/** Runs without a person: the prompt comes in, the answer goes out, the status says how it went. */
export async function runHeadless(options: HeadlessOptions, io: FrontIo): Promise<number> {
  const ending = new AbortController();
  let ended: SignalName | undefined;
  let firstAt = 0;
  let control: AgentControl | undefined;
  const unhear = io.onSignal((signal) => {
    const again = ended === "SIGINT" && signal === "SIGINT" && Date.now() - firstAt < 2_000;
    if (again) return void exitNow(control, io);
    ended ??= signal;
    firstAt = Date.now();
    ending.abort(new Error(`ended by ${signal}`));
  });
  let writing: Promise<void> = Promise.resolve();
  const write = (text: string): void => {
    writing = writing.then(() => io.out(text));
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
      ...(protocol === undefined ? {} : { user: answering(protocol, options) }),
      onReady: async (given) => {
        control = given;
        await protocol?.serve(given);
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
    return statusOf(result, ended);
  } finally {
    unhear();
    protocol?.close();
    await writing;
  }
}

/** A limit has no answer: the line says which limit, in the client's words. */
function textOf({ subtype, result }: AgentResult, { maxTurns, maxBudgetUsd }: HeadlessOptions): string {
  if (subtype === "error_max_turns") return `Error: Reached max turns (${maxTurns})`;
  return subtype === "error_max_budget_usd" ? `Error: Exceeded USD budget (${maxBudgetUsd})` : result;
}

function statusOf(result: AgentResult, ended: SignalName | undefined): number {
  if (ended !== undefined) return signalStatus[ended];
  return result.is_error ? 1 : 0;
}

/** Permissions are asked for where that was wished; a form goes to any program that has shown that it takes requests. */
function answering(protocol: Protocol, { askOverStdio, user }: HeadlessOptions): UserPort {
  return askOverStdio === true ? protocol.person : (user ?? protocol.forms);
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
