import type { Unreadable } from "../read/json-records.ts";
import type { EntryBlock } from "./content-block.ts";
import type { ConversationFields, EntryPosition } from "./entry-fields.ts";
import type { StandaloneEntry } from "./standalone-entry.ts";

/**
 * One record of a transcript, the same for every agent. A record of an unknown kind has the kind `other` and is kept verbatim. Unknown
 * fields are in `extra`, so nothing that is on disk is lost.
 */
export type Entry = UserEntry | AssistantEntry | SystemEntry | AttachmentEntry | StandaloneEntry | UnknownEntry;

export type { Unreadable } from "../read/json-records.ts";

/** What readers yield, in file order. */
export type TranscriptItem = Entry | Unreadable;

/** What a line with the role user is. */
export type UserRole =
  | "result"
  | "summary"
  | "meta"
  | "command"
  | "command-output"
  | "interrupt"
  | "notification"
  | "teammate"
  | "prompt";

export type PromptSource = "typed" | "sdk" | "system" | "agent" | "unknown";

export interface UserEntry extends ConversationFields {
  readonly kind: "user";
  readonly role: UserRole;
  /** Of prompts only. */
  readonly source?: PromptSource;
  readonly content: readonly EntryBlock[];
  readonly contentWasText?: true;
  readonly messageExtra?: Readonly<Record<string, unknown>>;
  readonly promptId?: string;
  readonly permissionMode?: string;
  readonly promptSource?: string;
  readonly origin?: unknown;
  readonly toolUseResult?: unknown;
  readonly toolDenialKind?: string;
  readonly sourceToolAssistantUuid?: string;
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly isVisibleInTranscriptOnly?: boolean;
  /** What began the turn, and the position of the line in it. Written by newer clients. */
  readonly turnOrigin?: unknown;
  readonly turnPosition?: unknown;
  readonly turnCompanion?: unknown;
  /** Of tool results: what allowed the call. */
  readonly permissionDecision?: unknown;
  readonly sandboxed?: unknown;
  readonly mcpCallNotReadOnly?: unknown;
  readonly imagePasteIds?: unknown;
  readonly queueSkipAttachments?: unknown;
  readonly refusedMessageId?: string;
}

export interface AssistantEntry extends ConversationFields {
  readonly kind: "assistant";
  /** Absent when the endpoint gave none. */
  readonly messageId?: string;
  readonly model?: string;
  readonly content: readonly EntryBlock[];
  readonly contentWasText?: true;
  readonly stopReason: string | null;
  readonly stopSequence?: string;
  /** Token counts as the endpoint wrote them. */
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly messageExtra?: Readonly<Record<string, unknown>>;
  readonly requestId?: string;
  readonly error?: unknown;
  readonly isApiErrorMessage?: boolean;
  readonly apiErrorStatus?: number;
  readonly apiError?: unknown;
  readonly errorDetails?: unknown;
  readonly attributionAgent?: string;
  readonly attributionSkill?: string;
  readonly attributionPlugin?: string;
  readonly attributionMcpServer?: string;
  readonly attributionMcpTool?: string;
  readonly advisorModel?: string;
  readonly effort?: unknown;
  readonly apiBlockIndex?: number;
  readonly isAbortedMidStream?: boolean;
  readonly costUsd?: number;
  readonly durationMs?: number;
  /** Names the `api-request` record of this call. */
  readonly requestRef?: unknown;
  /** The requested model, when another one answered. */
  readonly requestedModel?: string;
  readonly promptCacheRequested?: unknown;
  readonly perTurnEffort?: unknown;
  readonly madeBy?: unknown;
  readonly toolInputStreamMs?: number;
  readonly thinkingDurationMs?: number;
  readonly thinkingDisplay?: unknown;
  readonly apiErrorType?: unknown;
  readonly failedResponseHadNoToolCall?: unknown;
  readonly refusingModel?: string;
  readonly refusedMessageId?: string;
}

