export type { Check, Checked, CheckFinding, Severity } from "./check/check-finding.ts";
export type { Mend } from "./check/repair-lines.ts";
export { type Repair, type RepairOptions, repairSession } from "./check/repair-session.ts";
export type { ResumeForecast } from "./check/validate-session.ts";
export { type ValidateOptions, type Validation, validateSession } from "./check/validate-session.ts";
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
export { type ListOptions, listSessions, type SessionSummary } from "./find/list-sessions.ts";
export {
  type AgentFile,
  filesOf,
  findProjects,
  findSessions,
  findSessionsIn,
  type ProjectFolder,
  type SessionFiles,
  type SessionPlace,
  type WorkflowFiles,
} from "./find/session-files.ts";
export {
  archiveRoot,
  findRoots,
  folderName,
  type Origin,
  type Root,
  storeRoot,
  type Where,
} from "./find/session-roots.ts";
export { findTranscripts, findTranscriptsOf, type TranscriptFile } from "./find/transcript-files.ts";
export type { Drift } from "./formats/claude-code/format-drift.ts";
export { isRecord, toEntry } from "./formats/claude-code/to-entry.ts";
export type { Draft } from "./formats/claude-code/write-record.ts";
export {
  type FileBackup,
  type HistoryEntry,
  type HistoryOptions,
  loadFileHistory,
  readHistory,
} from "./home/client-files.ts";
export { type AgentMeta, readMeta } from "./home/client-json.ts";
export type { SaveOptions } from "./home/client-tasks.ts";
export {
  loadTasks,
  saveTask,
  type Task,
  type TaskChange,
} from "./home/client-tasks.ts";
export { type LiveChange, type LiveOptions, type LiveSession, liveSessions, watchLive } from "./home/live-sessions.ts";
export {
  type Archived,
  type ArchiveOptions,
  archiveSession,
  type DueOptions,
  type DueSession,
  sessionsDue,
} from "./keep/archive-session.ts";
export { type MigrateOptions, type Migration, migrateSession, rollbackSession } from "./keep/migrate-session.ts";
export { type Backup, listBackups, restoreBackup } from "./keep/session-backup.ts";
export type { Branch, Branches, BranchPoint } from "./model/branches.ts";
export type { Compaction } from "./model/compactions.ts";
export type { Block, TextBlock, ToolResultBlock, ToolUseBlock } from "./model/content-block.ts";
export type {
  AssistantEntry,
  AttachmentEntry,
  BareEntry,
  BareKind,
  CompactMetadata,
  Entry,
  Item,
  OtherEntry,
  Placed,
  PromptSource,
  SystemEntry,
  Threaded,
  Unreadable,
  UserEntry,
  UserRole,
} from "./model/entry.ts";
export type { Graph, GraphFinding, Linked, LinkKind } from "./model/entry-graph.ts";
export { sayOf, titleOf } from "./model/entry-text.ts";
export {
  finalText,
  finalTextAtStop,
  type StopPayload,
  type StopText,
  type StopTextOptions,
} from "./model/final-text.ts";
export type { Ancestor } from "./model/lineage.ts";
export { type Call, callsOf, isCall, keyOf } from "./model/model-call.ts";
export type { Finding, OwnedCall, SessionModel } from "./model/session-model.ts";
export type { CallSpeed, PriceOf, SessionStats, ToolStats } from "./model/session-stats.ts";
export type { AgentReport, ToolCall, ToolStatus } from "./model/session-tool-call.ts";
export type { LocalCommand, Turn, TurnEnd, Turns } from "./model/session-turns.ts";
export type { Agent, AgentLink } from "./model/subagents.ts";
export { addTokens, noTokens, readTokens, type TokenPart, type TokenReading, type Tokens } from "./model/tokens.ts";
export type { Thread } from "./model/transcript-conversation.ts";
export { readSpilled } from "./parts/part-files.ts";
export type { Query } from "./query/query.ts";
export type { Element } from "./query/query-filters.ts";
export { type Boundary, timeOf } from "./query/query-filters.ts";
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
export { type Cursor, headOf, stillHolds } from "./read/byte-source.ts";
export type { WindowWish } from "./read/entry-window.ts";
export { type FollowEvent, type Following, type FollowOptions, followSession } from "./read/follow-session.ts";
export { cutArchive } from "./read/gzip-source.ts";
export { type JsonRecord, recordsOf, type SourceFile } from "./read/json-records.ts";
export { type EntryReader, readEntries } from "./read/read-entries.ts";
export { type Line, type LineOptions, type LineReader, maxLineBytes, readLines, type Tail } from "./read/read-lines.ts";
export { agentSettingIn } from "./read/read-reverse.ts";
export { type Header, readHeader } from "./read/session-header.ts";
export { isSafeId, liesUnder, realInside, safeId } from "./safe-paths.ts";
export { type OpenSessionOptions, openSession, type Session, sessionAt } from "./session.ts";
export { type ForkOptions, type ForkOrigin, forkNotePath, forkOriginIn, forkSession } from "./write/fork-session.ts";
export {
  type OpenOptions,
  openStore,
  type ResumedSession,
  type SessionOptions,
  type Store,
  type StoreOptions,
} from "./write/session-store.ts";
export type { StoreSession } from "./write/store-session.ts";
export type { Appended, AppendRecordOptions, Transcript } from "./write/transcript-writer.ts";
