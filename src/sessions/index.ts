export type { CheckedSession, CheckFinding, FileTail, SessionCheck, Severity } from "./check/check-session.ts";
export type { RepairStep } from "./check/repair-lines.ts";
export { type RepairOptions, type RepairResult, repairSession } from "./check/repair-session.ts";
export {
  type EntryCounts,
  type ParentChainResult,
  type ValidateOptions,
  type ValidationResult,
  validateSession,
} from "./check/validate-session.ts";
export type { DocumentOptions } from "./export/document.ts";
export { type ExportFormat, exportSession } from "./export/export-session.ts";
export {
  type FindOptions,
  type ListSessionsOptions,
  listSessions,
  type SessionSummary,
} from "./find/find-sessions.ts";
export type { SessionFiles, SessionPlace, SubagentFile, WorkflowFiles } from "./find/session-files.ts";
export type { RootOptions, RootOrigin, SessionRoot } from "./find/session-roots.ts";
export type { FormatDrift } from "./formats/claude-code/format-drift.ts";
export type { RecordDraft } from "./formats/claude-code/write-record.ts";
export {
  type FileBackup,
  type HistoryEntry,
  type HistoryOptions,
  loadFileHistory,
  readHistory,
} from "./home/claude-code-files.ts";
export type { SubagentMeta } from "./home/claude-code-json.ts";
export { loadTasks, type SaveOptions, saveTask, type Task, type TaskChange } from "./home/claude-code-tasks.ts";
export { type LiveOptions, type LiveSession, liveSessions, type StartOf } from "./home/live-sessions.ts";
export { type ArchiveOptions, type ArchiveResult, archiveSession } from "./keep/archive-session.ts";
export type { Backup, SavedFile } from "./keep/session-backup.ts";
export type { Branch, Branches, BranchPoint } from "./model/branches.ts";
export type { Compaction } from "./model/compactions.ts";
export type {
  AdvisorResultBlock,
  CompactionBlock,
  EntryBlock,
  EntryDocumentBlock,
  EntryImageBlock,
  EntryRedactedThinkingBlock,
  EntryTextBlock,
  EntryThinkingBlock,
  EntryToolResultBlock,
  EntryToolUseBlock,
  ServerToolUseBlock,
  UnknownBlock,
  WebSearchResultBlock,
} from "./model/content-block.ts";
export type {
  AssistantEntry,
  AttachmentEntry,
  AttachmentType,
  CompactMetadata,
  ConversationFields,
  Entry,
  EntryPosition,
  HookAttachmentType,
  PromptSource,
  StandaloneEntry,
  StandaloneKind,
  SystemEntry,
  SystemSubtype,
  TranscriptItem,
  UnknownEntry,
  UserEntry,
  UserRole,
} from "./model/entry.ts";
export type { Graph, GraphEntry, GraphFinding, ParentLink } from "./model/entry-graph.ts";
export { finalTextAtStop, type StopPayload, type StopText, type StopTextOptions } from "./model/final-text.ts";
export type { Ancestor } from "./model/lineage.ts";
export type { ModelCall, TokenPart, Tokens, TokenUsage } from "./model/model-call.ts";
export type { AttributedCall, ModelFinding, SessionModel } from "./model/session-model.ts";
export type { CallSpeed, PriceOf, SessionStats, ToolStats } from "./model/session-stats.ts";
export type { SessionToolCall, TaskNotification, ToolStatus } from "./model/session-tool-call.ts";
export type { LocalCommand, Turn, TurnEnd, TurnList } from "./model/session-turns.ts";
export type { Subagent, SubagentLink, SubagentOrigin } from "./model/subagents.ts";
export type { Conversation } from "./model/transcript-conversation.ts";
export { readSpilledOutput } from "./parts/part-files.ts";
export type { Query, QueryElement, TimeBoundary } from "./query/query.ts";
export type { SearchHit, TextKind } from "./query/search-hits.ts";
export type { SearchPatternOptions } from "./query/search-pattern.ts";
export { type SearchOptions, type SearchResult, searchSessions } from "./query/search-sessions.ts";
export type { Cursor } from "./read/byte-source.ts";
export type { WindowRequest } from "./read/entry-window.ts";
export { type FollowEvent, type Following, type FollowOptions, followSession } from "./read/follow-session.ts";
export type { RawBytes, Unreadable } from "./read/json-records.ts";
export type { Tail } from "./read/read-lines.ts";
export type { SessionHeader } from "./read/session-header.ts";
export { type OpenSessionOptions, openSession, type Session, type SessionAtOptions } from "./session.ts";
export { type ForkOptions, forkSession } from "./write/fork-session.ts";
export {
  type OpenOptions,
  openStore,
  type ResumedSession,
  type SessionStore,
} from "./write/session-store.ts";
export type { SessionOptions, StoreOptions, StoreSession } from "./write/store-session.ts";
export type { AppendRecordOptions, AppendResult, TranscriptWriter } from "./write/transcript-writer.ts";
