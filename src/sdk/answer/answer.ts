import type { PermissionUpdate, ToolInput } from "../../protocol/internal.ts";
import { checkOptions, isPlainObject } from "../app/argument-checks.ts";

/** What a handler may return. Each event accepts some of these kinds. Authors never write the wire format. */
export type Answer =
  | { readonly kind: "allow"; readonly reason: string }
  | { readonly kind: "ask"; readonly reason: string }
  | { readonly kind: "deny"; readonly reason: string }
  | { readonly kind: "defer"; readonly reason?: string }
  | { readonly kind: "block"; readonly reason: string; readonly hidePrompt?: boolean }
  | { readonly kind: "halt"; readonly reason: string }
  | { readonly kind: "context"; readonly text: string }
  | { readonly kind: "systemMessage"; readonly text: string }
  | { readonly kind: "updateInput"; readonly input: ToolInput }
  | { readonly kind: "patchInput"; readonly part: ToolInput }
  | { readonly kind: "updateOutput"; readonly value: unknown }
  | { readonly kind: "mapOutput"; readonly map: (text: string) => string }
  | { readonly kind: "approvePermission"; readonly input?: ToolInput; readonly rules?: readonly PermissionUpdate[] }
  | { readonly kind: "denyPermission"; readonly reason: string; readonly interrupt?: boolean }
  | { readonly kind: "retry" }
  | { readonly kind: "sessionTitle"; readonly title: string }
  | { readonly kind: "watchPaths"; readonly paths: readonly string[] }
  | { readonly kind: "initialUserMessage"; readonly text: string }
  | { readonly kind: "display"; readonly text: string }
  | { readonly kind: "elicit"; readonly action: ElicitAction; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly kind: "worktree"; readonly path: string }
  | { readonly kind: "raw"; readonly fields: Readonly<Record<string, unknown>> };

/** The answer of `updateOutput`, typed by the tool's response. */
export interface NewOutput<Value> {
  readonly kind: "updateOutput";
  readonly value: Value;
}

/** The kind of an answer, such as `deny`. */
export type AnswerKind = Answer["kind"];
/** The answer of one kind. */
export type AnswerOf<Kind extends AnswerKind> = Extract<Answer, { kind: Kind }>;
export type ElicitAction = "accept" | "decline" | "cancel";

/** Allows the call without asking the user; deny rules still deny. Return nothing for "no objection". */
export function allow(reason: string): AnswerOf<"allow"> {
  return Object.freeze({ kind: "allow", reason });
}

/** Leaves the decision to the user. */
export function ask(reason: string): AnswerOf<"ask"> {
  return Object.freeze({ kind: "ask", reason });
}

/** Refuses the operation; the model reads the reason. */
export function deny(reason: string): AnswerOf<"deny"> {
  return Object.freeze({ kind: "deny", reason });
}

/** Ends a headless run and keeps the call for later. */
export function defer(reason?: string): AnswerOf<"defer"> {
  return Object.freeze({ kind: "defer", ...(reason === undefined ? {} : { reason }) });
}

/** Denies what the event is about; on Stop and SubagentStop the agent continues. */
export function block(reason: string, options: { hidePrompt?: boolean } = {}): AnswerOf<"block"> {
  // Wrong options, even null, are not refused here: a denial counts, and an error would lose it under `continue`.
  return Object.freeze({ kind: "block", reason, ...(options?.hidePrompt ? { hidePrompt: true } : {}) });
}

/** Stops the whole run. */
export function halt(reason: string): AnswerOf<"halt"> {
  return Object.freeze({ kind: "halt", reason });
}

/** A text for the model. */
export function context(text: string): AnswerOf<"context"> {
  return Object.freeze({ kind: "context", text });
}

/** A text for the user. */
export function systemMessage(text: string): AnswerOf<"systemMessage"> {
  return Object.freeze({ kind: "systemMessage", text });
}

/** The whole new input of the tool. It does not imply allow: the host judges the new input again. */
export function updateInput(input: ToolInput): AnswerOf<"updateInput"> {
  return Object.freeze({ kind: "updateInput", input });
}

/** Keys to merge into the current input of the tool. */
export function patchInput(part: ToolInput): AnswerOf<"patchInput"> {
  return Object.freeze({ kind: "patchInput", part });
}

/** The whole new output of the tool. It must have the shape of the original: hosts drop any other for built-in tools. */
export function updateOutput<Value>(value: Value): NewOutput<Value> {
  return Object.freeze({ kind: "updateOutput", value });
}

/** Changes every text inside the tool's output and keeps its shape. */
export function mapOutput(map: (text: string) => string): AnswerOf<"mapOutput"> {
  return Object.freeze({ kind: "mapOutput", map });
}

/** Allows what a `PermissionRequest` asks for, instead of the user. */
export function approvePermission(
  options: { input?: ToolInput; rules?: readonly PermissionUpdate[] } = {},
): AnswerOf<"approvePermission"> {
  checkOptions(options, ["input", "rules"], "approvePermission()", { own: [[["input"], "an object", isPlainObject]] });
  return Object.freeze({ kind: "approvePermission", ...options });
}

/** Denies what a `PermissionRequest` asks for, instead of the user. `interrupt` stops the agent as well. */
export function denyPermission(reason: string, options: { interrupt?: boolean } = {}): AnswerOf<"denyPermission"> {
  return Object.freeze({ kind: "denyPermission", reason, ...(options?.interrupt ? { interrupt: true } : {}) });
}

/** Lets the model retry a call that the classifier denied. */
export function retry(): AnswerOf<"retry"> {
  return Object.freeze({ kind: "retry" });
}

/** Gives the session a title. */
export function sessionTitle(title: string): AnswerOf<"sessionTitle"> {
  return Object.freeze({ kind: "sessionTitle", title });
}

/** Asks the agent to watch these paths and to fire `FileChanged` when one changes. */
export function watchPaths(...paths: readonly string[]): AnswerOf<"watchPaths"> {
  return Object.freeze({ kind: "watchPaths", paths: Object.freeze([...paths]) });
}

/** Starts the session with this user message. */
export function initialUserMessage(text: string): AnswerOf<"initialUserMessage"> {
  return Object.freeze({ kind: "initialUserMessage", text });
}

/** The text to show instead of the original. The stored message does not change. */
export function display(text: string): AnswerOf<"display"> {
  return Object.freeze({ kind: "display", text });
}

/** Answers an MCP server's question instead of the user. */
export function elicit(action: ElicitAction, content?: Readonly<Record<string, unknown>>): AnswerOf<"elicit"> {
  return Object.freeze({ kind: "elicit", action, ...(content === undefined ? {} : { content }) });
}

/** The directory of the working copy that was created. */
export function worktree(path: string): AnswerOf<"worktree"> {
  return Object.freeze({ kind: "worktree", path });
}

/** Fields of the wire format, sent unchanged. For features that are newer than this package. */
export function raw(fields: Readonly<Record<string, unknown>>): AnswerOf<"raw"> {
  return Object.freeze({ kind: "raw", fields });
}
