import { each } from "../../../protocol/internal.ts";

/**
 * The fields of each record type: their name on disk, our name, and what they must be. A field with another type is
 * kept in `extra` like one we do not know: one odd value never costs the whole entry.
 */
export type FieldType = "text" | "number" | "flag" | "object" | "list" | "any";

export interface KnownField {
  readonly name: string;
  readonly check: FieldType;
  /** The text that was read last. */
  last?: string;
}

export type FieldTable = ReadonlyMap<string, KnownField>;

/** By the name on disk: the type of a field, and our name for it where that differs. */
type FieldRows = Readonly<Record<string, FieldType | readonly [string, FieldType]>>;

/** The fields that a table describes, under our names. */
export type EntryFields<Rows extends FieldRows> = {
  readonly [Key in keyof Rows as Rows[Key] extends readonly [infer Name extends string, FieldType]
    ? Name
    : Key]?: Rows[Key] extends readonly [string, infer Type extends FieldType]
    ? FieldValues[Type]
    : FieldValues[Rows[Key] & FieldType];
};

interface FieldValues {
  readonly text: string;
  readonly number: number;
  readonly flag: boolean;
  readonly object: Readonly<Record<string, unknown>>;
  readonly list: readonly unknown[];
  readonly any: unknown;
}

/** Lines of the conversation and all other lines that have these fields. */
export const conversationRows = {
  ...each("text", "uuid", "timestamp", "sessionId", "agentId", "slug"),
  ...each("text", "cwd", "version", "gitBranch", "userType", "entrypoint"),
  isSidechain: "flag",
  /** The session that this one continues. Only some versions write it. */
  session_id: ["ancestorSessionId", "text"],
  forkedFrom: "any",
  /** Written by our store: the files of parts that are too large for the line. */
  hookline: "any",
} as const;

const conversation = table(conversationRows);

