import type { RunStep } from "../../engine/internal.ts";
import { type AgentResult, defined } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import { apiMessage } from "../session/journal.ts";
import { exitCodeOf, isFailedRun } from "../turn/attachments.ts";
import { partialLines } from "./partial-lines.ts";

/** What the lines need to know about the session, and what the stream includes in addition to messages and results. */
export interface StreamContext {
  readonly cwd: string;
  readonly version: string;
  readonly permissionMode: () => string;
  readonly sessionId: () => string;
  readonly uuid: () => string;
  readonly now: () => number;
  readonly hookEvents: boolean;
  readonly partialMessages: boolean;
}

type Line = Readonly<Record<string, unknown>>;
type EventOf<Kind extends AgentEvent["kind"]> = Extract<AgentEvent, { kind: Kind }>;

/** Converts the events of a run to the lines of `--output-format stream-json`, in Claude Code's format. */
export function streamLines(context: StreamContext): (event: AgentEvent) => readonly Line[] {
  const hookIds = new Map<string, string>();
  const partial = partialLines();
  let init: Line | undefined;

  const ids = () => ({ session_id: context.sessionId(), uuid: context.uuid() });
  const system = (subtype: string, fields: Line): Line => ({ type: "system", subtype, ...fields, ...ids() });

  /** Puts the init line before the first line about the model's work. */
  function withInit(lines: readonly Line[]): readonly Line[] {
    if (init === undefined || lines.length === 0) return lines;
    const first = init;
    init = undefined;
    return [first, ...lines];
  }

  function hookLine({ event, runId, hookName, step }: EventOf<"hook">): readonly Line[] {
    if (!context.hookEvents || hiddenEvents.has(event)) return [];
    const hookId = hookIds.get(runId) ?? context.uuid();
    const hook = { hook_id: hookId, hook_name: hookName, hook_event: event };
    if (step.kind === "started") {
      hookIds.set(runId, hookId);
      return [system("hook_started", hook)];
    }
    hookIds.delete(runId);
    return [system("hook_response", { ...hook, ...responseOf(step) })];
  }

  /** Reports progress only between the lines about a hook's start and end. */
  function progressLine({ runId, hookName, event, stdout, stderr }: EventOf<"hook-progress">): readonly Line[] {
    const hookId = hookIds.get(runId);
    if (hookId === undefined) return [];
    const hook = { hook_id: hookId, hook_name: hookName, hook_event: event };
    return [system("hook_progress", { ...hook, stdout, stderr, output: stdout + stderr })];
  }

  function messageLine(event: EventOf<"assistant" | "user">, message: Line, own: Line): Line {
    const { kind, agent, uuid, parentToolUseId } = event;
    return {
      type: kind,
      message,
      parent_tool_use_id: parentToolUseId,
      ...defined({ agent_id: agent?.id }),
      session_id: context.sessionId(),
      uuid,
      timestamp: new Date(context.now()).toISOString(),
      ...own,
      ...defined({ subagent_type: agent?.type, task_description: agent?.description }),
    };
  }

  function assistantLine(event: EventOf<"assistant">): Line {
    const { answer, block, failure } = event;
    const { stop_details: _, ...message } = apiMessage(answer, [block]);
    const stop_reason = failure === undefined ? null : answer.stopReason;
    return messageLine(
      event,
      { ...message, stop_reason, context_management: null },
      {
        request_id: answer.requestId ?? `req_${answer.id}`,
        ...(failure === undefined ? {} : { error: failure.error, is_api_error_message: true }),
        ...defined({ api_error_status: failure?.status, api_error_type: failure?.type }),
      },
    );
  }

  function userLine(event: EventOf<"user">): Line {
    const { content, toolUseResult, synthetic } = event;
    const isSynthetic = synthetic === true ? true : undefined;
    return messageLine(event, { role: "user", content }, defined({ isSynthetic, tool_use_result: toolUseResult }));
  }

  function taskLines({ step, task, toolUseId }: EventOf<"task">): readonly Line[] {
    const taskIds = { task_id: task.id, tool_use_id: toolUseId };
    if (step.is === "started") {
      const { prompt, background: is_backgrounded, depth: spawn_depth } = step;
      const about = { description: task.description, subagent_type: task.type, is_backgrounded, spawn_depth };
      return [system("task_started", { ...taskIds, ...about, task_type: "local_agent", prompt })];
    }
    const { tokens, toolUses, durationMs } = step.usage;
    const usage = { total_tokens: tokens, tool_uses: toolUses, duration_ms: durationMs };
    if (step.is === "progress") {
      const about = { description: step.about, subagent_type: task.type, usage, last_tool_name: step.tool };
      return [system("task_progress", { ...taskIds, ...about })];
    }
    const { status, file, summary } = step;
    return [
      system("task_updated", { task_id: task.id, patch: { status, end_time: context.now() } }),
      system("task_notification", { ...taskIds, status, output_file: file, summary, usage }),
    ];
  }

  return (event) => {
    switch (event.kind) {
      case "init":
        init = initLine(event, context);
        return [];
      case "hook":
        return hookLine(event);
      case "hook-progress":
        return progressLine(event);
      case "assistant":
        return withInit([assistantLine(event)]);
      case "user":
        return withInit([userLine(event)]);
      case "task":
        return withInit(taskLines(event));
      case "denied": {
        const { tool, toolUseId, message } = event;
        return withInit([system("permission_denied", { tool_name: tool, tool_use_id: toolUseId, message })]);
      }
      case "partial": {
        const events = context.partialMessages ? partial(event.event) : [];
        return withInit(
          events.map((inner) => ({ type: "stream_event", event: inner, parent_tool_use_id: null, ...ids() })),
        );
      }
      case "retry": {
        const { attempt, tries, waitMs, error } = event.retry;
        const times = { attempt, max_retries: tries, retry_delay_ms: waitMs };
        return [system("api_retry", { ...times, error_status: error.status ?? null, error: error.message })];
      }
      case "compacted": {
        const { trigger, preTokens: pre_tokens, postTokens: post_tokens } = event;
        return [system("compact_boundary", { compact_metadata: { trigger, pre_tokens, post_tokens } })];
      }
      case "result":
        return withInit([printedResult(event.result)]);
      default:
        return [];
    }
  };
}

