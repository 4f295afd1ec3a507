import { wrapContext } from "../../engine/internal.ts";
import { eventRow, isEventName, type Outcome, type RunRecord } from "../../protocol/internal.ts";

/** Something beside what was said, in the spelling of transcripts: what hooks answered, what arrived meanwhile. */
export type Attachment = Readonly<Record<string, unknown>> & { readonly type: string };

/** Which occasion hooks ran for. */
export interface AttachmentSource {
  readonly event: string;
  /** `PreToolUse:Bash`, `SessionStart:startup`, `Stop`. */
  readonly hookName: string;
  /** The tool call, or an id of its own for events that have none. */
  readonly toolUseID: string;
}

/** What a transcript keeps of an outcome: one record per thing said. Silent hooks and refused tool calls leave none. */
export function attachmentsOf(outcome: Outcome, { event, hookName, toolUseID }: AttachmentSource): Attachment[] {
  const common = { hookName, toolUseID, hookEvent: event };
  const refusesTools = eventRow(event).decisions.includes("ask");
  return outcome.runs
    .filter(({ background }) => !background)
    .flatMap((record) => {
      const { answer, verdict, hook } = record;
      const of = (type: string, fields: object): Attachment => ({ type, ...common, ...fields });
      const notes: Attachment[] = [];
      const ended = endingOf(record);
      if (ended !== undefined) notes.push(of(ended.type, ended.fields));
      else if (verdict.kind === "deny" && !refusesTools) {
        const blockingError = withHookName(record, verdict.reason);
        notes.push(of("hook_blocking_error", { blockingError: { blockingError, command: hook.name } }));
      } else if (verdict.kind !== "deny" && (record.stdout !== "" || record.stderr !== "")) {
        const content = plainOf(record);
        notes.push(of("hook_success", { content, ...processFields(record) }));
      }
      const context = plainOf(record) === "" ? (answer?.context ?? []) : [];
      if (context.length > 0) notes.push(of("hook_additional_context", { content: context }));
      for (const content of answer?.messages ?? []) notes.push(of("hook_system_message", { content }));
      if (answer?.stop !== undefined && !outcome.continue)
        notes.push(of("hook_stopped_continuation", { message: answer.stop.reason ?? "" }));
      return notes;
    });
}

/** A failed or timed-out run, as the transcript calls it. */
function endingOf(record: RunRecord): { type: string; fields: object } | undefined {
  if (record.ended.by === "timeout") {
    return { type: "hook_cancelled", fields: { timedOut: true, timeoutMs: record.ended.afterMs } };
  }
  const failure = record.answer?.failure;
  if (failure === undefined) return undefined;
  return { type: "hook_non_blocking_error", fields: { ...processFields(record), stderr: record.stderr || failure } };
}

function processFields({ stdout, stderr, ended, hook, durationMs }: RunRecord): object {
  const exitCode = ended.by === "exit" ? ended.code : ended.by === "http" ? ended.status : 0;
  return { stdout, stderr, exitCode, command: hook.name, durationMs: Math.round(durationMs) };
}

/** Plain text that the event passes on as context, shortened where it was long; empty for JSON answers. */
function plainOf({ stdout, answer }: RunRecord): string {
  return /^[\s\ufeff]*\{/.test(stdout) ? "" : (answer?.context ?? []).join("\n");
}

/** A reason with the program that gave it, where the reason is what a program wrote to stderr. */
export function withHookName({ ended, hook, stdout }: RunRecord, reason: string): string {
  const byExit = ended.by === "exit" && ended.code === 2 && !/^[\s\ufeff]*\{/.test(stdout);
  return byExit ? `[${hook.name}]: ${reason}` : reason;
}

/** The reason of a refusal, worded as its own hook's. */
export function refusalText(outcome: Outcome): string {
  const record = outcome.runs.find(({ verdict }) => verdict.kind === "deny");
  const reason = outcome.reason ?? "";
  return record?.verdict.kind === "deny" && record.verdict.reason === reason ? withHookName(record, reason) : reason;
}

/** The text for the model; undefined when an attachment is only for the user or the record. The same live and after a resume. */
export function textForModel(attachment: Attachment): string | undefined {
  const text = hookTextOf(attachment) ?? "";
  return text === "" ? otherTextOf(attachment) : wrapContext(text, "system-reminder");
}

/** News and instructions come whole: they are no hook's words, and bounded where they come from. */
function otherTextOf({ type, prompt, content }: Attachment): string | undefined {
  if (type === "queued_command" && typeof prompt === "string") return prompt;
  if (type !== "nested_memory" || typeof content !== "object" || content === null) return undefined;
  const { path, content: text } = content as Readonly<Record<string, unknown>>;
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
    case "async_hook_response":
      return textsIn(asyncTexts(fields["response"])).join("\n");
    default:
      return undefined;
  }
}

function asyncTexts(response: unknown): unknown {
  const { systemMessage, hookSpecificOutput } = (response ?? {}) as Record<string, unknown>;
  return [((hookSpecificOutput ?? {}) as Record<string, unknown>)["additionalContext"], systemMessage];
}

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
}
