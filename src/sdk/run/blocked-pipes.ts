/**
 * Opens the other end of named pipes that threads of this process wait for, so that they continue. On Linux only, where `/proc` names
 * the system call that each thread is in.
 *
 * Contract: uses nothing outside its body, because the watchdog's thread gets it as text.
 */
export function releaseBlockedPipes(): void {
  if (process.platform !== "linux") return;
  const { closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync } =
    process.getBuiltinModule("node:fs");
  const openat = process.arch === "x64" ? 257 : 56; // with which libuv opens files
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // A released thread takes the next work from the queue, which may be another pipe.
  for (let passes = 0; passes < 200 && releaseAll() > 0; passes++) Atomics.wait(pause, 0, 0, 5);

  function releaseAll(): number {
    return readdirSync("/proc/self/task").filter((thread) => {
      try {
        return release(thread);
      } catch {
        return false; // the thread has exited, or `/proc` is closed
      }
    }).length;
  }

  function release(thread: string): boolean {
    const [call, , path] = readFileSync(`/proc/self/task/${thread}/syscall`, "utf8").split(" ");
    if (Number(call) !== openat) return false;
    const name = textAt(Number(path));
    if (!statSync(name).isFIFO()) return false;
    closeSync(openSync(name, constants.O_RDWR | constants.O_NONBLOCK));
    return true;
  }

  /** A text in the memory of this process. */
  function textAt(address: number): Buffer {
    const memory = openSync("/proc/self/mem", "r");
    const bytes = Buffer.alloc(4_097); // longer than a path, and it ends with a zero
    // The page after the text may not be readable.
    const inPage = 4_096 - (address % 4_096);
    try {
      readSync(memory, bytes, 0, inPage, address);
      if (!bytes.subarray(0, inPage).includes(0)) readSync(memory, bytes, inPage, 4_096 - inPage, address + inPage);
    } finally {
      closeSync(memory);
    }
    return bytes.subarray(0, bytes.indexOf(0));
  }
}
