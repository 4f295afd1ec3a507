import { chmodSync } from "node:fs";
import { join } from "node:path";
import { peerFolder } from "./peer.mjs";

/** The native program itself: its launcher, which only finds and starts it, is left out of every count. */
export function peerProgram(say) {
  const program = join(
    peerFolder(`@ccusage/ccusage-${process.platform}-${process.arch}`, "20.0.24", say),
    "bin",
    process.platform === "win32" ? "ccusage.exe" : "ccusage",
  );
  // The package leaves it to the launcher to make it runnable.
  chmodSync(program, 0o755);
  return program;
}
