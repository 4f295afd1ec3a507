import { existsSync } from "node:fs";
import {
  type CommandLine,
  type Finished,
  type OnLine,
  type Running,
  type StartOptions,
  start,
} from "../../../exec/index.ts";
import type { CommandHook, HookRef, Warning } from "../../../protocol/index.ts";
import type { PluginRoot } from "../../layer.ts";
import { closeDepthMark, openDepthMark } from "../../nesting.ts";
import type { AnyPayload } from "../../payload.ts";
import type { Asker } from "../../ports.ts";
import type { Ran } from "../../ran.ts";
import { type Environment, eventVariables } from "./environment.ts";
import { type AsyncNotice, asyncNotice, questionLine } from "./first-line.ts";
import { argumentsRefusal, argumentsVariable } from "./input-file.ts";
import { fillPlaceholders, placeholderVariables } from "./placeholders.ts";
import { ranOf } from "./ran-of.ts";

export interface CommandCall {
  readonly ref: HookRef;
  readonly payload: AnyPayload;
  /** The payload as one JSON line, without its newline. */
  readonly line: string;
  /** Inherited and settings' variables, worked out beforehand. */
  readonly env: Environment;
  /** Variables of this run alone: input file, env file. */
  readonly extra: Readonly<Record<string, string>>;
  readonly plugin: PluginRoot | undefined;
  readonly projectDir: string;
  readonly home: string;
  readonly depth: number;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly graceMs: number | undefined;
  readonly ask: Asker;
  /** Called once when the hook's first line says the rest is for the background; absent: such a line is plain output. */
  readonly onBackground?: (notice: AsyncNotice) => void;
}

export interface StartedCommand {
  /** Contract: never rejects; settles at most 3 s after the deadline, whatever the process does. */
  readonly done: Promise<Ran>;
  readonly running: Running | undefined;
}

/** Starts one command hook and feeds it its payload. */
export function startCommand(hook: CommandHook, call: CommandCall): StartedCommand {
  const refused = refusalOf(hook, call);
  if (refused !== undefined) return { done: Promise.resolve(notStarted(refused)), running: undefined };
  const filled = fillPlaceholders(hook, call);
  if ("refused" in filled) return { done: Promise.resolve(notStarted(filled.refused)), running: undefined };

  const line = commandLine(hook, filled, call.env);
  const env = environmentOf(hook, call);
  const mark = openDepthMark(call.depth + 1);
  const optionsIn = (cwd: string): StartOptions => ({
    inherits: mark,
    cwd,
    env,
    tag: { name: tagName, value: call.runId },
    input: `${call.line}\n`,
    keepInputOpen: hook.interactive === true,
    timeoutMs: call.timeoutMs,
    ...(call.graceMs === undefined ? {} : { graceMs: call.graceMs }),
    reportLeftBehind: true,
    onLine: lineReader(hook, call, () => running),
  });
  let running = start(line, optionsIn(String(call.payload["cwd"])));
  // Only when nothing could be started is it worth a look whether the folder is still there.
  const instead = running.pid === undefined ? folderInstead(call) : undefined;
  if (instead !== undefined) running = start(line, optionsIn(instead.path));
  closeDepthMark(mark);
  const warnings = instead === undefined ? [] : [instead.warning];
  const done = running.done.then((finished: Finished) => ranOf(finished, hook, call.ref, warnings));
  return { done, running };
}

/** A plugin whose folder is gone must not reach a shell whose "not found" could read as a block. */
function refusalOf(hook: CommandHook, { plugin, line }: CommandCall): string | undefined {
  if (plugin !== undefined && !existsSync(plugin.root)) return `the plugin's folder ${plugin.root} is gone`;
  if (hook.command.includes("\0")) return "the command holds a NUL character";
  return argumentsRefusal(hook, line);
}

function notStarted(why: string): Ran {
  return {
    ended: { by: "not-started", why },
    said: { kind: "nothing" },
    stdout: "",
    stderr: "",
    failure: `not started: ${why}`,
    warnings: [],
  };
}

function commandLine(
  hook: CommandHook,
  filled: { command: string; args?: readonly string[] },
  env: Environment,
): CommandLine {
  if (filled.args !== undefined) return { form: "exec", file: filled.command, args: filled.args };
  if (hook.shell === "powershell") return { form: "powershell", command: filled.command };
  const prefix = env["CLAUDE_CODE_SHELL_PREFIX"];
  return { form: "shell", command: prefix ? `${prefix} ${quoted(filled.command)}` : filled.command };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Where a hook runs whose folder is gone; undefined when it is there. */
function folderInstead({
  payload,
  projectDir,
  home,
  ref,
}: CommandCall): { path: string; warning: Warning } | undefined {
  const wanted = String(payload["cwd"]);
  if (existsSync(wanted)) return undefined;
  const path = existsSync(projectDir) ? projectDir : home;
  const message = `The folder ${wanted} is gone; the hook ran in ${path}.`;
  return { path, warning: { code: "cwd-missing", message, place: ref.id } };
}

/** What this run adds lies over what all share: a process's environment includes inherited properties, so nothing is copied. */
function environmentOf(hook: CommandHook, call: CommandCall): Environment {
  return Object.assign(
    Object.create(call.env),
    placeholderVariables(call),
    eventVariables(call.ref, call.payload, call.depth),
    argumentsVariable(hook, call.line),
    call.extra,
    { [tagName]: call.runId },
  );
}

const tagName = "HOOKLINE_RUN";

/** Looks at stdout as it comes: the first line may send the run into the background, any line of an interactive hook may ask. */
function lineReader(hook: CommandHook, call: CommandCall, running: () => Running): OnLine {
  let first = true;
  return (line, whole) => {
    if (first) {
      const notice = call.onBackground && asyncNotice(line);
      if (notice) {
        first = false;
        call.onBackground?.(notice);
        return "take";
      }
      if (!whole && line.trimStart().startsWith("{")) return "keep";
      if (line.trim() !== "") first = false;
    }
    if (!hook.interactive) return first ? "keep" : "keep-all";
    const question = whole ? questionLine(line) : undefined;
    if (question === undefined) return "keep";
    void answerQuestion(question, call, running());
    return "take";
  };
}

/** The hook's clock stands still while the person thinks; a hook that is gone has no question any more. */
async function answerQuestion(
  question: NonNullable<ReturnType<typeof questionLine>>,
  { ask, ref, payload }: CommandCall,
  running: Running,
): Promise<void> {
  const gone = new AbortController();
  void running.done.then(() => gone.abort());
  running.pauseDeadline();
  const selected = await ask({ ...question, hook: ref, summary: summaryOf(payload) }, gone.signal);
  running.resumeDeadline();
  const reply = selected === undefined ? { cancelled: true } : { selected };
  running.write(`${JSON.stringify({ prompt_response: question.id, ...reply })}\n`);
  if (selected === undefined) running.endInput();
}

function summaryOf(payload: AnyPayload): string {
  const tool = payload["tool_name"];
  if (typeof tool !== "string") return "";
  const text = `${tool} ${JSON.stringify(payload["tool_input"] ?? {})}`.replaceAll("\n", " ");
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
