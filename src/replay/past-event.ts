import type { WirePayload } from "../sdk/index.ts";

/** The events that a transcript tells of: calls of tools before and after they ran, and prompts. */
export const pastEventNames = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"] as const;
export type PastEventName = (typeof pastEventNames)[number];

/** Something that happened, as the payload a hook would have been given then. */
export interface PastEvent {
  readonly name: PastEventName;
  readonly payload: WirePayload;
  readonly session: string;
  /** The folder the session began in. */
  readonly project?: string;
  /** Absent for prompts. */
  readonly tool?: string;
  readonly at?: string;
  /** The same for every copy of it: a forked session repeats what it began with. */
  readonly key: string;
  /** Parts of the payload that no transcript holds. */
  readonly missing: readonly string[];
}

/** A call that was not let through then: by a hook, a rule or the user. Comes after the call. */
export interface RefusedThen {
  readonly name: "refused-then";
  /** The id of the call. */
  readonly toolUseId: string;
}

/** A stretch of a transcript that is no record. */
export interface UnreadableLine {
  readonly name: "unreadable";
  readonly file: string;
  readonly line: number;
  /** The archive ends here, in the middle. */
  readonly isCut?: true;
}
