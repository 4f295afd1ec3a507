import { closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { attempt } from "../../protocol/internal.ts";

/**
 * Opens the other end of named pipes that threads of this process wait for: at its end the process waits for them, so it would never
 * end. On Linux only, where `/proc` names the system call that each thread is in.
 */
export function releaseBlockedPipes(): void {
  if (process.platform !== "linux" || !process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq")))
    return;
  const threads = attempt(() => readdirSync("/proc/self/task")) ?? [];
  for (const thread of threads) attempt(() => release(thread)); // a thread may be gone, and `/proc` may be closed
}

function release(thread: string): void {
  const [call, , path] = readFileSync(`/proc/self/task/${thread}/syscall`, "utf8").split(" ");
  if (Number(call) !== openCall) return;
  const name = textAt(Number(path));
  if (statSync(name).isFIFO()) closeSync(openSync(name, constants.O_RDWR | constants.O_NONBLOCK));
}

/** The number of `openat`, with which libuv opens files. */
const openCall = process.arch === "x64" ? 257 : 56;

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
