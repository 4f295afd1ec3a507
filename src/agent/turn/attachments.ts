import { wrapContext } from "../../engine/internal.ts";
import { eventRow, fieldOf, isEventName, isObject, type Outcome, type RunRecord } from "../../protocol/internal.ts";

/** An addition to the conversation in the format of transcripts: a hook's answer, a notification, instructions. */
export type Attachment = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The attachments of an outcome: one per message of a hook. Hooks without output and refused tool calls have none. `hookName` is
 * `PreToolUse:Bash`, `SessionStart:startup` or `Stop`; `toolUseID` is the tool call, or another id for events that have none.
 */
export function attachmentsOf(outcome: Outcome, hookName: string, toolUseID: string): Attachment[] {
  const common = { hookName, toolUseID, hookEvent: outcome.event };
  const refusesTools = eventRow(outcome.event).decisions.includes("ask");
  return outcome.runs
    .filter(({ background }) => !background)
    .flatMap((record) => {
      const { answer, verdict, hook } = record;
      const notes: Attachment[] = [];
      const add = (type: string, fields: object): void => void notes.push({ type, ...common, ...fields });
      const failure = failureOf(record);
      const plain = plainOf(record);
      if (failure !== undefined) add(failure.type, failure.fields);
      else if (verdict.kind === "deny" && !refusesTools) {
        const blockingError = withHookName(record, verdict.reason);
        add("hook_blocking_error", { blockingError: { blockingError, command: hook.name } });
      } else if (verdict.kind !== "deny" && (record.stdout !== "" || record.stderr !== ""))
        add("hook_success", { content: plain, ...processFields(record) });
      const context = plain === "" ? (answer?.context ?? []) : [];
      if (context.length > 0) add("hook_additional_context", { content: context });
      for (const content of answer?.messages ?? []) add("hook_system_message", { content });
      if (answer?.stop !== undefined && !outcome.continue)
        add("hook_stopped_continuation", { message: answer.stop.reason ?? "" });
      return notes;
    });
}

/** The attachment of a failed or timed-out run. */
function failureOf(record: RunRecord): { type: string; fields: object } | undefined {
  if (record.ended.by === "timeout") {
    return { type: "hook_cancelled", fields: { timedOut: true, timeoutMs: record.ended.afterMs } };
  }
  const failure = record.answer?.failure;
  if (failure === undefined) return undefined;
  return { type: "hook_non_blocking_error", fields: { ...processFields(record), stderr: record.stderr || failure } };
}

function processFields(record: RunRecord): object {
  const { stdout, stderr, hook, durationMs } = record;
  const exitCode = exitCodeOf(record) ?? 0;
  return { stdout, stderr, exitCode, command: hook.name, durationMs: Math.round(durationMs) };
}

/** The exit code of a program, or the status of an HTTP response. */
export function exitCodeOf({ ended }: RunRecord): number | undefined {
  if (ended.by === "http") return ended.status;
  return ended.by === "exit" ? ended.code : undefined;
}

/** Whether a hook failed, or its program exited with an error. */
export function isFailedRun({ answer, ended }: RunRecord): boolean {
  return answer?.failure !== undefined || (ended.by === "exit" && ended.code !== 0);
}

/** The plain text output that became context; empty for JSON answers. */
function plainOf({ stdout, answer }: RunRecord): string {
  return /^[\s\ufeff]*\{/.test(stdout) ? "" : (answer?.context ?? []).join("\n");
}

/** Prefixes a reason with the hook's name if it is the stderr of a program. */
function withHookName({ ended, hook, stdout }: RunRecord, reason: string): string {
  const byExit = ended.by === "exit" && ended.code === 2 && !/^[\s\ufeff]*\{/.test(stdout);
  return byExit ? `[${hook.name}]: ${reason}` : reason;
}

/** The reason of a refusal, with the name of its hook where it has one. */
export function refusalText(outcome: Outcome): string {
  const record = outcome.runs.find(({ verdict }) => verdict.kind === "deny");
  const reason = outcome.reason ?? "";
  return record?.verdict.kind === "deny" && record.verdict.reason === reason ? withHookName(record, reason) : reason;
}

/** The text for the model; undefined when an attachment is not for the model. It is the same live and after a resume. */
export function textForModel(attachment: Attachment): string | undefined {
  const text = hookTextOf(attachment) ?? "";
  return text === "" ? otherTextOf(attachment) : wrapContext(text, "system-reminder");
}

/** Notifications and instructions are not shortened: their sources limit them. */
function otherTextOf({ type, prompt, content }: Attachment): string | undefined {
  if (type === "queued_command" && typeof prompt === "string") return prompt;
  if (type !== "nested_memory" || !isObject(content)) return undefined;
  const { path, content: text } = content;
  const whole = `Contents of ${String(path)}:\n\n${String(text)}`.replace(/<(?=\s*\/?\s*system-reminder)/gi, "&lt;");
  return `<system-reminder>\n${whole}\n</system-reminder>`;
}

function hookTextOf({ type, hookName, hookEvent, ...fields }: Attachment): string | undefined {
  const row = typeof hookEvent === "string" && isEventName(hookEvent) ? eventRow(hookEvent) : undefined;
  switch (type) {
    case "hook_success":
      if (row?.onText !== "context" || !fields["content"]) return undefined;
      return `${hookName} hook success: ${fields["content"]}`;
    case "hook_additional_context":
      return `${hookName} hook additional context: ${textsIn(fields["content"]).join("\n")}`;
    case "hook_blocking_error": {
      if (row?.onBlock !== "feedback") return undefined;
      const { blockingError, command } = (fields["blockingError"] ?? {}) as Record<string, unknown>;
      return `${hookName} hook blocking error from command: "${command}": ${blockingError}`;
    }
    case "async_hook_response": {
      const { hookSpecificOutput, systemMessage } = Object(fields["response"]) as Record<string, unknown>;
      return textsIn([fieldOf(hookSpecificOutput, "additionalContext"), systemMessage]).join("\n");
    }
    default:
      return undefined;
  }
}

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
}
