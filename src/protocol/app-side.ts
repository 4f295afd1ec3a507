/** What the apps of hook authors know of an event, beside what its row tells an engine. */
export interface AppSide {
  /** The method that registers for it. */
  readonly method: string;
  /** What a handler may answer. A message for the person and raw fields are legal everywhere. */
  readonly answers: readonly AppAnswer[];
  /** What all its handlers may take together; 30 seconds unless told. */
  readonly deadlineMs?: number;
}

/** The words of a handler. How each is spelled on the wire follows from the event's row. */
export type AppAnswer =
  | "allow"
  | "ask"
  | "deny"
  | "defer"
  | "block"
  | "halt"
  | "context"
  | "updateInput"
  | "patchInput"
  | "updateOutput"
  | "mapOutput"
  | "approvePermission"
  | "denyPermission"
  | "retry"
  | "sessionTitle"
  | "watchPaths"
  | "initialUserMessage"
  | "display"
  | "elicit"
  | "worktree";
