/** What a hook prints, an http hook answers or a callback returns, in the spelling of the wire. Unknown keys are accepted. */
export interface HookOutput {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  readonly systemMessage?: string;
  readonly terminalSequence?: string;
  /** `approve` and `block`; other words are reported. PermissionRequest has its decision in `hookSpecificOutput`. */
  readonly decision?: string;
  readonly reason?: string;
  /** As the first line of a command hook: the rest of the run goes into the background. */
  readonly async?: boolean;
  readonly asyncTimeout?: number;
  readonly hookSpecificOutput?: HookSpecificOutput;
}

/** The answers that only some events accept, in `hookSpecificOutput`. */
export interface HookSpecificOutput {
  readonly hookEventName: string;
  readonly additionalContext?: string;
  readonly permissionDecision?: "allow" | "deny" | "ask" | "defer";
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: ToolInput;
  readonly decision?: PermissionRequestAnswer;
  readonly updatedToolOutput?: unknown;
  readonly updatedMCPToolOutput?: unknown;
  readonly classifierContext?: string;
  readonly initialUserMessage?: string;
  readonly sessionTitle?: string;
  readonly watchPaths?: readonly string[];
  readonly reloadSkills?: boolean;
  readonly suppressOriginalPrompt?: boolean;
  readonly displayContent?: string;
  readonly retry?: boolean;
  readonly worktreePath?: string;
  readonly action?: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** How a PermissionRequest hook answers instead of the user. */
export type PermissionRequestAnswer =
  | { readonly behavior: "allow"; readonly updatedInput?: ToolInput; readonly updatedPermissions?: readonly unknown[] }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

/** Keys of `hookSpecificOutput` with the shape their value must have; `permissionDecision` and friends included. */
export const eventOutputShapes: Readonly<Record<keyof HookSpecificOutput, OutputShape>> = {
  hookEventName: "text",
  additionalContext: "text",
  permissionDecision: ["allow", "deny", "ask", "defer"],
  permissionDecisionReason: "text",
  updatedInput: "object",
  decision: "permission-answer",
  updatedToolOutput: "anything",
  updatedMCPToolOutput: "anything",
  classifierContext: "text",
  initialUserMessage: "text",
  sessionTitle: "text",
  watchPaths: "texts",
  reloadSkills: "flag",
  suppressOriginalPrompt: "flag",
  displayContent: "text",
  retry: "flag",
  worktreePath: "text",
  action: ["accept", "decline", "cancel"],
  content: "object",
};

/** Keys at the top of the object. */
export const hookOutputShapes: Readonly<Record<keyof HookOutput, OutputShape>> = {
  continue: "flag",
  stopReason: "text",
  suppressOutput: "flag",
  systemMessage: "text",
  terminalSequence: "text",
  decision: "text",
  reason: "text",
  async: "flag",
  asyncTimeout: "number",
  hookSpecificOutput: "object",
};

export type OutputShape =
  | "text"
  | "flag"
  | "number"
  | "object"
  | "texts"
  | "anything"
  | "permission-answer"
  | readonly string[];

/** A tool's input: always an object, of a shape only the tool knows. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** What one hook decided about an operation. A question and a denial always have a reason. */
export type Verdict =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason?: string; readonly input?: ToolInput }
  | { readonly kind: "ask"; readonly reason: string; readonly input?: ToolInput }
  | { readonly kind: "defer"; readonly reason?: string }
  | { readonly kind: "deny"; readonly reason: string };

/** What a hook, or all hooks together, decided. */
export type Decision = Verdict["kind"];
