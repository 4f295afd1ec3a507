export { type AppendOptions, appendLines, type LineWriter, withAppend } from "./append-lines.ts";
export {
  answerProof,
  type DaemonRecord,
  daemonFolderOf,
  daemonRecordMark,
  isAnswerProof,
  isDaemonAlive,
  proofHeaders,
  readDaemonRecord,
  startTag,
} from "./daemon-record.ts";
export { directFs, type Fs, type FsFile, nodeFs, openFor, readAll, writeAll } from "./disk.ts";
export { type BusyLock, type HeldLock, type LockOptions, takeLock, withLock } from "./file-lock.ts";
export { errorCode, isFileProblem, unless } from "./file-problem.ts";
export { ticks } from "./in-process-queue.ts";
export { packageFile, packageVersion } from "./package.ts";
export { isInside } from "./paths.ts";
export { type PrivateFileOptions, readOrdinary, readPrivate, readState, writePrivate } from "./private-file.ts";
export { lifeOf, type Owner, ownOwner, processExists, processStart } from "./process-identity.ts";
export { type Replaced, type ReplaceOptions, replaceFile } from "./replace-file.ts";
export { sha256 } from "./sha256.ts";
export {
  ensureFolder,
  findFolder,
  type HomeSource,
  homeFolder,
  isOwnState,
  openFolder,
  openState,
  statePath,
  whyUnsafe,
} from "./state-folder.ts";
export { sweepLeftovers, tempName } from "./temp-file.ts";