export const userRows = {
  ...each("text", "promptId", "permissionMode", "promptSource", "toolDenialKind", "refusedMessageId"),
  ...each("flag", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"),
  ...each("any", "origin", "turnOrigin", "turnPosition", "turnCompanion", "imagePasteIds", "queueSkipAttachments"),
  ...each("any", "toolUseResult", "permissionDecision", "sandboxed", "mcpCallNotReadOnly"),
  sourceToolAssistantUUID: ["sourceToolAssistantUuid", "text"],
} as const;

export const userFields: FieldTable = table(userRows, conversation);

export const assistantRows = {
  ...each("text", "requestId", "requestedModel", "advisorModel", "refusingModel", "refusedMessageId"),
  ...each("text", "attributionAgent", "attributionSkill", "attributionPlugin"),
  ...each("text", "attributionMcpServer", "attributionMcpTool"),
  ...each("flag", "isApiErrorMessage", "isAbortedMidStream"),
  ...each("number", "apiErrorStatus", "apiBlockIndex", "durationMs", "toolInputStreamMs", "thinkingDurationMs"),
  ...each("any", "error", "apiError", "apiErrorType", "errorDetails", "failedResponseHadNoToolCall"),
  ...each("any", "effort", "perTurnEffort", "thinkingDisplay", "requestRef", "promptCacheRequested", "madeBy"),
  costUSD: ["costUsd", "number"],
} as const;

export const assistantFields: FieldTable = table(assistantRows, conversation);

export const systemRows = {
  ...each("text", "level", "requestId", "originalModel", "refusedUserMessageUuid", "logicalParentUuid", "stopReason"),
  ...each("flag", "isMeta", "hasOutput", "preventedContinuation", "preventContinuation"),
  ...each("number", "durationMs", "messageCount", "hookCount", "retryInMs", "retryAttempt", "maxRetries"),
  ...each("list", "hookInfos", "hookErrors", "hookAdditionalContext"),
  ...each("any", "content", "error", "cause", "apiRefusalCategory", "apiRefusalExplanation"),
  compactMetadata: "object",
  toolUseID: ["toolUseId", "text"],
} as const;

export const systemFields: FieldTable = table(systemRows, conversation);

/** What the model received for an attachment, and in which role. Written by newer versions of Claude Code. */
export const attachmentRows = {
  rendered: "any",
  renderedRole: "text",
  renderedBesideToolResult: "flag",
  renderedInHumanTurn: "any",
} as const;

export const attachmentFields: FieldTable = table(attachmentRows, conversation);

export const systemSubtypes = [
  "compact_boundary",
  "stop_hook_summary",
  "turn_duration",
  "local_command",
  "informational",
  "tool_result",
  "api_error",
  "model_refusal_no_fallback",
] as const;

/** The known fields of each type of attachment. All fields are kept; only `drift` uses this list. */
export const attachmentInner = {
  hook_success: ["content", "stdout", "stderr", "exitCode", "command", "durationMs"],
  hook_non_blocking_error: ["content", "stdout", "stderr", "exitCode", "command", "durationMs"],
  hook_blocking_error: ["blockingError"],
  hook_additional_context: ["content"],
  hook_system_message: ["content"],
  hook_stopped_continuation: ["message"],
  hook_cancelled: ["timedOut", "timeoutMs", "command", "durationMs"],
  hook_error_during_execution: ["content", "command", "durationMs"],
  hook_deferred_tool: ["toolName", "toolInput", "content", "permissionMode"],
  hook_permission_decision: ["decision"],
  async_hook_response: ["processId", "response", "stdout", "stderr", "exitCode"],
  agent_listing_delta: [
    ...["addedTypes", "addedLines", "removedTypes", "isInitial", "showConcurrencyNote"],
    ...["builtInTypes", "builtInPluginTypes"],
  ],
  skill_listing: ["content", "skillCount", "isInitial", "names", "digests"],
  deferred_tools_delta: ["addedNames", "addedLines", "removedNames", "isInitial", "wireHiddenNames", "readdedNames"],
  nested_memory: ["path", "content", "displayPath"],
  file: ["filename", "content", "displayPath", "savedCopyFraming"],
  invoked_skills: ["skills"],
  command_permissions: ["allowedTools"],
  queued_command: [
    "prompt",
    "commandMode",
    "timestamp",
    "usage",
    "runId",
    "origin",
    "delivery_id",
    "source_uuid",
    "toolsUsedDelta",
  ],
  task_reminder: ["content", "itemCount"],
  total_tokens_reminder: ["content", "used", "total", "remaining"],
  environment: ["snapshot"],
  model: ["identity", "text"],
  date: ["date"],
  session_context: ["context"],
  prompt_snapshot: [
    ...["systemPrompt", "tools", "reminderFold", "echoWireToolInputs", "contextRendering", "cliPrefix"],
    ...["systemTurns", "toolChangeHeader", "inlineTools", "keptReminders"],
  ],
  remote_session_change: ["url", "commit", "pr", "sendUserFileHint", "managedCommit", "managedPr"],
  auto_mode: ["reminderType", "isFullReminder", "text", "content"],
  silent_turn_reminder: ["text"],
};

const bare = table({ content: "any" }, conversation);

/** Records outside the conversation, with their own fields. */
export const standaloneRows = {
  "queue-operation": { operation: "text", reason: "any", commandUuid: "any", deliveryId: "any" },
  "last-prompt": { lastPrompt: "text", leafUuid: "text" },
  mode: { mode: "text" },
  "permission-mode": { permissionMode: "text" },
  "ai-title": { aiTitle: "text" },
  "custom-title": { customTitle: "text" },
  "agent-name": { agentName: "text" },
  /** The agent that the session was started as. */
  "agent-setting": { agentSetting: "text" },
  "worktree-state": { worktreeSession: "any" },
  "file-history-snapshot": { messageId: "text", snapshot: "object", isSnapshotUpdate: "flag" },
  "file-history-delta": { messageId: "text", snapshot: "object", isSnapshotUpdate: "flag" },
  "bridge-session": { bridgeSessionId: "text" },
  "cost-state": {
    totalCostUSD: ["totalCostUsd", "number"],
    totalAPIDuration: ["totalApiDurationMs", "number"],
    totalAPIDurationWithoutRetries: ["totalApiDurationWithoutRetriesMs", "number"],
    totalToolDuration: ["totalToolDurationMs", "number"],
    totalDuration: ["totalDurationMs", "number"],
    ...each("number", "totalLinesAdded", "totalLinesRemoved", "startTime"),
    modelUsage: "object",
    hasUnknownModelCost: "flag",
  },
  /** Requests of Claude Code, in parts that are stored once. */
  "api-request": {
    id: ["requestRef", "text"],
    ...each("text", "querySource", "shapeHash", "requestDigest", "base"),
    ...each("any", "params", "cacheControl"),
    keep: "number",
    tail: "list",
  },
  "api-request-shape": { shapeHash: "text", shape: "any" },
  "api-request-blob": { hash: "text", message: "any" },
  "tools-used": { tools: "list" },
  "atis-latch": { atis: "any" },
  "frame-link": {},
  "pr-link": {},
  progress: { data: "any", toolUseID: ["toolUseId", "text"], parentToolUseID: ["parentToolUseId", "text"] },
  summary: { summary: "text", leafUuid: "text" },
  result: {},
} as const;

/** The kind of an entry outside the conversation. */
export type StandaloneKind = keyof typeof standaloneRows;

export const standaloneFields: ReadonlyMap<string, FieldTable> = new Map(
  Object.entries(standaloneRows).map(([kind, rows]) => [kind, table(rows, bare)]),
);

/** The field that a record of this type must have, in its type; otherwise the record is `other`. */
export const requiredFields: Partial<Record<string, string>> = {
  "queue-operation": "operation",
  mode: "mode",
  "permission-mode": "permissionMode",
  "ai-title": "aiTitle",
  "custom-title": "customTitle",
  "agent-name": "agentName",
  "agent-setting": "agentSetting",
  "file-history-snapshot": "snapshot",
  summary: "summary",
};

function table(rows: FieldRows, base: FieldTable = new Map()): FieldTable {
  const own = Object.entries(rows).map(([key, row]): [string, KnownField] => [
    key,
    typeof row === "string" ? { name: key, check: row } : { name: row[0], check: row[1] },
  ]);
  return new Map([...base, ...own]);
}
