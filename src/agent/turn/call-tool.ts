import type { ToolResultBlock, ToolUseBlock } from "../../models/internal.ts";
import { defined, type Outcome, type ToolInput } from "../../protocol/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { asToolUseError, checkToolInput, fitsResponse } from "../tools/check-tool-input.ts";
import {
  callInterrupted,
  type Tool,
  type ToolContent,
  type ToolResult,
  type ToolSuccess,
  toolError,
  toolSuccess,
} from "../tools/tool.ts";
import { noticeMissingKey } from "../world/provider-keys.ts";
import type { Attachment } from "./attachments.ts";
import { type CallDecision, decide, fireForCall, type PendingCall } from "./decide.ts";
import { toolContext } from "./tool-context.ts";

/** The end of one tool call. */
export interface ToolCallEnd {
  readonly call: ToolUseBlock;
  /** The effective input, also of a call that did not run. */
  readonly input: ToolInput;
  readonly result: ToolResultBlock;
  /** The structured result, for the transcript. */
  readonly toolUseResult: unknown;
  readonly notes: readonly Attachment[];
  /** Why a hook ends the turn before the next model call. */
  readonly stop?: string;
  /** The call waits for a later run; it has no result. */
  readonly deferred?: boolean;
  /** The answer to the permission question ended the turn. */
  readonly interrupt?: boolean;
  /** A message for the model after the results of the batch. */
  readonly after?: string;
}

/**
 * Calls a tool. Every call takes this path: validate → PreToolUse → rules on the effective input → question or refusal →
 * run → PostToolUse or PostToolUseFailure. Contract: a failing tool, a hook, the user and an abort lead to a result, never to an error.
 */
export async function callTool(thread: AgentThread, call: ToolUseBlock, signal: AbortSignal): Promise<ToolCallEnd> {
  const tool = thread.tools().find(({ name }) => name === call.name);
  if (tool === undefined)
    return errorEnd(call, call.input, asToolUseError(`Error: No such tool available: ${call.name}`));
  const notes: Attachment[] = [];
  const context = toolContext(thread, call.id, signal, notes);
  const checked = await checkToolInput(tool, call.input, context);
  if (!checked.ok) return errorEnd(call, call.input, checked.message);
  const { input } = checked;
  const pending: PendingCall = { thread, call, tool, context, notes };
  try {
    signal.throwIfAborted();
    const before = await fireForCall(pending, "PreToolUse", { tool_input: input, tool_use_id: call.id });
    const effective =
      before.updatedInput === undefined ? checked : await checkToolInput(tool, before.updatedInput, context);
    if (!effective.ok) {
      const message = `PreToolUse hook for ${call.name} returned updatedInput that failed schema validation`;
      return errorEnd(call, input, message, notes);
    }
    const decision = await decide(pending, effective.input, before);
    signal.throwIfAborted();
    if (decision.kind === "run") return await runTool(pending, decision, before);
    if (decision.kind === "refused") return refused(pending, effective.input, decision);
    const hookName = `PreToolUse:${call.name}`;
    notes.push({ type: "hook_deferred_tool", toolUseID: call.id, hookName, hookEvent: "PreToolUse" });
    return { ...errorEnd(call, effective.input, "", notes), deferred: true };
  } catch (error) {
    if (!signal.aborted) throw error;
    return interruptedEnd({ call, input, notes });
  }
}

/** The end of a call that an interrupt ended before it ran. */
export function interruptedEnd({ call, input, notes }: Pick<ToolCallEnd, "call" | "input" | "notes">): ToolCallEnd {
  return errorEnd(call, input, callInterrupted, notes);
}

/** The end of a call whose input is not a JSON object, in the format of a schema error. */
export function invalidInput(call: ToolUseBlock): ToolCallEnd {
  const message = `InputValidationError: the input of ${call.name} is not a JSON object`;
  return errorEnd(call, call.input, asToolUseError(message));
}

