import { Problem } from "../../protocol/index.ts";
import { type LockFile, readLockFile, unlockedPath } from "../edit/lock-file.ts";
import { placesOf, type ScopePlaces, type Standpoint } from "../plan/install-places.ts";
import { type AskedTransport, type Scope, scopes } from "../plan/install-scope.ts";
import type { PlannedEntry } from "../plan/plan-entries.ts";

/** A scope holds one app. */
export function replaced(old: LockFile | undefined, { lockFile }: ScopePlaces, hooksFile: string): readonly string[] {
  const before = old === undefined ? hooksFile : unlockedPath(lockFile, old.hooksPath);
  return before === hooksFile ? [] : [`It takes the place of ${before}, which was installed here before.`];
}

/** The same app in two scopes runs twice. */
export async function elsewhere(
  { scope }: ScopePlaces,
  hooksFile: string,
  standpoint: Standpoint,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const other of scopes.filter((one) => one !== scope)) {
    if ((await installedFile(other, standpoint)) !== hooksFile) continue;
    notes.push(
      `The same app is installed in ${other} scope too; its handlers run twice. hookline uninstall --scope ${other} removes it there.`,
    );
  }
  return notes;
}

async function installedFile(scope: Scope, standpoint: Standpoint): Promise<string | undefined> {
  try {
    const { lockFile } = placesOf(scope, standpoint);
    const lock = await readLockFile(lockFile);
    return lock && unlockedPath(lockFile, lock.hooksPath);
  } catch (error) {
    // A scope that does not exist here, or whose lock file status and doctor report.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** What the choice of transports means for the user. */
export function transportNotes(
  planned: readonly PlannedEntry[],
  { scope, transport, warm, sh }: { scope: Scope; transport: AskedTransport; warm: boolean; sh: boolean },
): readonly string[] {
  const open = planned.filter((one) => one.transport === "run" && one.group.hooks[0].onFailure === "block");
  const http = planned.filter((one) => one.transport === "http").map(({ event }) => event);
  return [
    ...(transport === "auto" && !warm ? ["The warm client cannot run here, so every event starts a Node (run)."] : []),
    ...(open.length > 0 && !sh
      ? [
          `There is no sh in PATH, so ${open.map(({ event }) => event).join(", ")} lets the action pass when Node itself crashes or cannot be started.`,
        ]
      : []),
    ...(http.length > 0 && scope === "local"
      ? [
          "Entries of a local file reach this machine only where the host allows it (httpHookAllowPrivate in user settings).",
        ]
      : []),
    ...(http.length > 0
      ? [
          `Over http, ${http.join(", ")} goes on when the daemon is away, and a process that takes its port gets the token and answers.`,
        ]
      : []),
  ];
}
