import type { RunStep } from "../../engine/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { ApiFailureLine, TaskIdentity } from "../agent-event.ts";
import type { AgentEvent } from "../internal.ts";
import { printedResult } from "../session/agent-result.ts";
import { apiMessage } from "../session/journal.ts";
import { partialLines } from "./partial-lines.ts";

/** What the stream includes in addition to messages and results. */
export interface StreamOptions {
  readonly hookEvents: boolean;
  readonly partialMessages: boolean;
}

/** The facts about the session that the lines need. */
export interface StreamContext {
  readonly cwd: string;
  readonly version: string;
  readonly permissionMode: () => string;
  readonly sessionId: () => string;
  readonly uuid: () => string;
  readonly now: () => number;
}

type Line = Readonly<Record<string, unknown>>;

/** Converts the events of a run to the lines of `--output-format stream-json`, in the client's format. */
export function streamLines(context: StreamContext, options: StreamOptions): (event: AgentEvent) => readonly Line[] {
  const hookIds = new Map<string, string>();
  const partial = partialLines();
  let init: Line | undefined;

  const ids = () => ({ session_id: context.sessionId(), uuid: context.uuid() });

  /** Puts the init line before the first line about the model's work. */
  function withInit(lines: readonly Line[]): readonly Line[] {
    if (init === undefined || lines.length === 0) return lines;
    const first = init;
    init = undefined;
    return [first, ...lines];
  }

  function hookLine(event: Extract<AgentEvent, { kind: "hook" }>): readonly Line[] {
    if (!options.hookEvents || hiddenEvents.has(event.event)) return [];
    const hookId = hookIds.get(event.runId) ?? context.uuid();
    hookIds.set(event.runId, hookId);
    const hook = { hook_id: hookId, hook_name: event.hookName, hook_event: event.event };
    if (event.step.kind === "started") return [{ type: "system", subtype: "hook_started", ...hook, ...ids() }];
    hookIds.delete(event.runId);
    return [{ type: "system", subtype: "hook_response", ...hook, ...responseOf(event.step), ...ids() }];
  }

  /** Reports progress only between the lines about a hook's start and end. */
  function progressLine({ runId, hookName, event, stdout, stderr }: Extract<AgentEvent, { kind: "hook-progress" }>) {
    const hookId = hookIds.get(runId);
    if (hookId === undefined) return [];
    const hook = { hook_id: hookId, hook_name: hookName, hook_event: event };
    return [{ type: "system", subtype: "hook_progress", ...hook, stdout, stderr, output: stdout + stderr, ...ids() }];
  }

  return (event) => {
    switch (event.kind) {
      case "init":
        init = initLine(event, context, ids());
        return [];
      case "hook":
        return hookLine(event);
      case "hook-progress":
        return progressLine(event);
      case "assistant":
        return withInit([assistantLine(event, context, ids())]);
      case "user":
        return withInit([userLine(event, context, ids())]);
      case "task":
        return withInit(taskLines(event, context).map((line) => ({ ...line, ...ids() })));
      case "denied": {
        const { tool, toolUseId, message } = event;
        const about = { tool_name: tool, tool_use_id: toolUseId, message };
        return withInit([{ type: "system", subtype: "permission_denied", ...about, ...ids() }]);
      }
      case "partial":
        if (!options.partialMessages) return [];
        return withInit(
          partial(event.event).map((inner) => ({
            type: "stream_event",
            event: inner,
            parent_tool_use_id: null,
            ...ids(),
          })),
        );
      case "retry": {
        const { attempt, tries, waitMs, error } = event.retry;
        const about = {
          attempt,
          max_retries: tries,
          retry_delay_ms: waitMs,
          error_status: error.status ?? null,
          error: error.message,
        };
        return [{ type: "system", subtype: "api_retry", ...about, ...ids() }];
      }
      case "compacted": {
        const compact_metadata = { trigger: event.trigger, pre_tokens: event.preTokens, post_tokens: event.postTokens };
        return [{ type: "system", subtype: "compact_boundary", compact_metadata, ...ids() }];
      }
      case "result":
        return withInit([printedResult(event.result)]);
      default:
        return [];
    }
  };
}

