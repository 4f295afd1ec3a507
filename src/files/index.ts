export { type AppendOptions, appendLines, type LineWriter, withAppend } from "./append.ts";
export { FileProblem, type FileProblemCode } from "./file-problem.ts";
export { errorCode, type Fs, type FsFile, nodeFs, openFor, readAll, unless, writeAll } from "./fs.ts";
export { ensureFolder, findFolder, type HomeSource, openFolder, openState, statePath, whyUnsafe } from "./home.ts";
export { type BusyLock, type HeldLock, type LockOptions, takeLock, withLock } from "./lock.ts";
export { lifeOf, type Owner, ownOwner, processExists, processStart } from "./owner.ts";
export { type PrivateFileOptions, readPrivate, writePrivate } from "./private.ts";
export { type Replaced, type ReplaceOptions, replaceFile } from "./replace.ts";
export { sweepLeftovers, tempName } from "./temp-name.ts";
