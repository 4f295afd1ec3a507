import type { ConversationFields, EntryPosition } from "./entry-fields.ts";

export type StandaloneKind =
  | "queue-operation"
  | "last-prompt"
  | "mode"
  | "permission-mode"
  | "ai-title"
  | "custom-title"
  | "agent-name"
  | "agent-setting"
  | "worktree-state"
  | "file-history-snapshot"
  | "file-history-delta"
  | "bridge-session"
  | "cost-state"
  | "api-request"
  | "api-request-shape"
  | "api-request-blob"
  | "tools-used"
  | "atis-latch"
  | "frame-link"
  | "pr-link"
  | "progress"
  | "summary"
  | "result";

/** A record outside the conversation. Some older ones have uuid and parentUuid and are nodes of the graph. */
export interface StandaloneEntry extends EntryPosition, Partial<Omit<ConversationFields, keyof EntryPosition>> {
  readonly kind: StandaloneKind;
  readonly operation?: string;
  readonly content?: unknown;
  readonly lastPrompt?: string;
  readonly leafUuid?: string;
  readonly mode?: string;
  readonly permissionMode?: string;
  readonly aiTitle?: string;
  readonly customTitle?: string;
  readonly agentName?: string;
  /** The agent that the session was started as. */
  readonly agentSetting?: string;
  readonly worktreeSession?: unknown;
  readonly messageId?: string;
  readonly snapshot?: unknown;
  readonly isSnapshotUpdate?: boolean;
  readonly summary?: string;
  readonly bridgeSessionId?: string;
  readonly toolUseId?: string;
  readonly parentToolUseId?: string;
  readonly data?: unknown;
  readonly reason?: unknown;
  readonly commandUuid?: unknown;
  readonly deliveryId?: unknown;
  /** cost-state */
  readonly totalCostUsd?: number;
  readonly totalApiDurationMs?: number;
  readonly totalApiDurationWithoutRetriesMs?: number;
  readonly totalToolDurationMs?: number;
  readonly totalDurationMs?: number;
  readonly totalLinesAdded?: number;
  readonly totalLinesRemoved?: number;
  readonly startTime?: number;
  readonly modelUsage?: Readonly<Record<string, unknown>>;
  readonly hasUnknownModelCost?: boolean;
  /** api-request, api-request-shape, api-request-blob: requests of the client, in parts that are stored once. */
  readonly requestRef?: string;
  readonly querySource?: string;
  readonly shapeHash?: string;
  readonly shape?: unknown;
  readonly params?: unknown;
  readonly keep?: number;
  readonly tail?: readonly unknown[];
  readonly cacheControl?: unknown;
  readonly requestDigest?: string;
  readonly base?: string;
  readonly hash?: string;
  readonly message?: unknown;
  readonly tools?: readonly unknown[];
  readonly atis?: unknown;
}
