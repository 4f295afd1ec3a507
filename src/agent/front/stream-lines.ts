import type { RunStep } from "../../engine/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { ApiFailureLine, TaskIdentity } from "../agent-event.ts";
import type { AgentEvent } from "../internal.ts";
import { printedResult } from "../session/agent-result.ts";
import { apiMessage } from "../session/journal.ts";
import { partialLines } from "./partial-lines.ts";

/** What the stream is to hold beside messages and results. */
export interface StreamOptions {
  readonly hookEvents: boolean;
  readonly partialMessages: boolean;
}

/** What a stream says of the session at its beginning. */
export interface StreamContext {
  readonly cwd: string;
  readonly version: string;
  readonly permissionMode: () => string;
  readonly sessionId: () => string;
  readonly uuid: () => string;
  readonly now: () => number;
}

type Line = Readonly<Record<string, unknown>>;

/** Turns what happens in a run into the lines of `--output-format stream-json`, in the client's spelling. */
export function streamLines(place: StreamContext, wishes: StreamOptions): (event: AgentEvent) => readonly Line[] {
  const hookIds = new Map<string, string>();
  const partial = partialLines();
  let init: Line | undefined;

  const own = () => ({ session_id: place.sessionId(), uuid: place.uuid() });

  /** The first line that shows the model at work is preceded by what it works with. */
  function withInit(lines: readonly Line[]): readonly Line[] {
    if (init === undefined || lines.length === 0) return lines;
    const first = init;
    init = undefined;
    return [first, ...lines];
  }

  function hookLine(event: Extract<AgentEvent, { kind: "hook" }>): readonly Line[] {
    if (!wishes.hookEvents || quiet.has(event.event)) return [];
    const hookId = hookIds.get(event.runId) ?? place.uuid();
    hookIds.set(event.runId, hookId);
    const named = { hook_id: hookId, hook_name: event.hookName, hook_event: event.event };
    if (event.step.kind === "started") return [{ type: "system", subtype: "hook_started", ...named, ...own() }];
    hookIds.delete(event.runId);
    return [{ type: "system", subtype: "hook_response", ...named, ...responseOf(event.step), ...own() }];
  }

  /** Only between the lines that say that a hook began and ended. */
  function progressLine({ runId, hookName, event, stdout, stderr }: Extract<AgentEvent, { kind: "hook-progress" }>) {
    const hookId = hookIds.get(runId);
    if (hookId === undefined) return [];
    const named = { hook_id: hookId, hook_name: hookName, hook_event: event };
    const printed = { stdout, stderr, output: stdout + stderr };
    return [{ type: "system", subtype: "hook_progress", ...named, ...printed, ...own() }];
  }

  return (event) => {
    switch (event.kind) {
      case "init":
        init = initLine(event, place, own());
        return [];
      case "hook":
        return hookLine(event);
      case "hook-progress":
        return progressLine(event);
      case "assistant":
        return withInit([assistantLine(event, place, own())]);
      case "user":
        return withInit([userLine(event, place, own())]);
      case "task":
        return withInit(taskLines(event, place).map((line) => ({ ...line, ...own() })));
      case "denied": {
        const { tool, toolUseId, message } = event;
        const about = { tool_name: tool, tool_use_id: toolUseId, message };
        return withInit([{ type: "system", subtype: "permission_denied", ...about, ...own() }]);
      }
      case "partial":
        if (!wishes.partialMessages) return [];
        return withInit(
          partial(event.event).map((inner) => ({
            type: "stream_event",
            event: inner,
            parent_tool_use_id: null,
            ...own(),
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
        return [{ type: "system", subtype: "api_retry", ...about, ...own() }];
      }
      case "compacted": {
        const compact_metadata = { trigger: event.trigger, pre_tokens: event.preTokens, post_tokens: event.postTokens };
        return [{ type: "system", subtype: "compact_boundary", compact_metadata, ...own() }];
      }
      case "result":
        return withInit([printedResult(event.result)]);
      default:
        return [];
    }
  };
}

/** Events whose hooks the client does not show in the stream. */
const quiet: ReadonlySet<string> = new Set(["InstructionsLoaded", "SessionEnd"]);

function initLine(event: Extract<AgentEvent, { kind: "init" }>, place: StreamContext, own: Line): Line {
  return {
    type: "system",
    subtype: "init",
    cwd: place.cwd,
    session_id: own["session_id"],
    tools: event.tools,
    mcp_servers: event.mcpServers,
    model: event.model,
    permissionMode: place.permissionMode(),
    slash_commands: event.commands,
    apiKeySource: event.apiKeySource,
    hookline_version: place.version,
    output_style: "default",
    agents: event.subagents,
    skills: event.skills,
    plugins: event.plugins,
    uuid: own["uuid"],
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

function assistantLine(event: Extract<AgentEvent, { kind: "assistant" }>, { now }: StreamContext, own: Line): Line {
  const { answer, block, uuid, parentToolUseId, agent, failure } = event;
  const { stop_details: _, ...message } = apiMessage(answer, [block]);
  const stop_reason = failure === undefined ? null : answer.stopReason;
  return {
    type: "assistant",
    message: { ...message, stop_reason, context_management: null },
    parent_tool_use_id: parentToolUseId,
    ...(agent === undefined ? {} : { agent_id: agent.id }),
    session_id: own["session_id"],
    uuid,
    timestamp: new Date(now()).toISOString(),
    request_id: answer.requestId ?? `req_${answer.id}`,
    ...(failure === undefined ? {} : failureFields(failure)),
    ...ofTask(agent),
  };
}

function failureFields({ error, status, type }: ApiFailureLine): Line {
  const api = {
    ...defined({ api_error_status: status, api_error_type: type }),
  };
  return { error, is_api_error_message: true, ...api };
}

function userLine(event: Extract<AgentEvent, { kind: "user" }>, { now }: StreamContext, own: Line): Line {
  const { content, uuid, toolUseResult, synthetic, parentToolUseId, agent } = event;
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: parentToolUseId,
    ...(agent === undefined ? {} : { agent_id: agent.id }),
    session_id: own["session_id"],
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
  const named = { task_id: task.id, tool_use_id: toolUseId };
  const system = (subtype: string, fields: Line): Line => ({ type: "system", subtype, ...fields });
  if (step.is === "started")
    return [
      system("task_started", {
        ...named,
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
        ...named,
        description: step.about,
        subagent_type: task.type,
        usage,
        last_tool_name: step.tool,
      }),
    ];
  return [
    system("task_updated", { task_id: task.id, patch: { status: step.status, end_time: now() } }),
    system("task_notification", {
      ...named,
      status: step.status,
      output_file: step.file,
      summary: step.summary,
      usage,
    }),
  ];
}
