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

/** A line prompt: what is typed is a prompt, a command, or the answer to a question that stands. */
export async function runInteractive({ prompt, ...options }: RunAgentOptions, io: FrontIo): Promise<number> {
  const ending = new AbortController();
  const waiting: ((line: string | undefined) => void)[] = [];
  let closed = false;
  let writing: Promise<void> = Promise.resolve();
  const write = (text: string): void => {
    writing = writing.then(() => io.out(text));
  };
  const ask = (text: string, signal: AbortSignal): Promise<string | undefined> =>
    new Promise((done, fail) => {
      if (closed) return done(undefined);
      // An aborted signal fires no event.
      if (signal.aborted) return fail(signal.reason);
      const drop = (): void => {
        // What is typed next is not for a question that nobody asks any more.
        waiting.splice(waiting.indexOf(answer), 1);
        fail(signal.reason);
      };
      const answer = (line: string | undefined): void => {
        signal.removeEventListener("abort", drop);
        done(line);
      };
      signal.addEventListener("abort", drop, { once: true });
      waiting.push(answer);
      write(text);
    });
  const reader = createInterface({ input: io.stdin, output: new PassThrough(), terminal: false });
  let control: AgentControl | undefined;
  let busy = false;
  let ended: SignalName | undefined;

  reader.on("line", (line) => {
    const answer = waiting.shift();
    if (answer !== undefined) answer(line);
    else if (line.trim() !== "") {
      busy = true;
      control?.prompt(line, "typed");
    } else write("> ");
  });
  reader.once("close", () => {
    closed = true;
    for (const answer of waiting.splice(0)) answer(undefined);
    control?.end();
  });
  const unhear = io.onSignal(signals());

  /** The first Ctrl-C ends the turn, or says what a second one does. */
  function signals(): (signal: SignalName) => void {
    let lastAt = Number.NEGATIVE_INFINITY;
    return (signal) => {
      const again = Date.now() - lastAt < 2_000;
      lastAt = Date.now();
      if (signal !== "SIGINT" || again) {
        ended = signal;
        if (signal === "SIGINT" && ending.signal.aborted) void exitNow(control, io);
        ending.abort(new Error(`ended by ${signal}`));
      } else if (busy) control?.interrupt();
      else write("\nPress Ctrl-C again to leave.\n> ");
    };
  }

  const observe = guardedObserver(options.observe, (warning) => write(noticeText({ kind: "warning", warning }) ?? ""));

  function show(event: AgentEvent): void {
    observe(event);
    if (event.kind === "partial") busy = true;
    if (event.kind === "display") write(stripControl(event.text) + (event.final ? "\n" : ""));
    if (event.kind === "assistant" && event.block.type === "tool_use") write(`${callLine(event.block)}\n`);
    if (event.kind === "result") {
      busy = false;
      const shown = event.result.terminal_reason === "completed" && event.result.num_turns > 0;
      const text = event.result.terminal_reason === "interrupted" ? "Interrupted." : event.result.result;
      write(`${shown || text === "" ? "" : `${stripControl(text)}\n`}> `);
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
      onReady: (given) => {
        control = given;
        write("> ");
        // A prompt of the command line is the first turn, not the only one.
        if (prompt === undefined || prompt.trim() === "") return;
        busy = true;
        write(`${stripControl(prompt)}\n`);
        given.prompt(prompt, "typed");
      },
      observe: show,
    });
    return ended === undefined ? 0 : signalStatus[ended];
  } finally {
    unhear();
    reader.close();
    await writing;
  }
}

/** One line about a call, as far as a line goes. */
function callLine({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const [line = ""] = stripControl(`· ${name} ${toolSummary(input)}`).split("\n");
  return line.slice(0, 200);
}
