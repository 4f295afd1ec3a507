/** What a person can do about what a file system refuses. */
const wayOut: Readonly<Record<string, string>> = {
  EACCES: "This user may not do that: see whose it is, and its mode (ls -ld).",
  EPERM: "This user may not do that: see whose it is (ls -ld).",
  EROFS: "That file system takes no changes: choose another folder.",
  ENOSPC: "The disk is full: make room and try again.",
  EDQUOT: "Your share of the disk is used up: make room and try again.",
  EIO: "The disk does not answer: look after it and try again.",
  ELOOP: "A link there leads in a circle: remove it.",
  ENOTDIR: "A part of that path is no folder: move it away.",
  EISDIR: "There is a folder where a file should be: move it away.",
  ENAMETOOLONG: "That path is too long for this file system: choose a shorter one.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n) and try again.",
  ENFILE: "Too many files are open on this machine: try again later.",
};

/** What the machine has against a call, with the way out; undefined when that is not what the error tells. It is no bug of ours. */
export function machineError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") return "The folder you stand in is not there any more. Go to another (cd) and try again.";
  if (syscall === undefined || code === undefined || !Object.hasOwn(wayOut, code)) return undefined;
  return `${error.message}. ${wayOut[code]}`;
}
