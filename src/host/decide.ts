import { isDeepStrictEqual } from "node:util";
import { combine, type Judgement } from "../permissions/index.ts";
import type { Outcome, PermissionUpdate, ToolInput, Verdict } from "../protocol/index.ts";
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
  | {
      readonly kind: "refused";
      readonly message: string;
      readonly interrupt?: boolean;
      readonly retry?: boolean;
      readonly byHook?: boolean;
    }
  | { readonly kind: "deferred" };

/**
 * Whether a call may run. Hooks have spoken; rules judge the input that will really run; what is left open is asked: first of
 * hooks, then of the classifier or the person. With nobody to ask, open means refused.
 */
export async function decide(asked: Asked, input: ToolInput, before: Outcome): Promise<Decision> {
  const { thread, tool } = asked;
  const { permissions } = thread.session;
  if (before.decision === "deny") return { kind: "refused", message: wordedRefusal(before, tool), byHook: true };
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
      return runAllowed(asked, input, {
        input: answered.updatedInput,
        updates: permission.updatedPermissions ?? [],
        scope: scopeOf(answered),
        ask: (why) => askPerson(asked, input, judgement, why),
      });
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
    return runAllowed(asked, input, { input: said.input, updates: said.updates ?? [] });
  }
  const words = said.message ?? "The person refused.";
  return { kind: "refused", message: words, interrupt: said.interrupt === true };
}

interface Allowed {
  /** In the place of the one that was asked about. */
  readonly input: ToolInput | undefined;
  readonly updates: readonly PermissionUpdate[];
  readonly scope?: string | undefined;
  /** Puts the call to the person, where it was not the person who allowed it. */
  readonly ask?: (reason: string) => Promise<Decision>;
}

/**
 * What somebody allowed is still held to the tool's schema and to the rules that deny: an answer may bring another input. PreToolUse
 * hooks that only the new input concerns are asked about it, so that a rewrite slips past no guard.
 */
async function runAllowed(asked: Asked, before: ToolInput, allowed: Allowed): Promise<Decision> {
  const { thread, tool: name, toolUseId, signal, notes } = asked;
  const { input: given = before, updates, scope, ask } = allowed;
  const tool = thread.tools().find((one) => one.name === name);
  if (tool === undefined) return { kind: "refused", message: noSuchTool(name) };
  let input = before;
  if (!isDeepStrictEqual(given, before)) {
    const checked = await checkInput(tool, given, toolContext(asked));
    if (!checked.ok) return { kind: "refused", message: checked.message };
    input = checked.input;
    const about = { tool_name: name, tool_input: input, tool_use_id: toolUseId };
    const guarded = await fire(thread, "PreToolUse", about, { signal, notes, toolUseId, rewrittenFrom: before });
    if (guarded.decision === "deny") return { kind: "refused", message: wordedRefusal(guarded, name) };
    // A hook answers in the person's place, but not about an input that another hook wants them asked about.
    if (guarded.decision === "ask" && ask !== undefined) return ask(guarded.reason ?? "A hook asks about it.");
    if (!guarded.continue) asked.stop ??= guarded.stopReason ?? "";
  }
  await storeUpdates(thread, updates, scope);
  const judgement = await thread.session.permissions.judge(name, input, thread.cwd);
  if (judgement.stance === "deny")
    return { kind: "refused", message: `Permission to use ${name} has been denied: ${judgement.reason}` };
  return { kind: "run", input, judgement };
}

/** The layer of the hook that allowed: a checkout's hooks may not write everywhere. */
function scopeOf({ runs }: Outcome): string | undefined {
  return runs.find(({ verdict }) => verdict.kind === "allow")?.hook.source;
}
