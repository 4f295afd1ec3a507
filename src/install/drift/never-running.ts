import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readValue } from "../../engine/internal.ts";
import { groupBy, handlersThatNeverRun, isObject } from "../../protocol/internal.ts";
import { folderOf, type InstallTarget, installScopes, parentSettingsFiles } from "../plan/install-places.ts";
import { type Drift, drift, installedLock } from "./advice.ts";

export function neverRunDrift(ids: readonly string[]): readonly Drift[] {
  return neverRunning(ids).map(({ message }) => drift("never-runs", message));
}

/** The handlers that never run, by the ids of all handlers: `PreToolUse:Bash`, `Stop`. */
function neverRunning(ids: readonly string[]): readonly { readonly event: string; readonly message: string }[] {
  return [...groupBy(ids, (id) => id.split(":", 1)[0] ?? id)].flatMap(([event, own]) =>
    handlersThatNeverRun(event, own).map((message) => ({ event, message })),
  );
}

/**
 * Settings of parent folders that cannot be read, or that have hooks, which do not apply in the current folder. The same hooks in its own
 * file of that name do apply, as in a worktree, and so do those of `given`, the values of `--settings`.
 */
export async function parentSettings(target: InstallTarget, given: readonly string[] = []) {
  const folder = folderOf(target);
  const found = await Promise.all(
    parentSettingsFiles(target, given).map(async (place) => {
      const read = await readValue(place);
      const own = await readValue(join(folder, ".claude", basename(place)));
      const isUnreadable = read.is === "unreadable";
      const hooks = hooksIn(read);
      const isNone = Object.keys(hooks).length === 0 || isDeepStrictEqual(hooks, hooksIn(own));
      if (!isUnreadable && isNone) return [];
      const claim = isUnreadable
        ? `${place} cannot be read: ${read.why}. If it has hooks, they do not apply in ${folder}`
        : `The hooks in ${place} do not apply in ${folder}`;
      const message = `${claim}: an agent uses the settings of the directory that it starts in, not of its parents.`;
      return [{ code: "parent-settings" as const, message, place }];
    }),
  );
  return found.flat();
}

/** The keys of a settings file that have hooks, also those that no agent reads, such as `Hooks`: they were meant to run too. */
function hooksIn(read: Awaited<ReturnType<typeof readValue>>): Readonly<Record<string, unknown>> {
  const value = read.is === "read" && isObject(read.value) ? read.value : {};
  return Object.fromEntries(Object.entries(value).filter(([, below]) => hasHook(below)));
}

function hasHook(value: unknown): boolean {
  const groups = (isObject(value) ? Object.values(value) : [value]).flat().filter(isObject);
  return groups.some((group) => Array.isArray(group["hooks"]) && group["hooks"].length > 0);
}

/** What the lock files of all scopes say about handlers of an event that never run, a sentence each. Runs no code. */
export async function installedNeverRunning(event: string, target: InstallTarget): Promise<readonly string[]> {
  const locks = await Promise.all(installScopes.map((scope) => installedLock(scope, target)));
  const found = locks.flatMap((installed) => neverRunning(installed?.lock.hooksRegistered ?? []));
  return [...new Set(found.filter((one) => one.event === event).map(({ message }) => message))];
}
