import { isObject, type PermissionUpdate, type ToolInput } from "../../protocol/internal.ts";
import type { Answer, ElicitAction } from "./answer.ts";

/** The combined answer of a chain of handlers, before it is put into the wire format. */
export interface FoldedAnswer {
  readonly decision?: { readonly kind: "allow" | "ask" | "defer"; readonly reason?: string };
  /** Of any kind; the wire format of the event decides how it is expressed. */
  readonly refusal?: { readonly reason: string; readonly hidePrompt?: boolean; readonly interrupt?: boolean };
  readonly halt?: string;
  readonly contexts: readonly string[];
  readonly messages: readonly string[];
  readonly input?: ToolInput;
  /** In an object, because the new output may be anything, `undefined` included. */
  readonly output?: { readonly value: unknown };
  readonly approval?: { readonly input?: ToolInput; readonly rules?: readonly PermissionUpdate[] };
  readonly retry?: true;
  readonly title?: string;
  readonly watch?: readonly string[];
  readonly firstMessage?: string;
  readonly display?: string;
  readonly elicit?: { readonly action: ElicitAction; readonly content?: Readonly<Record<string, unknown>> };
  readonly worktree?: string;
  readonly raw?: Readonly<Record<string, unknown>>;
}

/**
 * Combines answers in the order they were given. A refusal drops rewrites and weaker decisions but keeps texts for the model and the user.
 * Otherwise the strictest decision wins, with the reason of the first answer that made it.
 */
export function foldAnswers(answers: readonly Answer[]): FoldedAnswer {
  let folded: FoldedAnswer = { contexts: [], messages: [] };
  for (const answer of answers) folded = { ...folded, ...addAnswer(folded, answer) };
  if (folded.refusal === undefined && folded.halt === undefined) return folded;
  const { decision: _decision, input: _input, output: _output, approval: _approval, ...kept } = folded;
  return kept;
}

/** True for the answers that end a chain. */
export function isRefusal(answer: Answer): boolean {
  return (
    answer.kind === "deny" || answer.kind === "block" || answer.kind === "halt" || answer.kind === "denyPermission"
  );
}

const strength = { allow: 1, ask: 2, defer: 3 } as const;

function addAnswer(folded: FoldedAnswer, answer: Answer): Partial<FoldedAnswer> {
  switch (answer.kind) {
    case "allow":
    case "ask":
    case "defer":
      if (folded.decision && strength[folded.decision.kind] >= strength[answer.kind]) return {};
      return { decision: { kind: answer.kind, ...(answer.reason === undefined ? {} : { reason: answer.reason }) } };
    case "deny":
    case "block":
    case "denyPermission":
      return folded.refusal ? {} : { refusal: refusalOf(answer) };
    case "halt":
      return folded.halt === undefined ? { halt: answer.reason } : {};
    case "context":
      return { contexts: [...folded.contexts, answer.text] };
    case "systemMessage":
      return { messages: [...folded.messages, answer.text] };
    case "updateInput":
      return { input: answer.input };
    case "updateOutput":
      return { output: { value: answer.value } };
    // The chain turns these into updateInput and updateOutput.
    case "patchInput":
    case "mapOutput":
      return {};
    case "approvePermission":
      return { approval: { ...folded.approval, ...withoutKind(answer) } };
    case "retry":
      return { retry: true };
    case "sessionTitle":
      return { title: answer.title };
    case "watchPaths":
      return { watch: [...new Set([...(folded.watch ?? []), ...answer.paths])] };
    case "initialUserMessage":
      return { firstMessage: answer.text };
    case "display":
      return { display: answer.text };
    case "elicit":
      return {
        elicit: { action: answer.action, ...(answer.content === undefined ? {} : { content: answer.content }) },
      };
    case "worktree":
      return { worktree: answer.path };
    case "raw":
      return { raw: mergeRaw(folded.raw, answer.fields) };
  }
}

type Fields = NonNullable<FoldedAnswer["raw"]>;

function mergeRaw(before: Fields = {}, after: Fields): Fields {
  const { hookSpecificOutput: specificBefore } = before;
  const { hookSpecificOutput: specificAfter } = after;
  const merged = { ...before, ...after };
  if (!isObject(specificBefore) || !isObject(specificAfter)) return merged;
  return { ...merged, hookSpecificOutput: { ...specificBefore, ...specificAfter } };
}

function refusalOf(answer: Extract<Answer, { kind: "deny" | "block" | "denyPermission" }>) {
  return {
    reason: answer.reason,
    ...(answer.kind === "block" && answer.hidePrompt ? { hidePrompt: true } : {}),
    ...(answer.kind === "denyPermission" && answer.interrupt ? { interrupt: true } : {}),
  };
}

function withoutKind(answer: Extract<Answer, { kind: "approvePermission" }>) {
  const { kind: _kind, ...rest } = answer;
  return rest;
}
