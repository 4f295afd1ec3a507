import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import type { ToolUseBlock } from "../../models/internal.ts";
import { guardedObserver, stripControl } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { RunAgentOptions } from "../agent-options.ts";
import { runAgent } from "../run-agent.ts";
import type { AgentControl } from "../session/session-control.ts";
import { toolSummary } from "../tools/tool.ts";
import { exitNow, type FrontIo, noticeText, type SignalName, signalStatus } from "./front-io.ts";
import { terminalUser } from "./terminal-user.ts";

/** Runs the agent with a line prompt. A typed line is a prompt, a command, or the answer to an open question. */
export async function runInteractive({ prompt, ...options }: RunAgentOptions, io: FrontIo): Promise<number> {
  const ending = new AbortController();
  const openQuestions: ((line: string | undefined) => void)[] = [];
  let isClosed = false;
  let lastWrite: Promise<void> = Promise.resolve();
  const write = (text: string): void => {
    lastWrite = lastWrite.then(() => io.out(text));
  };
  const ask = (text: string, signal: AbortSignal): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      if (isClosed) return resolve(undefined);
      // An aborted signal fires no event.
      if (signal.aborted) return reject(signal.reason);
      const cancel = (): void => {
        // The next typed line must not answer this question.
        openQuestions.splice(openQuestions.indexOf(answer), 1);
        reject(signal.reason);
      };
      const answer = (line: string | undefined): void => {
        signal.removeEventListener("abort", cancel);
        resolve(line);
      };
      signal.addEventListener("abort", cancel, { once: true });
      openQuestions.push(answer);
      write(text);
    });
  const reader = createInterface({ input: io.stdin, output: new PassThrough(), terminal: false });
  let control: AgentControl | undefined;
  let isBusy = false;
  let endSignal: SignalName | undefined;

  reader.on("line", (line) => {
    const answer = openQuestions.shift();
    if (answer !== undefined) answer(line);
    else if (line.trim() !== "") {
      isBusy = true;
      control?.prompt(line, "typed");
    } else write("> ");
  });
  reader.once("close", () => {
    isClosed = true;
    for (const answer of openQuestions.splice(0)) answer(undefined);
    control?.end();
  });

  /** The first Ctrl-C interrupts the turn, or asks for a second one. */
  let signalledAt = Number.NEGATIVE_INFINITY;
  const stopListening = io.onSignal((signal) => {
    const isRepeated = Date.now() - signalledAt < 2_000;
    signalledAt = Date.now();
    if (signal !== "SIGINT" || isRepeated) {
      endSignal = signal;
      if (signal === "SIGINT" && ending.signal.aborted) void exitNow(control, io);
      ending.abort(new Error(`ended by ${signal}`));
    } else if (isBusy) control?.interrupt();
    else write("\nPress Ctrl-C again to leave.\n> ");
  });

  const observe = guardedObserver(options.observe, (warning) => write(noticeText({ kind: "warning", warning }) ?? ""));

  function show(event: AgentEvent): void {
    observe(event);
    if (event.kind === "partial") isBusy = true;
    if (event.kind === "display") write(stripControl(event.text) + (event.final ? "\n" : ""));
    if (event.kind === "assistant" && event.block.type === "tool_use") write(`${callLine(event.block)}\n`);
    if (event.kind === "result") {
      isBusy = false;
      const { terminal_reason: reason, num_turns: turns, result } = event.result;
      const isAlreadyShown = reason === "completed" && turns > 0;
      const text = reason === "interrupted" ? "Interrupted." : result;
      if (!isAlreadyShown && text !== "") write(`${stripControl(text)}\n`);
      write("> ");
    }
    const notice = noticeText(event);
    if (notice !== undefined) write(notice);
  }

  try {
    await runAgent({
      ...options,
      interactive: true,
      signal: ending.signal,
      user: options.user ?? terminalUser(ask),
      onReady: (sessionControl) => {
        control = sessionControl;
        write("> ");
        // A prompt of the command line is the first of several.
        if (prompt === undefined || prompt.trim() === "") return;
        isBusy = true;
        write(`${stripControl(prompt)}\n`);
        sessionControl.prompt(prompt, "typed");
      },
      observe: show,
    });
    return endSignal === undefined ? 0 : signalStatus[endSignal];
  } finally {
    stopListening();
    reader.close();
    await lastWrite;
  }
}

/** Describes a call in one line. */
function callLine({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const [line = ""] = stripControl(`· ${name} ${toolSummary(input)}`).split("\n");
  return line.slice(0, 200);
}
