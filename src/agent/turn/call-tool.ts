import type { ToolResultBlock, ToolUseBlock } from "../../models/internal.ts";
import type { Judgement } from "../../permissions/internal.ts";
import type { Outcome, ToolInput } from "../../protocol/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { checkToolInput, fitsResponse, noSuchTool } from "../tools/check-tool-input.ts";
import { type Tool, type ToolContent, type ToolResult, toolError } from "../tools/tool.ts";
import { noticeMissingKey } from "../world/provider-keys.ts";
import type { Attachment } from "./attachments.ts";
import { type CallDecision, decide, type PendingCall } from "./decide.ts";
import { fireAndHold } from "./fire-event.ts";
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
  if (tool === undefined) return errorEnd(call, call.input, noSuchTool(call.name), []);
  const toolUseId = call.id;
  const notes: Attachment[] = [];
  const context = toolContext(thread, toolUseId, signal, notes);
  const checked = await checkToolInput(tool, call.input, context);
  if (!checked.ok) return errorEnd(call, call.input, checked.message, []);
  try {
    const about = { tool_name: tool.name, tool_input: checked.input, tool_use_id: toolUseId };
    const { outcome: before, notes: hookNotes } = await fireAndHold(thread, "PreToolUse", about, { signal, toolUseId });
    notes.push(...hookNotes);
    const effective =
      before.updatedInput === undefined ? checked : await checkToolInput(tool, before.updatedInput, context);
    if (!effective.ok) return errorEnd(call, checked.input, badRewrite(tool), notes);
    const pending: PendingCall = { thread, tool, toolUseId, signal, context };
    const decision = await decide(pending, effective.input, before);
    notes.push(...(decision.notes ?? []));
    switch (decision.kind) {
      case "run":
        return await runTool(pending, call, decision, before, notes);
      case "refused":
        return refused(thread, call, effective.input, decision, notes);
      case "deferred":
        return deferred(call, effective.input, notes);
      case "interrupted":
        return errorEnd(call, checked.input, interrupted, notes);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return errorEnd(call, checked.input, interrupted, notes);
  }
}

/** The end of a call whose input is not a JSON object, in the format of a schema error. */
export function invalidInput(call: ToolUseBlock): ToolCallEnd {
  const message = `<tool_use_error>InputValidationError: the input of ${call.name} is not a JSON object</tool_use_error>`;
  return errorEnd(call, call.input, message, []);
}

/** The result of a call that the user interrupted. */
const interrupted = "[Request interrupted by user for tool use]";

function badRewrite({ name }: Tool): string {
  return `PreToolUse hook for ${name} returned updatedInput that failed schema validation`;
}

async function runTool(
  { thread, tool, toolUseId, signal, context }: PendingCall,
  call: ToolUseBlock,
  { input, judgement, stop: decidedStop }: Extract<CallDecision, { kind: "run" }>,
  before: Outcome,
  notes: Attachment[],
): Promise<ToolCallEnd> {
  const { clock } = thread.session.options;
  const startedAt = clock.now();
  const ran = await tool.run(input, { ...context, judgedPaths: resolvedIn(judgement) }).catch(asToolError);
  const result = withKeyNotice(thread, input, ran);
  const about = {
    tool_name: tool.name,
    tool_input: input,
    ...(result.isError ? {} : { tool_response: result.response }),
    tool_use_id: toolUseId,
    ...(result.isError ? { error: result.content, is_interrupt: result.interrupted } : {}),
    duration_ms: Math.round(clock.now() - startedAt),
  };
  // Hooks still run after an interrupt; only the end of the session ends them.
  const hookSignal = result.isError && result.interrupted ? thread.session.signal : signal;
  const event = result.isError ? "PostToolUseFailure" : "PostToolUse";
  const fired = await fireAndHold(thread, event, about, { signal: hookSignal, toolUseId });
  const { outcome: after } = fired;
  notes.push(...fired.notes);
  const shown = result.isError ? result : withUpdatedOutput(tool, result, after, notes);
  const stopped = [before, after].find((outcome) => !outcome.continue);
  const stop = stopped === undefined ? decidedStop : (stopped.stopReason ?? "");
  return {
    call,
    input,
    result: resultBlock(toolUseId, shown.content, result.isError),
    toolUseResult: shown.isError ? `Error: ${shown.content}` : shown.response,
    notes,
    ...(stop === undefined ? {} : { stop }),
  };
}

/** Adds a notice for the user and the model when a call may have failed because of a key that tools do not get. */
function withKeyNotice({ session }: AgentThread, input: ToolInput, result: ToolResult): ToolResult {
  if (!result.isError || typeof result.content !== "string") return result;
  const notice = noticeMissingKey(session, `${JSON.stringify(input)}\n${result.content}`);
  return notice === undefined ? result : { ...result, content: `${result.content}\n${notice}` };
}

/** The paths as they were judged: the tool opens these, so that they are resolved only once. */
function resolvedIn({ paths }: Judgement): ReadonlyMap<string, string> {
  return new Map(paths.map(({ given, resolved }) => [given, resolved]));
}

function asToolError(error: unknown): ToolResult {
  return toolError(error instanceof Error ? error.message : String(error));
}

/** A hook may replace the response of a tool with one of the same shape. */
function withUpdatedOutput(
  tool: Tool,
  result: Extract<ToolResult, { isError: false }>,
  after: Outcome,
  notes: Attachment[],
) {
  if (!("updatedToolOutput" in after.output)) return result;
  const response = after.output.updatedToolOutput;
  if (fitsResponse(tool, response)) return { ...result, response, content: tool.render(response) };
  const content = `updatedToolOutput of a PostToolUse hook does not have the shape of ${tool.name}'s output; it was dropped.`;
  notes.push({
    type: "hook_error_during_execution",
    hookName: `PostToolUse:${tool.name}`,
    hookEvent: "PostToolUse",
    content,
  });
  return result;
}

function deferred(call: ToolUseBlock, input: ToolInput, notes: readonly Attachment[]): ToolCallEnd {
  const hookName = `PreToolUse:${call.name}`;
  const note = { type: "hook_deferred_tool", toolUseID: call.id, hookName, hookEvent: "PreToolUse" };
  return { ...errorEnd(call, input, "", [...notes, note]), deferred: true };
}

function refused(
  { session }: AgentThread,
  call: ToolUseBlock,
  input: ToolInput,
  { message, stop, interrupt, retry, byHook }: Extract<CallDecision, { kind: "refused" }>,
  notes: readonly Attachment[],
): ToolCallEnd {
  session.permissions.denials.push({ tool_name: call.name, tool_use_id: call.id, tool_input: input });
  if (byHook !== true) session.report({ kind: "denied", tool: call.name, toolUseId: call.id, message });
  return {
    ...errorEnd(call, input, message, notes),
    ...(stop === undefined ? {} : { stop }),
    ...(interrupt === true ? { interrupt } : {}),
    ...(retry === true ? { after: "The PermissionDenied hook indicated you may retry this tool call." } : {}),
  };
}

function errorEnd(call: ToolUseBlock, input: ToolInput, message: string, notes: readonly Attachment[]): ToolCallEnd {
  return { call, input, result: resultBlock(call.id, message, true), toolUseResult: `Error: ${message}`, notes };
}

function resultBlock(id: string, content: ToolContent, isError: boolean): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
}
