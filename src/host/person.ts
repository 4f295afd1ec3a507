import type { Question } from "../engine/index.ts";
import type { PermissionUpdate, ToolInput } from "../protocol/index.ts";

/** Who answers questions: somebody at the terminal, or a program at the other end of the protocol. */
export interface Person {
  /** Without it nobody can be asked for a permission, and a question is a refusal. Contract: called for one question at a time; rejects only with the signal's reason. */
  permission?(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  /** A hook's own question; undefined when the person refuses. */
  question?(question: Question, signal: AbortSignal): Promise<string | undefined>;
  /** A question with a yes or no. */
  confirm?(text: string, signal: AbortSignal): Promise<boolean>;
  /** A form that a server wants filled in. */
  elicit?(form: ElicitationForm, signal: AbortSignal): Promise<ElicitationAnswer>;
}

export interface PermissionQuestion {
  readonly tool: string;
  readonly input: ToolInput;
  readonly toolUseId: string;
  readonly reason: string;
  /** Changes of the rules that would have made the question needless. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  readonly agentType?: string;
}

export type PermissionAnswer =
  | { readonly behavior: "allow"; readonly input?: ToolInput; readonly updates?: readonly PermissionUpdate[] }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

export interface ElicitationForm {
  readonly server: string;
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}
