import { isDeepStrictEqual } from "node:util";
import { combine, type Judgement } from "../../permissions/internal.ts";
import { defined, type Outcome, type PermissionUpdate, type ToolInput, type Verdict } from "../../protocol/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { checkToolInput } from "../tools/check-tool-input.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { askPermission } from "./ask-user.ts";
import { type Attachment, refusalText } from "./attachments.ts";
import { classify } from "./classifier.ts";
import { fireAndHold } from "./fire-event.ts";
import { storeUpdates } from "./permission-updates.ts";

/** One tool call that is not decided yet. */
export interface PendingCall {
  readonly thread: AgentThread;
  readonly tool: Tool;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  readonly context: ToolContext;
}

/** What hooks added while a call was decided. */
interface HookEffects {
  /** For the transcript and the model. */
  readonly notes?: readonly Attachment[];
  /** Why a hook ends the turn after this call. */
  readonly stop?: string;
}

export type CallDecision = HookEffects &
  (
    | { readonly kind: "run"; readonly input: ToolInput; readonly judgement: Judgement }
    | {
        readonly kind: "refused";
        readonly message: string;
        readonly interrupt?: boolean;
        readonly retry?: boolean;
        readonly byHook?: boolean;
      }
    | { readonly kind: "deferred" }
    | { readonly kind: "interrupted" }
  );

/**
 * Decides whether a call may run. `before` is the outcome of PreToolUse. Rules judge the effective input. If they leave it open, the
 * classifier decides in auto mode, else PermissionRequest hooks, else the user. Without a user the call is refused.
 */
export async function decide(call: PendingCall, input: ToolInput, before: Outcome): Promise<CallDecision> {
  const { thread, tool } = call;
  const { permissions } = thread.session;
  if (before.decision === "deny")
    return { kind: "refused", message: hookRefusalText(before, tool), byHook: true, ...stopIn(before) };
  const judgement = await permissions.judge(tool.name, input, thread.cwd);
  const combined = combine(verdictOf(before), judgement);
  if (combined.decision === "defer") return { kind: "deferred" };
  if (combined.decision === "allow") return { kind: "run", input, judgement };
  if (combined.decision === "deny") return refusedByRules(tool, combined.reason);
  const byMode = combined.by === "rules" && judgement.stance === "none";
  if (permissions.mode() === "auto" && byMode) return askClassifier(call, input, judgement);
  return askHooksThenUser(call, input, judgement, combined.reason);
}

function verdictOf({ decision, reason = "" }: Outcome): Verdict {
  return decision === "none" || decision === "allow" ? { kind: decision } : { kind: decision, reason };
}

function stopIn(outcome: Outcome): HookEffects {
  return outcome.continue ? {} : { stop: outcome.stopReason ?? "" };
}

/** The stderr of a program is prefixed as a hook error; the reason of a JSON answer is used as it is. */
function hookRefusalText(outcome: Outcome, tool: Tool): string {
  const text = refusalText(outcome);
  return text === outcome.reason ? text : `PreToolUse:${tool.name} hook error: ${text}`;
}

function refusedByRules(tool: Tool, reason: string): CallDecision {
  return { kind: "refused", message: `Permission to use ${tool.name} has been denied: ${reason}` };
}

async function askClassifier(call: PendingCall, input: ToolInput, judgement: Judgement): Promise<CallDecision> {
  const { thread, tool, toolUseId, signal } = call;
  const classified = await classify(thread, tool.name, input, signal);
  if (classified.allow) return { kind: "run", input, judgement };
  const { reason } = classified;
  const about = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId, reason };
  const { outcome, notes } = await fireAndHold(thread, "PermissionDenied", about, { signal, toolUseId });
  const message = `Permission for this action has been denied. Reason: ${reason}`;
  return { kind: "refused", message, retry: outcome.output.retry === true, notes };
}

async function askHooksThenUser(
  call: PendingCall,
  input: ToolInput,
  judgement: Judgement,
  reason: string,
): Promise<CallDecision> {
  const { thread, tool, toolUseId, signal } = call;
  const { suggestions } = judgement;
  const about = {
    tool_name: tool.name,
    tool_input: input,
    ...(suggestions.length > 0 ? { permission_suggestions: suggestions } : {}),
  };
  const { outcome, notes } = await fireAndHold(thread, "PermissionRequest", about, { signal, toolUseId });
  const { permission } = outcome.output;
  const effects = { notes: [...notes, ...permissionNotes(permission, toolUseId)], ...stopIn(outcome) };
  return withEffects(effects, signal, async () => {
    if (permission?.behavior === "allow") {
      return recheckAllowed(call, input, {
        input: outcome.updatedInput,
        updates: permission.updatedPermissions ?? [],
        scope: scopeOf(outcome),
        ask: (why) => askUser(call, input, judgement, why),
      });
    }
    if (permission !== undefined) {
      const message = permission.message ?? outcome.reason ?? "A PermissionRequest hook denied it.";
      return { kind: "refused", message, interrupt: permission.interrupt === true };
    }
    if (outcome.decision === "deny") return { kind: "refused", message: outcome.reason ?? "A hook denied it." };
    return askUser(call, input, judgement, reason);
  });
}

