import { isDeepStrictEqual } from "node:util";
import { combine, type Judgement } from "../permissions/index.ts";
import type { Outcome, ToolInput, Verdict } from "../protocol/index.ts";
import { askPermission } from "./asking.ts";
import { type Attachment, refusalOf } from "./attachment.ts";
import { classify } from "./classifier.ts";
import { fire } from "./fire.ts";
import { storeUpdates } from "./store-updates.ts";
import type { Thread } from "./thread.ts";
import { toolContext } from "./tool-context.ts";
import { checkInput, noSuchTool } from "./tools/check-input.ts";

/** One tool call on its way: what it is, who calls it, and what the transcript will keep of it. */
export interface Asked {
  readonly thread: Thread;
  readonly tool: string;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  readonly notes: Attachment[];
  /** A hook wants the loop to end after this call, and why. */
  stop?: string;
}

export type Decision =
  | { readonly kind: "run"; readonly input: ToolInput; readonly judgement: Judgement }
  | { readonly kind: "refused"; readonly message: string; readonly interrupt?: boolean; readonly retry?: boolean }
  | { readonly kind: "deferred" };

/**
 * Whether a call may run. Hooks have spoken; rules judge the input that will really run; what is left open is asked: first of
 * hooks, then of the classifier or the person. With nobody to ask, open means refused.
 */
export async function decide(asked: Asked, input: ToolInput, before: Outcome): Promise<Decision> {
  const { thread, tool } = asked;
  const { permissions } = thread.session;
  if (before.decision === "deny") return { kind: "refused", message: wordedRefusal(before, tool) };
  const judgement = await permissions.judge(tool, input, thread.cwd);
  const combined = combine(verdictOf(before), judgement);
  if (combined.decision === "defer") return { kind: "deferred" };
  if (combined.decision === "allow") return { kind: "run", input, judgement };
  if (combined.decision === "deny")
    return { kind: "refused", message: `Permission to use ${tool} has been denied: ${combined.reason}` };
  const byMode = combined.by === "rules" && judgement.stance === "none";
  if (permissions.mode() === "auto" && byMode) return decideByClassifier(asked, input, judgement);
  return decideByAsking(asked, input, judgement, combined.reason);
}

function verdictOf({ decision, reason = "" }: Outcome): Verdict {
  return decision === "none" || decision === "allow" ? { kind: decision } : { kind: decision, reason };
}

/** A program's stderr is quoted with the program; words a hook chose itself are given as they are. */
function wordedRefusal(outcome: Outcome, tool: string): string {
  const words = refusalOf(outcome);
  return words === outcome.reason ? words : `PreToolUse:${tool} hook error: ${words}`;
}

async function decideByClassifier(asked: Asked, input: ToolInput, judgement: Judgement): Promise<Decision> {
  const { thread, tool, toolUseId, signal, notes } = asked;
  const said = await classify(thread, tool, input, signal);
  if (said.allow) return { kind: "run", input, judgement };
  const about = { tool_name: tool, tool_input: input, tool_use_id: toolUseId, reason: said.reason };
  const denied = await fire(thread, "PermissionDenied", about, { signal, notes, toolUseId });
  const message = `Permission for this action has been denied. Reason: ${said.reason}`;
  return { kind: "refused", message, retry: denied.output.retry === true };
}

async function decideByAsking(asked: Asked, input: ToolInput, judgement: Judgement, reason: string): Promise<Decision> {
  const { thread, tool, toolUseId, signal, notes } = asked;
  const { suggestions } = judgement;
  const about = {
    tool_name: tool,
    tool_input: input,
    ...(suggestions.length > 0 ? { permission_suggestions: suggestions } : {}),
  };
  const answered = await fire(thread, "PermissionRequest", about, { signal, notes, toolUseId });
  if (!answered.continue) asked.stop = answered.stopReason ?? "";
  const { permission } = answered.output;
  if (permission !== undefined) {
    notes.push({
      type: "hook_permission_decision",
      decision: permission.behavior,
      toolUseID: toolUseId,
      hookEvent: "PermissionRequest",
    });
    if (permission.behavior === "allow") {
      await storeUpdates(thread, permission.updatedPermissions ?? [], scopeOf(answered));
      return lookAgain(asked, input, answered.updatedInput);
    }
    const message = permission.message ?? answered.reason ?? "A PermissionRequest hook denied it.";
    return { kind: "refused", message, interrupt: permission.interrupt === true };
  }
  if (answered.decision === "deny") return { kind: "refused", message: answered.reason ?? "A hook denied it." };
  return askPerson(asked, input, judgement, reason);
}

async function askPerson(asked: Asked, input: ToolInput, judgement: Judgement, reason: string): Promise<Decision> {
  const { thread, tool, toolUseId, signal } = asked;
  const { suggestions, paths } = judgement;
  const [path] = paths;
  const blocked = path === undefined ? {} : { blockedPath: path.resolved };
  const said = await askPermission(thread, { tool, input, toolUseId, reason, suggestions, ...blocked }, signal);
  if (said.behavior === "allow") {
    await storeUpdates(thread, said.updates ?? []);
    return lookAgain(asked, input, said.input);
  }
  const words = said.message ?? "The person refused.";
  return { kind: "refused", message: words, interrupt: said.interrupt === true };
}

/** What somebody allowed is still held to the tool's schema and to the rules that deny: an answer may bring another input. */
async function lookAgain(asked: Asked, before: ToolInput, given: ToolInput = before): Promise<Decision> {
  const { thread, tool: name } = asked;
  const rewritten = !isDeepStrictEqual(given, before);
  const tool = thread.tools().find((one) => one.name === name);
  if (tool === undefined) return { kind: "refused", message: noSuchTool(name) };
  const checked = rewritten
    ? await checkInput(tool, given, toolContext(asked))
    : ({ ok: true, input: before } as const);
  if (!checked.ok) return { kind: "refused", message: checked.message };
  const judgement = await thread.session.permissions.judge(name, checked.input, thread.cwd);
  if (judgement.stance === "deny")
    return { kind: "refused", message: `Permission to use ${name} has been denied: ${judgement.reason}` };
  return { kind: "run", input: checked.input, judgement };
}

/** The layer of the hook that allowed: a checkout's hooks may not write everywhere. */
function scopeOf({ runs }: Outcome): string | undefined {
  return runs.find(({ verdict }) => verdict.kind === "allow")?.hook.source;
}
