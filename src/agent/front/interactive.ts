import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import type { ToolUseBlock } from "../../models/internal.ts";
import { guardedObserver, stripControl } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { RunAgentOptions } from "../agent-options.ts";
import type { AgentControl, UserPort } from "../agent-ports.ts";
import { runAgent } from "../run-agent.ts";
import { toolSummary } from "../tools/tool.ts";
import { deniedByUser } from "../turn/decide.ts";
import { ruleTexts } from "../turn/permission-updates.ts";
import { exitNow, type FrontIo, noticeText, type SignalName, signalStatus } from "./front-io.ts";

/** Runs the agent with a line prompt. A typed line is a prompt, a command, or the answer to an open question. */
export async function runInteractive({ prompt, ...options }: RunAgentOptions, io: FrontIo): Promise<number> {
  const ending = new AbortController();
  const openQuestions: ((line: string | undefined) => void)[] = [];
  let isClosed = false;
  let lastWrite: Promise<void> = Promise.resolve();
  const write = (text: string): void => {
    lastWrite = lastWrite.then(() => io.out(text));
  };
  const ask: AskLine = (text, signal) =>
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

  const observe = guardedObserver(options.observe, (warning) => write(noticeText({ kind: "warning", warning })));

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
    if (notice !== "") write(notice);
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

function callLine({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const [line = ""] = stripControl(`· ${name} ${toolSummary(input)}`).split("\n");
  return line.slice(0, 200);
}

/** Contract: resolves with the typed line; undefined at the end of input. */
type AskLine = (text: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the user at the terminal. All shown text is stripped of control characters. */
export function terminalUser(ask: AskLine): UserPort {
  const answer: AskLine = async (text, signal) => (await ask(stripControl(text), signal))?.trim();
  const isYes = (typed = ""): boolean => /^(y|yes)$/i.test(typed);

  return {
    async permission({ tool, input, reason, suggestions }, signal) {
      const rules = suggestions.filter((update) => update.type === "addRules" && update.behavior === "allow");
      const always = rules.length === 0 ? "" : `, [a]lways (${rules.flatMap(ruleTexts).join(", ")})`;
      const call = `${tool} wants to run:\n${JSON.stringify(input, null, 2).replace(/^/gm, "  ")}`;
      const typed = await answer(
        `\n${call}\n${reason}\n[y]es, [n]o${always}, or no with a message for the model: `,
        signal,
      );
      if (typed === undefined) return { behavior: "deny", message: "The user did not answer." };
      if (isYes(typed)) return { behavior: "allow" };
      if (/^(a|always)$/i.test(typed) && rules.length > 0)
        return { behavior: "allow", updates: rules.map((update) => ({ ...update, destination: "localSettings" })) };
      const comment = typed.replace(/^(no|n)\b[\s,:]*/i, "");
      if (comment === "") return { behavior: "deny" };
      return { behavior: "deny", message: `${deniedByUser} They said: ${comment}` };
    },
    async question({ message, options, hook, summary }, signal) {
      const lines = options.map(
        ({ key, label, description }) => `  ${key}  ${label}${description === undefined ? "" : `: ${description}`}`,
      );
      const about = summary === "" ? "" : ` about ${summary}`;
      const typed = await answer(`\n${hook.name} asks${about}: ${message}\n${lines.join("\n")}\nYour choice: `, signal);
      return options.find(({ key, label }) => key === typed || label === typed)?.key;
    },
    async confirm(text, signal) {
      return isYes(await answer(`\n${text} [y]es or [n]o: `, signal));
    },
    async elicit({ server, message, schema }, signal) {
      const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Field>>);
      const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
      const content: Record<string, unknown> = {};
      const first = await answer(`\n${server} asks: ${message}\n[y]es to answer, [n]o to decline: `, signal);
      if (first === undefined) return { action: "cancel" };
      if (!isYes(first)) return { action: "decline" };
      for (const [name, field] of properties) {
        const choices = field.enum === undefined ? "" : ` (${field.enum.join(", ")})`;
        let fault: string | undefined = "";
        while (fault !== undefined) {
          const typed = await answer(`${fault}${name}${choices}: `, signal);
          if (typed === undefined) return { action: "cancel" };
          fault = faultOf(typed, field, required.includes(name));
          if (fault === undefined && typed !== "") content[name] = asType(typed, field.type);
        }
      }
      return { action: "accept", content };
    },
  };
}

/** The schema of a form field. */
interface Field {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** Why the typed text is not valid for the field. */
function faultOf(text: string, { type, enum: choices }: Field, required: boolean): string | undefined {
  if (text === "") return required ? "This field is required.\n" : undefined;
  if (choices !== undefined && !choices.map(String).includes(text)) return "Type one of the choices.\n";
  if (type === "integer" && !Number.isInteger(Number(text))) return "This must be a whole number.\n";
  return type === "number" && !Number.isFinite(Number(text)) ? "This must be a number.\n" : undefined;
}

function asType(text: string, type: string | undefined): unknown {
  if (type === "number" || type === "integer") return Number(text);
  if (type === "array") return text.split(",").map((item) => item.trim());
  return type === "boolean" ? /^(y|yes|true|1)$/i.test(text) : text;
}