/** Events whose hooks the client does not show in the stream. */
const hiddenEvents: ReadonlySet<string> = new Set(["InstructionsLoaded", "SessionEnd"]);

function initLine(event: Extract<AgentEvent, { kind: "init" }>, context: StreamContext, ids: Line): Line {
  return {
    type: "system",
    subtype: "init",
    cwd: context.cwd,
    session_id: ids["session_id"],
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
    uuid: ids["uuid"],
  };
}

function responseOf({ record }: Extract<RunStep, { kind: "ended" }>): Line {
  const { stdout, stderr, ended, answer } = record;
  const exit_code = ended.by === "exit" ? ended.code : ended.by === "http" ? ended.status : undefined;
  const cancelled = ended.by === "timeout" || ended.by === "cancelled";
  const failed = answer?.failure !== undefined || (ended.by === "exit" && ended.code !== 0);
  const outcome = cancelled ? "cancelled" : failed ? "error" : "success";
  return { output: stdout + stderr, stdout, stderr, ...(exit_code === undefined ? {} : { exit_code }), outcome };
}

function assistantLine(event: Extract<AgentEvent, { kind: "assistant" }>, { now }: StreamContext, ids: Line): Line {
  const { answer, block, uuid, parentToolUseId, agent, failure } = event;
  const { stop_details: _, ...message } = apiMessage(answer, [block]);
  const stop_reason = failure === undefined ? null : answer.stopReason;
  return {
    type: "assistant",
    message: { ...message, stop_reason, context_management: null },
    parent_tool_use_id: parentToolUseId,
    ...(agent === undefined ? {} : { agent_id: agent.id }),
    session_id: ids["session_id"],
    uuid,
    timestamp: new Date(now()).toISOString(),
    request_id: answer.requestId ?? `req_${answer.id}`,
    ...(failure === undefined ? {} : failureFields(failure)),
    ...ofTask(agent),
  };
}

function failureFields({ error, status, type }: ApiFailureLine): Line {
  return { error, is_api_error_message: true, ...defined({ api_error_status: status, api_error_type: type }) };
}

function userLine(event: Extract<AgentEvent, { kind: "user" }>, { now }: StreamContext, ids: Line): Line {
  const { content, uuid, toolUseResult, synthetic, parentToolUseId, agent } = event;
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: parentToolUseId,
    ...(agent === undefined ? {} : { agent_id: agent.id }),
    session_id: ids["session_id"],
    uuid,
    timestamp: new Date(now()).toISOString(),
    ...(synthetic === true ? { isSynthetic: true } : {}),
    ...(toolUseResult === undefined ? {} : { tool_use_result: toolUseResult }),
    ...ofTask(agent),
  };
}

/** The additional fields on the lines of a subagent. */
function ofTask(agent: TaskIdentity | undefined): Line {
  return agent === undefined ? {} : { subagent_type: agent.type, task_description: agent.description };
}

function taskLines(
  { step, task, toolUseId }: Extract<AgentEvent, { kind: "task" }>,
  { now }: StreamContext,
): readonly Line[] {
  const taskIds = { task_id: task.id, tool_use_id: toolUseId };
  const system = (subtype: string, fields: Line): Line => ({ type: "system", subtype, ...fields });
  if (step.is === "started")
    return [
      system("task_started", {
        ...taskIds,
        description: task.description,
        subagent_type: task.type,
        is_backgrounded: step.background,
        spawn_depth: step.depth,
        task_type: "local_agent",
        prompt: step.prompt,
      }),
    ];
  const { tokens, toolUses, durationMs } = step.usage;
  const usage = { total_tokens: tokens, tool_uses: toolUses, duration_ms: durationMs };
  if (step.is === "progress")
    return [
      system("task_progress", {
        ...taskIds,
        description: step.about,
        subagent_type: task.type,
        usage,
        last_tool_name: step.tool,
      }),
    ];
  return [
    system("task_updated", { task_id: task.id, patch: { status: step.status, end_time: now() } }),
    system("task_notification", {
      ...taskIds,
      status: step.status,
      output_file: step.file,
      summary: step.summary,
      usage,
    }),
  ];
}
