import type { ValuesOf } from "./field.ts";

const text = { is: "text", optional: true } as const;
const flag = { is: "flag", optional: true } as const;
const object = { is: "object", optional: true } as const;
const anything = { is: "anything", optional: true } as const;

/** The fields of `hookSpecificOutput`. */
export const eventOutputFields = {
  hookEventName: text,
  additionalContext: text,
  permissionDecision: { is: "text", of: ["allow", "deny", "ask", "defer"], optional: true },
  permissionDecisionReason: text,
  updatedInput: object,
  decision: {
    is: "object",
    fields: {
      behavior: { is: "text", of: ["allow", "deny"] },
      message: text,
      interrupt: flag,
      updatedInput: object,
      updatedPermissions: { is: "list", of: anything, optional: true },
    },
    optional: true,
  },
  updatedToolOutput: anything,
  updatedMCPToolOutput: anything,
  classifierContext: text,
  initialUserMessage: text,
  sessionTitle: text,
  watchPaths: { is: "list", of: { is: "text" }, optional: true },
  reloadSkills: flag,
  suppressOriginalPrompt: flag,
  displayContent: text,
  retry: flag,
  worktreePath: text,
  action: { is: "text", of: ["accept", "decline", "cancel"], optional: true },
  content: object,
} as const;

/** The fields of what a hook prints, an http hook answers or a callback returns, with the field names of the wire format. */
export const hookOutputFields = {
  continue: flag,
  stopReason: text,
  suppressOutput: flag,
  systemMessage: text,
  terminalSequence: text,
  /** Other words are reported. PermissionRequest has its decision in `hookSpecificOutput`. */
  decision: { is: "text", of: ["approve", "block"], open: true, optional: true },
  reason: text,
  /** As the first line of a command hook: the rest of the run goes into the background. */
  async: flag,
  asyncTimeout: { is: "number", optional: true },
  hookSpecificOutput: object,
} as const;

/** What a hook prints, an http hook answers or a callback returns, with the field names of the wire format. Unknown keys are accepted. */
export interface HookOutput extends Omit<ValuesOf<typeof hookOutputFields>, "hookSpecificOutput"> {
  readonly hookSpecificOutput?: HookSpecificOutput;
}

/** The answers that only some events accept, in `hookSpecificOutput`. */
export interface HookSpecificOutput extends Omit<ValuesOf<typeof eventOutputFields>, "hookEventName" | "decision"> {
  readonly hookEventName: string;
  readonly decision?: PermissionRequestAnswer;
}

/** How a PermissionRequest hook answers instead of the user. */
export type PermissionRequestAnswer =
  | { readonly behavior: "allow"; readonly updatedInput?: ToolInput; readonly updatedPermissions?: readonly unknown[] }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

/** A tool's input: always an object, of a shape only the tool knows. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** What one hook decided about an operation. A question and a denial always have a reason. */
export type Verdict =
  /** No decision. */
  | { readonly kind: "none" }
  /** The operation may proceed. `input` replaces the tool's input. */
  | { readonly kind: "allow"; readonly reason?: string; readonly input?: ToolInput }
  /** The user must confirm. `input` replaces the tool's input. */
  | { readonly kind: "ask"; readonly reason: string; readonly input?: ToolInput }
  /** The host keeps the call for later. */
  | { readonly kind: "defer"; readonly reason?: string }
  /** The operation must not proceed. */
  | { readonly kind: "deny"; readonly reason: string };

/** What a hook, or all hooks together, decided. */
export type Decision = Verdict["kind"];