export type SystemSubtype =
  | "compact_boundary"
  | "stop_hook_summary"
  | "turn_duration"
  | "local_command"
  | "informational"
  | "tool_result"
  | "api_error"
  | "model_refusal_no_fallback";

export interface SystemEntry extends ConversationFields {
  readonly kind: "system";
  readonly subtype: SystemSubtype;
  readonly content?: unknown;
  readonly level?: string;
  readonly isMeta?: boolean;
  readonly toolUseId?: string;
  /** compact_boundary */
  readonly logicalParentUuid?: string;
  readonly compactMetadata?: CompactMetadata;
  /** stop_hook_summary */
  readonly hookCount?: number;
  readonly hookInfos?: readonly unknown[];
  readonly hookErrors?: readonly unknown[];
  readonly hookAdditionalContext?: readonly unknown[];
  readonly preventedContinuation?: boolean;
  readonly preventContinuation?: boolean;
  readonly stopReason?: string;
  readonly hasOutput?: boolean;
  /** turn_duration */
  readonly durationMs?: number;
  readonly messageCount?: number;
  /** model_refusal_no_fallback */
  readonly originalModel?: string;
  readonly requestId?: string;
  readonly apiRefusalCategory?: unknown;
  readonly apiRefusalExplanation?: unknown;
  readonly refusedUserMessageUuid?: string;
  /** api_error */
  readonly error?: unknown;
  readonly cause?: unknown;
  readonly retryInMs?: number;
  readonly retryAttempt?: number;
  readonly maxRetries?: number;
}

export interface CompactMetadata {
  readonly trigger?: string;
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly durationMs?: number;
  readonly cumulativeDroppedTokens?: number;
  readonly preservedSegment?: { readonly headUuid?: string; readonly anchorUuid?: string; readonly tailUuid?: string };
  readonly preservedMessages?: { readonly anchorUuid?: string; readonly uuids?: readonly string[] };
}

export type AttachmentType = HookAttachmentType | OtherAttachmentType;

export type HookAttachmentType =
  | "hook_success"
  | "hook_non_blocking_error"
  | "hook_blocking_error"
  | "hook_additional_context"
  | "hook_system_message"
  | "hook_stopped_continuation"
  | "hook_cancelled"
  | "hook_error_during_execution"
  | "hook_deferred_tool"
  | "hook_permission_decision"
  | "async_hook_response";

type OtherAttachmentType =
  | "agent_listing_delta"
  | "skill_listing"
  | "deferred_tools_delta"
  | "nested_memory"
  | "file"
  | "invoked_skills"
  | "command_permissions"
  | "queued_command"
  | "task_reminder"
  | "total_tokens_reminder"
  | "environment"
  | "model"
  | "date"
  | "session_context"
  | "prompt_snapshot"
  | "remote_session_change"
  | "auto_mode"
  | "silent_turn_reminder";

export interface AttachmentEntry extends ConversationFields {
  readonly kind: "attachment";
  readonly type: AttachmentType;
  /** Of hook records: the hook, its event, and the tool call. */
  readonly hookName?: string;
  readonly hookEvent?: string;
  readonly toolUseId?: string;
  /** All other fields of the attachment, as they are on disk. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the model received for it, and in which role. Written by newer clients. */
  readonly rendered?: unknown;
  readonly renderedRole?: string;
  readonly renderedBesideToolResult?: boolean;
  readonly renderedInHumanTurn?: unknown;
}

/** An unknown type or subtype, or a known one with an unexpected shape (then `why` is set). */
export interface UnknownEntry extends EntryPosition, Partial<Omit<ConversationFields, keyof EntryPosition>> {
  readonly kind: "other";
  /** `type`, or `type/subtype`, as written; empty when there was none. */
  readonly name: string;
  readonly why?: string;
  readonly object: Readonly<Record<string, unknown>>;
}
