import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../files/internal.ts";
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

/** Where state is read from once, and where every change of it goes. */
export interface StateFolders {
  readonly real: string;
  readonly scratch: string;
}

/**
 * A handler's state during a replay: it begins as the app's real state stands, and what is changed is thrown away with the scratch
 * folder. One process, one event at a time: no locks and no waiting for the disk.
 */
export function scratchState(
  app: AppRuntime,
  payload: WirePayload,
  world: Pick<RunEnvironment, "env" | "cwd" | "now">,
  folders: StateFolders,
): StateAccess {
  const event = { ...textField(payload, "session_id", "sessionId"), ...textField(payload, "cwd", "cwd") };
  const open = (scope: ScopeName | "told"): ScopeStore => {
    const place = async () => join(scope, await stateFileName(scope, event, world));
    return {
      read: async () => read(await place(), folders),
      change: async (work) => {
        const file = await place();
        return inTurn(file, async () => {
          const entries = read(file, folders);
          const result = await work(entries);
          write(join(folders.scratch, file), entries);
          return result;
        });
      },
    };
  };
  return stateAccess(open, app.options.state ?? {}, world.now);
}

/** Handlers may change one scope several times at once; each change sees the one before. */
const turns = new Map<string, Promise<unknown>>();

function inTurn<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(file) ?? Promise.resolve()).then(work, work);
  turns.set(file, turn);
  turn.then(
    () => leave(file, turn),
    () => leave(file, turn),
  );
  return turn;
}

function leave(file: string, turn: Promise<unknown>): void {
  if (turns.get(file) === turn) turns.delete(file);
}

function read(file: string, { real, scratch }: StateFolders): StoredValues {
  for (const folder of [scratch, real]) {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return new Map(Object.entries(value as Record<string, { value: unknown }>));
    } catch (error) {
      // Nothing was kept, or it cannot be read: the app would start with defaults too.
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

function textField<Name extends string>(
  payload: WirePayload,
  from: string,
  to: Name,
): { readonly [Key in Name]?: string } {
  const value = payload[from];
  return typeof value === "string" ? ({ [to]: value } as { [Key in Name]: string }) : {};
}
