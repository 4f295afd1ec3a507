export { agentSettingIn } from "./agent-setting.ts";
export type { Agent, AgentLink } from "./agents.ts";
export { type Archived, type ArchiveOptions, archiveSession } from "./archive.ts";
export { type DueOptions, type DueSession, sessionsDue } from "./archive-due.ts";
export { type Backup, listBackups, pruneBackups, restoreBackup } from "./backup.ts";
export type { Block, TextBlock, ToolResultBlock, ToolUseBlock } from "./block.ts";
export type { Branch, Branches, BranchPoint } from "./branches.ts";
export { type SessionCache, sessionCache } from "./cache.ts";
export { type Call, callsOf, isCall, keyOf } from "./call.ts";
export type { Check, Checked, CheckFinding, Severity } from "./checks/check.ts";
export type { Compaction } from "./compaction.ts";
export { type Cursor, headOf, stillHolds } from "./cursor.ts";
export { type EntryReader, readEntries } from "./entries.ts";
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
} from "./entry.ts";
export { documentOf } from "./export/build.ts";
export type {
  DocumentAgent,
  DocumentImage,
  DocumentItem,
  DocumentOptions,
  DocumentTool,
  SessionDocument,
} from "./export/document.ts";
export { type ExportFormat, exportSession } from "./export/export.ts";
export { finalText, finalTextAtStop, type StopPayload, type StopText, type StopTextOptions } from "./final-text.ts";
export { type FindOptions, findSession } from "./find.ts";
export { type FollowEvent, type Following, type FollowOptions, followSession } from "./follow.ts";
export { type ForkOptions, forkSession } from "./fork.ts";
export { type ForkOrigin, forkNotePath, forkOriginIn } from "./fork-note.ts";
export type { Draft } from "./formats/claude-code/compose.ts";
export type { Drift } from "./formats/claude-code/drift.ts";
export { isRecord, toEntry } from "./formats/claude-code/entry.ts";
export { folderName } from "./formats/claude-code/folder-name.ts";
export {
  type AgentFile,
  filesOf,
  findNotes,
  findProjects,
  findSessions,
  findSessionsIn,
  type ProjectFolder,
  type SessionFiles,
  type SessionPlace,
  type WorkflowFiles,
} from "./formats/claude-code/locate.ts";
export { type AgentMeta, readMeta } from "./formats/claude-code/meta.ts";
export { archiveRoot, findRoots, type Origin, type Root, storeRoot, type Where } from "./formats/claude-code/roots.ts";
export { findTranscripts, findTranscriptsOf, type TranscriptFile } from "./formats/claude-code/transcripts.ts";
export { type Ability, claudeCode, type Format, needAbility } from "./formats/format.ts";
export type { Graph, GraphFinding, Linked, LinkKind } from "./graph.ts";
export { cutArchive } from "./gzip.ts";
export { type Header, readHeader } from "./header.ts";
export { type FileBackup, loadFileHistory } from "./home/file-history.ts";
export { type FlagOptions, type Flags, loadFlags } from "./home/flags.ts";
export { type HistoryEntry, type HistoryOptions, readHistory } from "./home/history.ts";
export { type LiveOptions, type LiveSession, liveSessions } from "./home/registry.ts";
export type { SaveOptions } from "./home/save-json.ts";
export { type EnvFile, listFolder, loadSessionEnv } from "./home/session-env.ts";
export { loadTasks, saveTask, type Task, type TaskChange } from "./home/tasks.ts";
export { loadTodos, saveTodos, type Todo, type TodoList } from "./home/todos.ts";
export { type LiveChange, watchLive } from "./home/watch-live.ts";
export { liesUnder, realInside } from "./inside.ts";
export type { Ancestor } from "./lineage.ts";
export { type Line, type LineOptions, type LineReader, maxLineBytes, readLines, type Tail } from "./lines.ts";
export { type ListOptions, listSessions, type SessionSummary } from "./list.ts";
export { type MigrateOptions, type Migration, migrateSession, rollbackSession } from "./migrate.ts";
export type { Finding, OwnedCall, SessionModel } from "./model.ts";
export { type PutBack, putBack } from "./put-back.ts";
export type { Query } from "./query.ts";
export type { Element } from "./query-facts.ts";
export { type Boundary, timeOf } from "./query-time.ts";
export { type JsonRecord, recordsOf, type SourceFile } from "./records.ts";
export type { Mend } from "./repair/desk.ts";
export { type Repair, type RepairOptions, repairSession } from "./repair.ts";
export type { AgentReport } from "./reports.ts";
export type { ResumeForecast } from "./resume-forecast.ts";
export { sayOf } from "./say.ts";
export { type SearchHit, type SearchOptions, type SearchResult, searchSessions } from "./search.ts";
export { searchIndex } from "./search-index.ts";
export type { TextKind } from "./search-text.ts";
export { type OpenSessionOptions, openSession, type Session, sessionAt } from "./session.ts";
export { isSafeId, safeId } from "./session-id.ts";
export { readSpilled } from "./spilled.ts";
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
} from "./sqlite.ts";
export type { CallSpeed, PriceOf, SessionStats, ToolStats } from "./stats.ts";
export {
  type OpenOptions,
  openStore,
  type ResumedSession,
  type SessionOptions,
  type Store,
  type StoreOptions,
} from "./store.ts";
export type { StoreSession } from "./store-session.ts";
export type { Thread } from "./thread.ts";
export { titleOf } from "./title.ts";
export { addTokens, noTokens, readTokens, type TokenPart, type TokenReading, type Tokens } from "./tokens.ts";
export type { ToolCall, ToolStatus } from "./tool-call.ts";
export type { Appended, AppendRecordOptions, Transcript } from "./transcript.ts";
export type { LocalCommand, Turn, TurnEnd, Turns } from "./turn.ts";
export { type ValidateOptions, type Validation, validateSession } from "./validate.ts";
export type { WindowWish } from "./window.ts";
