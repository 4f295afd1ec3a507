import type { FinishedProcess } from "../../../exec/internal.ts";
import { type CommandHook, type HookRef, isObject, parseJson, type Warning } from "../../../protocol/internal.ts";
import type { Question } from "../../ports.ts";
import type { RunnerResult } from "../runner-result.ts";
import type { CommandRun } from "./command-env.ts";

/** A finished process as the result of a runner. */
export function resultOfProcess(finished: FinishedProcess, run: CommandRun, before: readonly Warning[]): RunnerResult {
  const { ref } = run.hook;
  const { ended, stdout, stderr } = finished;
  const dropped = { stdout: stdout.droppedBytes, stderr: stderr.droppedBytes };
  // The output of a timed-out hook is not an answer, not even in the record.
  const late = ended.by === "timeout" || ended.by === "cancelled";
  return {
    ended: ended.by === "not-started" ? { by: "not-started", why: ended.why } : ended,
    output: outputOf(finished),
    stdout: late ? "" : stdout.text,
    stderr: stderr.text,
    droppedBytes: dropped.stdout + dropped.stderr > 0 ? dropped : undefined,
    failure: failureOf(finished, ref),
    warnings: [...before, ...warningsOf(finished, run.command, ref)],
  };
}

function outputOf({ ended, stdout }: FinishedProcess): RunnerResult["output"] {
  const whole = stdout.droppedBytes === 0;
  if (ended.by === "exit") return { kind: "printed", exit: ended.code, whole };
  if (ended.by === "signal") return { kind: "printed", exit: null, whole };
  return { kind: "nothing" };
}

function failureOf({ ended, stderr }: FinishedProcess, ref: HookRef): string | undefined {
  switch (ended.by) {
    case "signal":
      return `killed by ${ended.signal}`;
    case "timeout":
      return `timed out after ${ended.afterMs / 1_000} s`;
    case "cancelled":
      return "cancelled";
    case "not-started":
      return `not started: ${ended.why}`;
    case "exit":
      if (ended.code === 127) return `command not found (exit 127): ${stderr.text.trim() || ref.name}`;
      if (ended.code === 126) return `cannot be run (exit 126): ${stderr.text.trim() || ref.name}`;
      return undefined;
  }
}

function warningsOf({ leaked, stdout, stderr, ended }: FinishedProcess, hook: CommandHook, ref: HookRef): Warning[] {
  const warnings: Warning[] = [];
  if (leaked.length > 0) {
    warnings.push({ code: "possible-leak", message: leakMessage(leaked, ref), place: ref.id });
  }
  const bytes = stdout.droppedBytes + stderr.droppedBytes;
  if (bytes > 0) {
    const message = `Hook ${ref.name} printed ${bytes} bytes more than are kept; they were dropped.`;
    warnings.push({ code: "output-cut", message, place: ref.id });
  }
  if (!hook.interactive && ended.by === "exit" && beginsWithQuestion(stdout.text)) {
    const message = `Hook ${ref.name} printed a question, but only hooks with "interactive": true can ask.`;
    warnings.push({ code: "question-without-interactive", message, place: ref.id });
  }
  return warnings;
}

/** A hook may leave hundreds of processes behind; a few names are enough to find them. */
function leakMessage(leaked: FinishedProcess["leaked"], ref: HookRef): string {
  const names = leaked.map((leak) => ("pid" in leak ? `${leak.pid} ${leak.name}`.trim() : "an unknown process"));
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `Processes of hook ${ref.name} may still run: ${names.slice(0, mostNamed).join(", ")}${more}.`;
}

const mostNamed = 5;

function beginsWithQuestion(text: string): boolean {
  const [first = ""] = text.split("\n", 1);
  return questionLine(first) !== undefined;
}

/** A first line that says the rest of the run is for the background. */
export interface AsyncNotice {
  readonly timeoutMs: number | undefined;
  /** Answers in the same object; they do not count. */
  readonly ignored: readonly string[];
}

export function asyncNotice(line: string): AsyncNotice | undefined {
  // Nearly no first line is one, so it is not parsed unless it can be.
  if (!line.includes('"async"')) return undefined;
  const value = parseJson(line.trim());
  if (!isObject(value) || value["async"] !== true) return undefined;
  const limit = value["asyncTimeout"];
  return {
    timeoutMs: typeof limit === "number" && limit > 0 ? limit : undefined,
    ignored: answers.filter((name) => Object.hasOwn(value, name)),
  };
}

const answers = ["decision", "permissionDecision", "continue", "hookSpecificOutput"];

/** A line with which a running hook asks the user a question. */
export type QuestionLine = Pick<Question, "id" | "message" | "options">;

export function questionLine(line: string): QuestionLine | undefined {
  if (!line.includes('"prompt"')) return undefined;
  const value = parseJson(line.trim());
  if (!isObject(value)) return undefined;
  const { prompt: id, message, options } = value;
  if (typeof id !== "string" || typeof message !== "string" || !Array.isArray(options)) return undefined;
  return options.every(isOption) ? { id, message, options } : undefined;
}

function isOption(option: unknown): option is QuestionLine["options"][number] {
  if (!isObject(option)) return false;
  const { key, label, description = "" } = option;
  return [key, label, description].every((text) => typeof text === "string");
}