/** Events whose hooks Claude Code does not show in the stream. */
const hiddenEvents: ReadonlySet<string> = new Set(["InstructionsLoaded", "SessionEnd"]);

function initLine(event: EventOf<"init">, context: StreamContext): Line {
  return {
    type: "system",
    subtype: "init",
    cwd: context.cwd,
    session_id: context.sessionId(),
    tools: event.tools,
    mcp_servers: event.mcpServers,
    model: event.model,
    permissionMode: context.permissionMode(),
    slash_commands: event.commands,
    apiKeySource: event.apiKeySource,
    hookline_version: context.version,
    output_style: "default",
    agents: event.subagents,
    skills: event.skills,
    plugins: event.plugins,
    uuid: context.uuid(),
  };
}

function responseOf({ record }: Extract<RunStep, { kind: "ended" }>): Line {
  const { stdout, stderr, ended } = record;
  const isCancelled = ended.by === "timeout" || ended.by === "cancelled";
  const outcome = isFailedRun(record) ? "error" : "success";
  return {
    output: stdout + stderr,
    stdout,
    stderr,
    ...defined({ exit_code: exitCodeOf(record) }),
    outcome: isCancelled ? "cancelled" : outcome,
  };
}

/**
 * A result as it is printed, with Claude Code's fields: a run that a limit or an interrupt ended has `errors` instead of an answer,
 * and a prompt that a hook dropped has no API status.
 */
export function printedResult(given: AgentResult): Readonly<Record<string, unknown>> {
  const { result, api_error_status, ...printed } = given;
  if (given.subtype !== "success") return printed;
  return { ...printed, result, ...(given.terminal_reason === "prompt_blocked" ? {} : { api_error_status }) };
}
