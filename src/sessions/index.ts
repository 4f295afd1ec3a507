export type { Block } from "./block.ts";
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
export { isRecord, toEntry } from "./formats/claude-code/entry.ts";
export { folderName } from "./formats/claude-code/folder-name.ts";
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
} from "./formats/claude-code/locate.ts";
export { archiveRoot, findRoots, type Origin, type Root, storeRoot, type Where } from "./formats/claude-code/roots.ts";
export { liesUnder, realInside } from "./inside.ts";
export { type Line, type LineOptions, type LineReader, maxLineBytes, readLines, type Tail } from "./lines.ts";
export { type JsonRecord, recordsOf, type SourceFile } from "./records.ts";
export { isSafeId, safeId } from "./session-id.ts";
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
export {
  type OpenOptions,
  openStore,
  type Store,
  type StoreOptions,
  type StoreSession,
} from "./store.ts";
