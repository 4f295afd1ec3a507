/**
 * Interfaces whose members need no comment: users only read them (the first block), or they are a format of Claude Code or the Messages API
 * (the second block). Every member of any other exported interface has one: users set, implement or call it. A test checks this.
 */
export const resultTypes = new Set(
  `
  BackgroundAnswer BackgroundEntry EventRow HookAnswerRecord HookRef Judgement NotCovered PinnedFile Policy
  RefusedChange ReloadReport ReviewedFile TrustEntry TrustReview Warning WrittenGrant CatalogRow EventSpecials MatchedField
  Ancestor ArchiveResult AttributedCall Backup Branch BranchPoint Branches CallSpeed CheckFinding CheckedSession CompactMetadata Compaction
  Conversation Cursor EntryCounts FileBackup FileTail FormatDrift Graph GraphFinding HistoryEntry LiveSession LocalCommand ModelCall
  ModelFinding ParentChainResult RepairResult SavedFile SearchHit SearchResult SessionFiles SessionHeader SessionModel SessionPlace
  SessionStats SessionSummary SessionToolCall StopText Subagent SubagentFile SubagentMeta SubagentOrigin Tail Task TaskNotification TokenPart
  TokenUsage Tokens ToolStats Turn TurnList Unreadable ValidationResult WorkflowFiles
  AgentRow Amounts BlockRow Breakdown DayRow ModelRow MonthRow ProjectRow Reconciled ReportRows SessionRow ShownPrice Statusline
  StatuslineInput UnpricedModel UsageReport UsageWarning WeekRow
  Combined CommandPart FilePart JudgedPart JudgedPath Places PolicyRule RuleRef RuleWarning ShellAnalysis ShellProblem ShellWord StatePart
  AgentAnswer Denial ModelSpending AgentResult HookSpending McpState TaskIdentity TaskUsage
  ResumeCommands SessionResult SessionWarning AppWarning HandlerTrace KnownModel

  CommonInput EventInputs HookOutput HookSpecificOutput PermissionOutput ToolInputs ToolResponses
  AssistantEntry AttachmentEntry ConversationFields EntryPosition StandaloneEntry SystemEntry UnknownEntry UserEntry
  AdvisorResultBlock CompactionBlock EntryDocumentBlock EntryImageBlock EntryRedactedThinkingBlock EntryTextBlock EntryThinkingBlock
  EntryToolResultBlock EntryToolUseBlock ServerToolUseBlock UnknownBlock WebSearchResultBlock
  Base64Source DocumentBlock ImageBlock RedactedThinkingBlock TextBlock ThinkingBlock ToolResultBlock ToolUseBlock
  `.match(/\w+/g),
);
