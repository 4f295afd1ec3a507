export { type AppendOptions, appendLines, type LineWriter, withAppend } from "./append-lines.ts";
export { answerProof, isAnswerProof, proofHeaders } from "./daemon-proof.ts";
export {
  type DaemonRecord,
  daemonFolderOf,
  daemonRecordMark,
  isDaemonAlive,
  readDaemonRecord,
  startTag,
} from "./daemon-record.ts";
export { directFs } from "./direct-fs.ts";
export { type Fs, type FsFile, nodeFs, openFor, readAll, writeAll } from "./disk.ts";
export { errorCode, unless } from "./error-code.ts";
export { type BusyLock, type HeldLock, type LockOptions, takeLock, withLock } from "./file-lock.ts";
export { isFileProblem } from "./file-problem.ts";
export { readOrdinary } from "./ordinary.ts";
export { isOwnState } from "./own-folder.ts";
export { packageFile, packageVersion } from "./package.ts";
export { isInside } from "./paths.ts";
export { type PrivateFileOptions, readPrivate, readState, writePrivate } from "./private-file.ts";
export { lifeOf, type Owner, ownOwner, processExists, processStart } from "./process-identity.ts";
export { type Replaced, type ReplaceOptions, replaceFile } from "./replace-file.ts";
export { sha256 } from "./sha256.ts";
export {
  ensureFolder,
  findFolder,
  type HomeSource,
  homeFolder,
  openFolder,
  openState,
  statePath,
  whyUnsafe,
} from "./state-folder.ts";
export { sweepLeftovers, tempName } from "./temp-file.ts";
export { ticks } from "./ticks.ts";
