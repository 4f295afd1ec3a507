export type { CheckedSession, CheckFinding, SessionCheck, Severity } from "./check/check-finding.ts";
export type { RepairStep } from "./check/repair-lines.ts";
export { type RepairOptions, type RepairResult, repairSession } from "./check/repair-session.ts";
export type { ParentChainResult } from "./check/validate-session.ts";
export { type ValidateOptions, type ValidationResult, validateSession } from "./check/validate-session.ts";
export { documentOf } from "./export/build-document.ts";
export type {
  DocumentAgent,
  DocumentImage,
  DocumentItem,
  DocumentOptions,
  DocumentTool,
  SessionDocument,
} from "./export/document.ts";
export { type ExportFormat, exportSession } from "./export/export-session.ts";
export { type FindOptions, findSession } from "./find/find-session.ts";
export { type ListSessionsOptions, listSessions, type SessionSummary } from "./find/list-sessions.ts";
export {
  findProjects,
  findSessions,
  findSessionsIn,
  type ProjectFolder,
  type SessionFiles,
  type SessionPlace,
  type SubagentFile,
  sessionFilesOf,
  type WorkflowFiles,
} from "./find/session-files.ts";
export {
  archiveRoot,
  findRoots,
  folderName,
  type RootOptions,
  type RootOrigin,
  type SessionRoot,
  storeRoot,
} from "./find/session-roots.ts";
export { findTranscripts, findTranscriptsOf, type TranscriptFile } from "./find/transcript-files.ts";
export type { FormatDrift } from "./formats/claude-code/format-drift.ts";
export { isTranscriptRecord, toEntry } from "./formats/claude-code/to-entry.ts";
export type { RecordDraft } from "./formats/claude-code/write-record.ts";
export {
  type FileBackup,
  type HistoryEntry,
  type HistoryOptions,
  loadFileHistory,
  readHistory,
} from "./home/client-files.ts";
export { readSubagentMeta, type SubagentMeta } from "./home/client-json.ts";
export type { SaveOptions } from "./home/client-tasks.ts";
export {
  loadTasks,
  saveTask,
  type Task,
  type TaskChange,
} from "./home/client-tasks.ts";
export { type LiveChange, type LiveOptions, type LiveSession, liveSessions, watchLive } from "./home/live-sessions.ts";
export {
  type ArchiveOptions,
  type ArchiveResult,
  archiveSession,
  type ExpiringOptions,
  type ExpiringSession,
  expiringSessions,
} from "./keep/archive-session.ts";
export { type MigrateOptions, type MigrationResult, migrateSession, rollbackSession } from "./keep/migrate-session.ts";
export { type Backup, listBackups, restoreBackup } from "./keep/session-backup.ts";
export type { Branch, Branches, BranchPoint } from "./model/branches.ts";
export type { Compaction } from "./model/compactions.ts";
export type { EntryBlock, EntryTextBlock, EntryToolResultBlock, EntryToolUseBlock } from "./model/content-block.ts";
export type {
  AssistantEntry,
  AttachmentEntry,
  CompactMetadata,
  ConversationFields,
  Entry,
  EntryPosition,
  PromptSource,
  StandaloneEntry,
  StandaloneKind,
  SystemEntry,
  TranscriptItem,
  UnknownEntry,
  Unreadable,
  UserEntry,
  UserRole,
} from "./model/entry.ts";
export type { Graph, GraphEntry, GraphFinding, ParentLink } from "./model/entry-graph.ts";
export { titleOf, userText } from "./model/entry-text.ts";
export {
  finalText,
  finalTextAtStop,
  type StopPayload,
  type StopText,
  type StopTextOptions,
} from "./model/final-text.ts";
export type { Ancestor } from "./model/lineage.ts";
export { callKey, isModelCall, type ModelCall, modelCallsOf } from "./model/model-call.ts";
export type { AttributedCall, ModelFinding, SessionModel } from "./model/session-model.ts";
export type { CallSpeed, PriceOf, SessionStats, ToolStats } from "./model/session-stats.ts";
export type { SessionToolCall, TaskNotification, ToolStatus } from "./model/session-tool-call.ts";
export type { LocalCommand, Turn, TurnEnd, TurnList } from "./model/session-turns.ts";
export type { Subagent, SubagentLink } from "./model/subagents.ts";
export { addTokens, noTokens, readTokens, type TokenPart, type Tokens, type TokenUsage } from "./model/tokens.ts";
export type { Conversation } from "./model/transcript-conversation.ts";
export { readSpilledOutput } from "./parts/part-files.ts";
export type { Query } from "./query/query.ts";
export type { QueryElement } from "./query/query-filters.ts";
export { boundaryTimeMs, type TimeBoundary } from "./query/query-filters.ts";
export type { TextKind } from "./query/search-hits.ts";
export { searchIndex } from "./query/search-index.ts";
export { type SearchHit, type SearchOptions, type SearchResult, searchSessions } from "./query/search-sessions.ts";
export {
  openSqlite,
  type Row,
  removeLeftLock,
  type Sqlite,
  type SqliteDriver,
  type SqliteOptions,
  type SqlValue,
  type Statement,
  sqliteDriver,
} from "./query/sqlite.ts";
export { type Cursor, headHash, isCursorValid } from "./read/byte-source.ts";
export type { WindowRequest } from "./read/entry-window.ts";
export { type FollowEvent, type Following, type FollowOptions, followSession } from "./read/follow-session.ts";
export { cutArchive } from "./read/gzip-source.ts";
export { type JsonRecord, type RecordSource, recordsOf } from "./read/json-records.ts";
export { type EntryReader, readEntries } from "./read/read-entries.ts";
export { type Line, type LineOptions, type LineReader, maxLineBytes, readLines, type Tail } from "./read/read-lines.ts";
export { agentSettingIn } from "./read/read-reverse.ts";
export { readHeader, type SessionHeader } from "./read/session-header.ts";
export { isPathInside, isSafeId, resolveInside, safeId } from "./safe-paths.ts";
export { type OpenSessionOptions, openSession, type Session, sessionAt } from "./session.ts";
export { type ForkOptions, type ForkOrigin, forkNotePath, forkOriginIn, forkSession } from "./write/fork-session.ts";
export {
  type OpenOptions,
  openStore,
  type ResumedSession,
  type SessionOptions,
  type SessionStore,
  type StoreOptions,
} from "./write/session-store.ts";
export type { StoreSession } from "./write/store-session.ts";
export type { AppendRecordOptions, AppendResult, TranscriptWriter } from "./write/transcript-writer.ts";
