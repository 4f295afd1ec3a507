/** What the apps of hook authors know of an event, beside what its row tells an engine. */
export interface AppSide {
  /** The method that registers for it. */
  readonly method: string;
  /** What a handler may answer. A message for the person and raw fields are legal everywhere. */
  readonly answers: readonly AppAnswer[];
  /** What all its handlers may take together; 30 seconds unless told. */
  readonly deadlineMs?: number;
  /** A warm app that is gone comes back with it: once at the start of a session, once at every turn. */
  readonly revives?: true;
  /** It comes with every few lines of text, too often to start a process each time. */
  readonly frequent?: true;
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
