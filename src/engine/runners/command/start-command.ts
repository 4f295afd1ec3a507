import { randomUUID } from "node:crypto";
import { closeSync, existsSync } from "node:fs";
import {
  type CommandLine,
  type OnLine,
  type ProcessOptions,
  type RunningProcess,
  runTag,
  startProcess,
} from "../../../exec/internal.ts";
import type { CommandHook, Warning } from "../../../protocol/internal.ts";
import type { HookRun } from "../../fire/firing-event.ts";
import { openDepthMark } from "../../fire/hook-depth.ts";
import type { AnyPayload } from "../../fire/payload.ts";
import type { Environment } from "../../options.ts";
import { remainingMs } from "../run-limits.ts";
import { type RunnerResult, resultNotStarted } from "../runner-result.ts";
import {
  argumentsRefusal,
  argumentsVariable,
  type CommandRun,
  eventVariables,
  fillPlaceholders,
  hookEnvironment,
  type Placeholders,
  placeholderVariables,
} from "./command-env.ts";
import { type AsyncNotice, asyncNotice, type QuestionLine, questionLine, resultOfProcess } from "./command-result.ts";

export type OnBackground = (notice: AsyncNotice) => void;

export interface StartedCommand {
  /** Contract: never rejects; settles at most 3 s after the deadline, whatever the process does. */
  readonly done: Promise<RunnerResult>;
  readonly running: RunningProcess | undefined;
}

/**
 * Starts one command hook and feeds it its payload. `onBackground` is called once when the hook's first line sends the rest into the background; without it such a line is plain output.
 */
export function startCommand(run: CommandRun, onBackground?: OnBackground): StartedCommand {
  const { event, command: hook } = run;
  const refused = refusalOf(run);
  if (refused !== undefined) return refusedStart(refused);
  const filled = fillPlaceholders(hook, placeholdersOf(run));
  if ("refused" in filled) return refusedStart(filled.refused);

  const shared = hookEnvironment(run.hook, event);
  const runId = runIdIn(shared[runTag]);
  const line = commandLine(hook, filled, shared);
  const env = withOwnVariables(shared, run, runId);
  const mark = openDepthMark(event.depth + 1);
  const graceMs = event.row.special.budget?.graceMs;
  const timeoutMs = remainingMs(run);
  const optionsIn = (cwd: string): ProcessOptions => ({
    inherits: mark,
    cwd,
    env,
    tag: { name: runTag, value: runId },
    input: `${run.line}\n`,
    keepInputOpen: hook.interactive === true,
    timeoutMs,
    ...(graceMs === undefined ? {} : { graceMs }),
    reportLeftBehind: true,
    onLine: lineReader(run, () => running, onBackground),
  });
  let running = startProcess(line, optionsIn(String(event.payload["cwd"])));
  // Checked only when nothing could be started: the folder may no longer exist.
  const instead = running.pid === undefined ? folderInstead(run) : undefined;
  if (instead !== undefined) running = startProcess(line, optionsIn(instead.path));
  if (mark !== undefined) closeSync(mark);
  const warnings = instead === undefined ? [] : [instead.warning];
  const done = running.done.then((finished) => resultOfProcess(finished, run, warnings));
  return { done, running };
}

/** A plugin whose folder no longer exists must not start a shell: "not found" could be read as a block. */
function refusalOf({ command, hook, line }: CommandRun): string | undefined {
  const { plugin } = hook.layer;
  if (plugin !== undefined && !existsSync(plugin.root)) return `the plugin directory ${plugin.root} no longer exists`;
  if (command.command.includes("\0")) return "the command holds a NUL character";
  return argumentsRefusal(command, line);
}

function refusedStart(why: string): StartedCommand {
  const refused: RunnerResult = { ...resultNotStarted(why), failure: `not started: ${why}` };
  return { done: Promise.resolve(refused), running: undefined };
}

function placeholdersOf({ event, hook }: HookRun): Placeholders {
  return { projectDir: event.services.options.cwd, plugin: hook.layer.plugin };
}

/** A run inside a run carries both tags, so that ending the outer one finds the inner one too. */
function runIdIn(outer: string | undefined): string {
  const own = randomUUID();
  return outer ? `${outer}/${own}` : own;
}

function commandLine(
  { shell }: CommandHook,
  { command, args }: Pick<CommandHook, "command" | "args">,
  env: Environment,
): CommandLine {
  if (args !== undefined) return { form: "exec", file: command, args };
  if (shell === "powershell") return { form: "powershell", command };
  const prefix = env["CLAUDE_CODE_SHELL_PREFIX"];
  return { form: "shell", command: prefix ? `${prefix} '${command.replaceAll("'", `'\\''`)}'` : command };
}

/** Where a hook runs when its folder no longer exists; undefined when it exists. */
function folderInstead({ event, hook }: HookRun): { path: string; warning: Warning } | undefined {
  const wanted = String(event.payload["cwd"]);
  if (existsSync(wanted)) return undefined;
  const { cwd: projectDir, home } = event.services.options;
  const path = existsSync(projectDir) ? projectDir : home;
  const message = `The directory ${wanted} no longer exists; the hook ran in ${path}.`;
  return { path, warning: { code: "cwd-missing", message, place: hook.ref.id } };
}

/** A process's environment includes inherited properties, so what all hooks share is not copied. */
function withOwnVariables(shared: Environment, run: CommandRun, runId: string): Environment {
  const { payload, depth } = run.event;
  return Object.assign(
    Object.create(shared),
    placeholderVariables(placeholdersOf(run)),
    eventVariables(run.hook.ref, payload, depth),
    argumentsVariable(run.command, run.line),
    run.files.variables,
    { [runTag]: runId },
  );
}

/** Reads stdout as it comes: the first line may send the run into the background, any line of an interactive hook may ask. */
function lineReader(run: CommandRun, running: () => RunningProcess, onBackground: OnBackground | undefined): OnLine {
  let first = true;
  return (line, whole) => {
    if (first) {
      const notice = onBackground && asyncNotice(line);
      if (notice) {
        first = false;
        onBackground(notice);
        return "take";
      }
      if (!whole && line.trimStart().startsWith("{")) return "keep";
      if (line.trim() !== "") first = false;
    }
    if (!run.command.interactive) return first ? "keep" : "keep-all";
    const question = whole ? questionLine(line) : undefined;
    if (question === undefined) return "keep";
    void answerQuestion(question, run, running());
    return "take";
  };
}

/** The hook's deadline is paused while the user decides; the question of a hook that has exited is dropped. */
async function answerQuestion(question: QuestionLine, run: HookRun, running: RunningProcess): Promise<void> {
  const { event, hook } = run;
  const gone = new AbortController();
  void running.done.then(() => gone.abort());
  running.pauseDeadline();
  const asked = { ...question, hook: hook.ref, summary: summaryOf(event.payload) };
  const selected = await event.services.ask(asked, gone.signal);
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
