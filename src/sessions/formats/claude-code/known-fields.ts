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

const thread = table({
  uuid: "text",
  isSidechain: "flag",
  timestamp: "text",
  sessionId: "text",
  cwd: "text",
  version: "text",
  gitBranch: "text",
  userType: "text",
  entrypoint: "text",
  agentId: "text",
  slug: "text",
  session_id: ["ancestorSessionId", "text"],
  forkedFrom: "any",
  hookline: "any",
});

export const userFields: FieldTable = table(
  {
    promptId: "text",
    permissionMode: "text",
    promptSource: "text",
    origin: "any",
    toolUseResult: "any",
    toolDenialKind: "text",
    sourceToolAssistantUUID: ["sourceToolAssistantUuid", "text"],
    isMeta: "flag",
    isCompactSummary: "flag",
    isVisibleInTranscriptOnly: "flag",
    turnOrigin: "any",
    turnPosition: "any",
    turnCompanion: "any",
    permissionDecision: "any",
    sandboxed: "any",
    mcpCallNotReadOnly: "any",
    imagePasteIds: "any",
    queueSkipAttachments: "any",
    refusedMessageId: "text",
  },
  thread,
);

export const assistantFields: FieldTable = table(
  {
    requestId: "text",
    error: "any",
    isApiErrorMessage: "flag",
    apiErrorStatus: "number",
    apiError: "any",
    errorDetails: "any",
    attributionAgent: "text",
    attributionSkill: "text",
    attributionPlugin: "text",
    attributionMcpServer: "text",
    attributionMcpTool: "text",
    advisorModel: "text",
    effort: "any",
    apiBlockIndex: "number",
    isAbortedMidStream: "flag",
    costUSD: ["costUsd", "number"],
    durationMs: "number",
    requestRef: "any",
    requestedModel: "text",
    promptCacheRequested: "any",
    perTurnEffort: "any",
    madeBy: "any",
    toolInputStreamMs: "number",
    thinkingDurationMs: "number",
    thinkingDisplay: "any",
    apiErrorType: "any",
    failedResponseHadNoToolCall: "any",
    refusingModel: "text",
    refusedMessageId: "text",
  },
  thread,
);

export const systemFields: FieldTable = table(
  {
    content: "any",
    level: "text",
    isMeta: "flag",
    toolUseID: ["toolUseId", "text"],
    logicalParentUuid: "text",
    compactMetadata: "object",
    hookCount: "number",
    hookInfos: "list",
    hookErrors: "list",
    hookAdditionalContext: "list",
    preventedContinuation: "flag",
    preventContinuation: "flag",
    stopReason: "text",
    hasOutput: "flag",
    durationMs: "number",
    messageCount: "number",
    originalModel: "text",
    requestId: "text",
    apiRefusalCategory: "any",
    apiRefusalExplanation: "any",
    refusedUserMessageUuid: "text",
    error: "any",
    cause: "any",
    retryInMs: "number",
    retryAttempt: "number",
    maxRetries: "number",
  },
  thread,
);

export const attachmentFields: FieldTable = table(
  { rendered: "any", renderedRole: "text", renderedBesideToolResult: "flag", renderedInHumanTurn: "any" },
  thread,
);

/** What is known inside an attachment, by its type; for `drift` only, since all of it is kept. */
export const attachmentInner: Readonly<Record<string, readonly string[]>> = {
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
    ...[
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

const bare = table({ content: "any" }, thread);

/** Bare types with their own fields; the first one named must be there, in its type, or the record is `other`. */
export const standaloneFields: Readonly<Record<string, { readonly needs?: string; readonly fields: FieldTable }>> = {
  "queue-operation": {
    needs: "operation",
    fields: table({ operation: "text", reason: "any", commandUuid: "any", deliveryId: "any" }, bare),
  },
  "last-prompt": { fields: table({ lastPrompt: "text", leafUuid: "text" }, bare) },
  mode: { needs: "mode", fields: table({ mode: "text" }, bare) },
  "permission-mode": { needs: "permissionMode", fields: table({ permissionMode: "text" }, bare) },
  "ai-title": { needs: "aiTitle", fields: table({ aiTitle: "text" }, bare) },
  "custom-title": { needs: "customTitle", fields: table({ customTitle: "text" }, bare) },
  "agent-name": { needs: "agentName", fields: table({ agentName: "text" }, bare) },
  "agent-setting": { needs: "agentSetting", fields: table({ agentSetting: "text" }, bare) },
  "worktree-state": { fields: table({ worktreeSession: "any" }, bare) },
  "file-history-snapshot": {
    needs: "snapshot",
    fields: table({ messageId: "text", snapshot: "object", isSnapshotUpdate: "flag" }, bare),
  },
  "file-history-delta": { fields: table({ messageId: "text", snapshot: "object", isSnapshotUpdate: "flag" }, bare) },
  "bridge-session": { fields: table({ bridgeSessionId: "text" }, bare) },
  "cost-state": {
    fields: table(
      {
        totalCostUSD: ["totalCostUsd", "number"],
        totalAPIDuration: ["totalApiDurationMs", "number"],
        totalAPIDurationWithoutRetries: ["totalApiDurationWithoutRetriesMs", "number"],
        totalToolDuration: ["totalToolDurationMs", "number"],
        totalDuration: ["totalDurationMs", "number"],
        totalLinesAdded: "number",
        totalLinesRemoved: "number",
        startTime: "number",
        modelUsage: "object",
        hasUnknownModelCost: "flag",
      },
      bare,
    ),
  },
  "api-request": {
    fields: table(
      {
        id: ["requestRef", "text"],
        querySource: "text",
        shapeHash: "text",
        params: "any",
        keep: "number",
        tail: "list",
        cacheControl: "any",
        requestDigest: "text",
        base: "text",
      },
      bare,
    ),
  },
  "api-request-shape": { fields: table({ shapeHash: "text", shape: "any" }, bare) },
  "api-request-blob": { fields: table({ hash: "text", message: "any" }, bare) },
  "tools-used": { fields: table({ tools: "list" }, bare) },
  "atis-latch": { fields: table({ atis: "any" }, bare) },
  "frame-link": { fields: bare },
  "pr-link": { fields: bare },
  progress: {
    fields: table(
      { data: "any", toolUseID: ["toolUseId", "text"], parentToolUseID: ["parentToolUseId", "text"] },
      bare,
    ),
  },
  summary: { needs: "summary", fields: table({ summary: "text", leafUuid: "text" }, bare) },
  result: { fields: bare },
};

function table(rows: Record<string, FieldType | readonly [string, FieldType]>, base?: FieldTable): FieldTable {
  const own = Object.entries(rows).map(([key, row]): [string, KnownField] => [
    key,
    typeof row === "string" ? { name: key, check: row } : { name: row[0], check: row[1] },
  ]);
  return new Map([...(base ?? []), ...own]);
}
