import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tree } from "./end-tree.ts";
import type { Leak } from "./finished.ts";

/** The same promise as `endTree` with what Windows has for it: `taskkill`, which walks the tree by itself. */
export async function endTreeOnWindows(tree: Tree, graceMs: number): Promise<Leak[]> {
  const pid = String(tree.pid);
  const graceEnd = performance.now() + graceMs;
  // Without /F a program is asked by a message to its window. One without a window cannot be asked and need not be waited for.
  const asked = await taskkill(["/T", "/PID", pid]);
  if (asked && !tree.exited()) await Promise.race([tree.exit, sleep(Math.max(0, graceEnd - performance.now()))]);
  if (tree.exited()) return [];
  await taskkill(["/T", "/F", "/PID", pid]);
  if (!tree.exited()) await Promise.race([tree.exit, sleep(settleMs)]);
  return tree.exited() ? [] : [{ why: "survived", pid: tree.pid, name: "" }];
}

const settleMs = 300;

function taskkill(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("taskkill", args, { timeout: settleMs, windowsHide: true }, (error) => resolve(error === null));
  });
}
