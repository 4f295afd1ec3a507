export type { DocumentAgent, DocumentItem } from "./export/document.ts";
export { documentOf } from "./export/export-session.ts";
export { findSession, lastActivity, mostFrequentFirst } from "./find/find-sessions.ts";
export { findSessions, sessionFilesOf } from "./find/session-files.ts";
export { findRoots, folderName, projectFolderFilter, storeRoot } from "./find/session-roots.ts";
export { findTranscripts, findTranscriptsOf, type TranscriptFile } from "./find/transcript-files.ts";
export { isTranscriptRecord } from "./formats/claude-code/build-entry.ts";
export { toEntry } from "./formats/claude-code/to-entry.ts";
export { readSubagentMeta } from "./home/claude-code-json.ts";
export { watchLive } from "./home/live-sessions.ts";
export * from "./index.ts";
export { expiringSessions } from "./keep/archive-session.ts";
export { migrateSession, rollbackSession } from "./keep/migrate-session.ts";
export { listBackups } from "./keep/session-backup.ts";
export { noBranch } from "./model/branches.ts";
export { textsIn, titleOf, userText } from "./model/entry-text.ts";
export {
  addTokens,
  isModelCall,
  modelCallsOf,
  noTokens,
  readTokens,
  tokenNames,
  totalTokens,
} from "./model/model-call.ts";
export { textOfEntry } from "./query/query-filters.ts";
export { searchIndex } from "./query/search-index.ts";
export { hasBom } from "./read/byte-source.ts";
export { cutArchive } from "./read/gzip-source.ts";
export { type JsonRecord, recordSource, recordsOf } from "./read/json-records.ts";
export { agentSettingIn, readEntries } from "./read/read-entries.ts";
export { maxLineBytes, readLines } from "./read/read-lines.ts";
export { uuidPattern } from "./safe-paths.ts";
export { sessionAt } from "./session.ts";
export { forkNotePath, forkSourceIn } from "./write/fork-session.ts";