function permissionNotes(permission: Outcome["output"]["permission"], toolUseID: string): readonly Attachment[] {
  if (permission === undefined) return [];
  const { behavior: decision } = permission;
  return [{ type: "hook_permission_decision", decision, toolUseID, hookEvent: "PermissionRequest" }];
}

/**
 * Adds the effects of earlier hooks to the rest of a decision. The first `stop` counts. An interrupt, by which the engine and the
 * user's question reject with the signal's reason, keeps the effects.
 */
async function withEffects(
  { notes = [], stop: first }: HookEffects,
  signal: AbortSignal,
  rest: () => Promise<CallDecision>,
): Promise<CallDecision> {
  try {
    const decision = await rest();
    const stop = first ?? decision.stop;
    return { ...decision, notes: [...notes, ...(decision.notes ?? [])], ...(stop === undefined ? {} : { stop }) };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: "interrupted", notes };
  }
}

async function askUser(
  call: PendingCall,
  input: ToolInput,
  judgement: Judgement,
  reason: string,
): Promise<CallDecision> {
  const { thread, tool, toolUseId, signal } = call;
  const { suggestions, paths } = judgement;
  const blockedPath = defined({ blockedPath: paths[0]?.resolved });
  const question = { tool: tool.name, input, toolUseId, reason, suggestions, ...blockedPath };
  const answer = await askPermission(thread, question, signal);
  if (answer.behavior === "allow")
    return recheckAllowed(call, input, { input: answer.input, updates: answer.updates ?? [] });
  const message = answer.message ?? deniedByUser;
  return { kind: "refused", message, interrupt: answer.interrupt === true };
}

/** The client's sentence. */
export const deniedByUser = "The user doesn't want to proceed with this tool use.";

interface AllowAnswer {
  /** Replaces the input of the question. */
  readonly input: ToolInput | undefined;
  readonly updates: readonly PermissionUpdate[];
  readonly scope?: string | undefined;
  /** Asks the user, if a hook allowed the call. */
  readonly ask?: (reason: string) => Promise<CallDecision>;
}

/**
 * Checks an allowed call again, since the answer may replace the input: it must match the tool's schema and must not be denied by
 * rules. PreToolUse hooks that only match the new input run, so that a rewrite passes every guard.
 */
async function recheckAllowed(call: PendingCall, before: ToolInput, allowed: AllowAnswer): Promise<CallDecision> {
  const { thread, tool, toolUseId, signal, context } = call;
  const { input: answered = before, ask } = allowed;
  if (isDeepStrictEqual(answered, before)) return runIfRulesAllow(call, before, allowed);
  const checked = await checkToolInput(tool, answered, context);
  if (!checked.ok) return { kind: "refused", message: checked.message };
  const { input } = checked;
  const about = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId };
  const options = { signal, toolUseId, rewrittenFrom: before };
  const { outcome, notes } = await fireAndHold(thread, "PreToolUse", about, options);
  if (outcome.decision === "deny") return { kind: "refused", message: hookRefusalText(outcome, tool), notes };
  // A hook that allowed the call does not answer the question of another hook about the new input.
  if (outcome.decision === "ask" && ask !== undefined)
    return withEffects({ notes }, signal, () => ask(outcome.reason ?? "A hook asks about it."));
  return withEffects({ notes, ...stopIn(outcome) }, signal, () => runIfRulesAllow(call, input, allowed));
}

async function runIfRulesAllow(call: PendingCall, input: ToolInput, allowed: AllowAnswer): Promise<CallDecision> {
  const { thread, tool } = call;
  await storeUpdates(thread, allowed.updates, allowed.scope);
  const judgement = await thread.session.permissions.judge(tool.name, input, thread.cwd);
  return judgement.stance === "deny" ? refusedByRules(tool, judgement.reason) : { kind: "run", input, judgement };
}

/** The settings layer of the hook that allowed the call: it limits which files the updates may change. */
function scopeOf({ runs }: Outcome): string | undefined {
  return runs.find(({ verdict }) => verdict.kind === "allow")?.hook.source;
}
