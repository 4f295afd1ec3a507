export type { CheckFinding } from "./check/check-session.ts";
export { type RepairResult, repairSession } from "./check/repair-session.ts";
export { type ValidationResult, validateSession } from "./check/validate-session.ts";
export type { DocumentAgent, DocumentItem } from "./export/document.ts";
export { documentOf, type ExportFormat, exportSession } from "./export/export-session.ts";
export {
  findSession,
  lastActivity,
  listSessions,
  mostFrequentFirst,
  type SessionSummary,
} from "./find/find-sessions.ts";
export { findSessions, type SessionPlace, sessionFilesOf } from "./find/session-files.ts";
export {
  findRoots,
  folderName,
  projectFolderFilter,
  type RootOptions,
  type SessionRoot,
  storeRoot,
} from "./find/session-roots.ts";
export { findTranscripts, findTranscriptsOf, type TranscriptFile } from "./find/transcript-files.ts";
export { isTranscriptRecord } from "./formats/claude-code/build-entry.ts";
export { toEntry } from "./formats/claude-code/to-entry.ts";
export type { RecordDraft } from "./formats/claude-code/write-record.ts";
export { readSubagentMeta, type SubagentMeta } from "./home/client-json.ts";
export { type LiveSession, liveSessions, watchLive } from "./home/live-sessions.ts";
export { type ArchiveResult, archiveSession, expiringSessions } from "./keep/archive-session.ts";
export { migrateSession, rollbackSession } from "./keep/migrate-session.ts";
export { type Backup, listBackups } from "./keep/session-backup.ts";
export type { Branch } from "./model/branches.ts";
export type { EntryBlock, EntryToolResultBlock } from "./model/content-block.ts";
export type { AssistantEntry, AttachmentEntry, Entry, TranscriptItem, UserEntry } from "./model/entry.ts";
export type { GraphEntry } from "./model/entry-graph.ts";
export { textsIn, titleOf, userText } from "./model/entry-text.ts";
export { finalTextAtStop } from "./model/final-text.ts";
export {
  addTokens,
  isModelCall,
  type ModelCall,
  modelCallsOf,
  noTokens,
  readTokens,
  type Tokens,
  tokenNames,
} from "./model/model-call.ts";
export type { SessionModel } from "./model/session-model.ts";
export type { Turn } from "./model/session-turns.ts";
export type { Subagent } from "./model/subagents.ts";
export { textOfEntry } from "./query/query-filters.ts";
export type { SearchHit } from "./query/search-hits.ts";
export { searchIndex } from "./query/search-index.ts";
export { type SearchOptions, type SearchResult, searchSessions } from "./query/search-sessions.ts";
export { hasBom } from "./read/byte-source.ts";
export { cutArchive } from "./read/gzip-source.ts";
export { type JsonRecord, recordSource, recordsOf, type Unreadable } from "./read/json-records.ts";
export { agentSettingIn, readEntries } from "./read/read-entries.ts";
export { maxLineBytes, readLines } from "./read/read-lines.ts";
export { uuidPattern } from "./safe-paths.ts";
export { openSession, type Session, sessionAt } from "./session.ts";
export { forkNotePath, forkSession, forkSourceIn } from "./write/fork-session.ts";
export { openStore, type SessionStore } from "./write/session-store.ts";
export type { StoreSession } from "./write/store-session.ts";
export type { AppendRecordOptions, TranscriptWriter } from "./write/transcript-writer.ts";
