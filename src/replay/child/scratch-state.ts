import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, inOrder } from "../../files/internal.ts";
import { defined, textField } from "../../protocol/internal.ts";
import type { WirePayload } from "../../sdk/index.ts";
import {
  type AppRuntime,
  type RunEnvironment,
  type ScopeName,
  type ScopeStore,
  type StateAccess,
  type StoredValues,
  stateAccess,
  stateFileName,
} from "../../sdk/internal.ts";

/** The app's real state, which is only read, and the folder for changes. */
export interface StateFolders {
  readonly real: string;
  readonly scratch: string;
}

/**
 * A handler's state during a replay. It starts as the app's real state; changes are discarded with the scratch folder.
 * Only one process uses it, so it needs neither locks nor a flush to disk.
 */
export function scratchState(
  app: AppRuntime,
  payload: WirePayload,
  environment: Pick<RunEnvironment, "env" | "cwd" | "now">,
  folders: StateFolders,
): StateAccess {
  const event = defined({ sessionId: textField(payload, "session_id"), cwd: textField(payload, "cwd") });
  const open = (scope: ScopeName | "reported"): ScopeStore => {
    const file = join(scope, stateFileName(scope, event, environment));
    return {
      read: async () => read(file, folders),
      change: (work) =>
        inOrder(file, async () => {
          const entries = read(file, folders);
          const result = await work(entries);
          write(join(folders.scratch, file), entries);
          return result;
        }),
    };
  };
  return stateAccess(open, app.options.state ?? {}, environment.now);
}

function read(file: string, { real, scratch }: StateFolders): StoredValues {
  for (const folder of [scratch, real]) {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return new Map(Object.entries(value as Record<string, { value: unknown }>));
    } catch (error) {
      // Missing or damaged: the app would start with defaults as well.
      if (errorCode(error) !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
    }
  }
  return new Map();
}

function write(path: string, entries: StoredValues): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(entries)));
  renameSync(`${path}.new`, path);
}
