export { appendLines, type LineWriter, withAppend } from "./append-lines.ts";
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
export {
  closeAfter,
  errorCode,
  type Fs,
  ignoringErrors,
  ignoringErrorsSync,
  isFileProblem,
  nodeFs,
  openFlags,
  readWholeFile,
  sha256,
  succeedsUnless,
  syncBackedFs,
  withFileSync,
  writeWholeFile,
} from "./disk.ts";
export { type HeldLock, takeLock, withLock } from "./file-lock.ts";
export { inOrder, monotonicMs } from "./in-process-queue.ts";
export { npmInstallCommand, packageFile, packageVersion } from "./package.ts";
export { readPrivate, readRegularFile, readState, writePrivate } from "./private-file.ts";
export { livenessOf, ownIdentity, type ProcessIdentity, processExists, processStart } from "./process-identity.ts";
export { removeOldest } from "./remove-oldest.ts";
export { replaceFile } from "./replace-file.ts";
export {
  type Env,
  ensureFolder,
  findFolder,
  type HomeSource,
  homeFolder,
  isInside,
  isStateFolderSafe,
  isStateInCheckout,
  makeFolderSync,
  openFolder,
  openState,
  statePath,
  unsafeReason,
} from "./state-folder.ts";
export { sweepLeftovers, tempName } from "./temp-file.ts";
export { writeFully } from "./write-fully.ts";
