import { AsyncLocalStorage } from "node:async_hooks";
import type { Environment } from "./runners/command/environment.ts";

const inside = new AsyncLocalStorage<number>();

/** Events fired by hooks of hooks of hooks run no more hooks. */
export const deepest = 3;

/** How many hooks deep the caller is: inside a callback of this process, or inside a hook process of another engine. */
export function currentDepth(env: Environment): number {
  const outer = Number(env["HOOKLINE_DEPTH"]);
  return inside.getStore() ?? (Number.isInteger(outer) && outer > 0 ? outer : 0);
}

/** Runs an in-process hook so that events it fires know how deep they are. */
export function oneDeeper<T>(depth: number, work: () => T): T {
  return inside.run(depth + 1, work);
}