async function runTool(
  pending: PendingCall,
  { input, judgement, stop: stopBefore }: Extract<CallDecision, { kind: "run" }>,
  before: Outcome,
): Promise<ToolCallEnd> {
  const { thread, call, tool, context, notes } = pending;
  const { clock } = thread.session.options;
  const startedAt = clock.now();
  // The tool opens the paths as they were judged, so that they are resolved only once.
  const judgedPaths = new Map(judgement.paths.map(({ given, resolved }) => [given, resolved]));
  const ran = await tool
    .run(input, { ...context, judgedPaths })
    .catch((error: unknown) => toolError(error instanceof Error ? error.message : String(error)));
  const result = withKeyNotice(thread, input, ran);
  const about = {
    tool_input: input,
    ...(result.isError ? {} : { tool_response: result.response }),
    tool_use_id: call.id,
    ...(result.isError ? { error: result.content, is_interrupt: result.interrupted } : {}),
    duration_ms: Math.round(clock.now() - startedAt),
  };
  // Hooks still run after an interrupt; only the end of the session ends them.
  const signal = result.isError && result.interrupted ? thread.session.signal : context.signal;
  const event = result.isError ? "PostToolUseFailure" : "PostToolUse";
  const after = await fireForCall(pending, event, about, { signal });
  const shown = result.isError ? result : withUpdatedOutput(tool, result, after, notes);
  const stopped = [before, after].find((outcome) => !outcome.continue);
  const stop = stopped === undefined ? stopBefore : (stopped.stopReason ?? "");
  return {
    call,
    input,
    result: resultBlock(
      call.id,
      shown.isError ? shown.content : (shown.content ?? tool.render(shown.response)),
      shown.isError,
    ),
    toolUseResult: shown.isError ? `Error: ${shown.content}` : shown.response,
    notes,
    ...defined({ stop }),
  };
}

/** Adds a notice for the user and the model when a call may have failed because of a key that tools do not get. */
function withKeyNotice({ session }: AgentThread, input: ToolInput, result: ToolResult): ToolResult {
  if (!result.isError) return result;
  const notice = noticeMissingKey(session, `${JSON.stringify(input)}\n${result.content}`);
  return notice === undefined ? result : { ...result, content: `${result.content}\n${notice}` };
}

/** A hook may replace the response of a tool with one of the same shape. */
function withUpdatedOutput(tool: Tool, result: ToolSuccess, after: Outcome, notes: Attachment[]): ToolSuccess {
  if (!("updatedToolOutput" in after.output)) return result;
  const response = after.output.updatedToolOutput;
  if (fitsResponse(tool, response)) return toolSuccess(response);
  const content = `updatedToolOutput of a PostToolUse hook does not have the shape of ${tool.name}'s output; it was dropped.`;
  const hookName = `PostToolUse:${tool.name}`;
  notes.push({ type: "hook_error_during_execution", hookName, hookEvent: "PostToolUse", content });
  return result;
}

function refused(
  { thread: { session }, call, notes }: PendingCall,
  input: ToolInput,
  { message, interrupt, retry, byHook, stop }: Extract<CallDecision, { kind: "refused" }>,
): ToolCallEnd {
  session.permissions.denials.push({ tool_name: call.name, tool_use_id: call.id, tool_input: input });
  if (byHook !== true) session.report({ kind: "denied", tool: call.name, toolUseId: call.id, message });
  return {
    ...errorEnd(call, input, message, notes),
    ...defined({ stop, interrupt }),
    ...(retry === true ? { after: "The PermissionDenied hook indicated you may retry this tool call." } : {}),
  };
}

function errorEnd(
  call: ToolUseBlock,
  input: ToolInput,
  message: string,
  notes: readonly Attachment[] = [],
): ToolCallEnd {
  return { call, input, result: resultBlock(call.id, message, true), toolUseResult: `Error: ${message}`, notes };
}

function resultBlock(id: string, content: ToolContent, isError: boolean): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
}
