import { closeSync, openSync, statSync, utimesSync } from "node:fs";
import { readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  errorCode,
  ignoringErrors,
  openFolder,
  openState,
  packageFile,
  readPrivate,
  replaceFile,
  takeLock,
  withLock,
} from "../../files/internal.ts";
import { isObject } from "../../protocol/internal.ts";
import type { AppOptions } from "../app/app-definition.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { RunEnvironment } from "../app/run-environment.ts";
import { startDetached } from "../run/detached-process.ts";
import type { ScopeStore, StoredValues, StoreName } from "./state.ts";
import { stateFileName } from "./state-file-name.ts";

const usualMaxBytes = 2 ** 20;

/** One file per scope, in the user's state folder unless the app names another. */
export function openStores(
  event: HookEvent,
  { stateDir, stateMaxBytes: maxBytes = usualMaxBytes }: AppOptions,
  environment: RunEnvironment,
): (scope: StoreName) => ScopeStore {
  const folder = async () => {
    if (stateDir === undefined) return openState(["state"], { env: environment.env });
    await openFolder(stateDir);
    return stateDir;
  };
  const reported = new Set<string>();
  return (scope) => {
    const options = { environment, expires: scope === "session" || scope === "reported", reported };
    const place = async () => {
      const above = await folder();
      await openFolder(join(above, scope));
      return { above, file: join(above, scope, stateFileName(scope, event, environment)) };
    };
    return {
      async read() {
        const { file } = await place();
        const found = await readStore(file, options);
        // With the lock, because another process may have moved the file and written a good one.
        return ("broken" in found ? await locked(file, () => read(file, options)) : found).entries;
      },
      async change(work) {
        const { above, file } = await place();
        const { result, written } = await locked(file, async () => {
          const { entries, others } = await read(file, options);
          const before = textOf(entries, others);
          const result = await work(entries);
          const text = textOf(entries, others);
          if (text === before) return { result, written: false };
          if (Buffer.byteLength(text) > maxBytes) throw tooLarge(file, Buffer.byteLength(text), maxBytes);
          await replaceFile(file, text);
          return { result, written: true };
        });
        if (written) await sweepDaily(above, environment);
        return result;
      },
    };
  };
}

interface StoreOptions {
  readonly environment: RunEnvironment;
  /** State that was not written for a month is dropped. */
  readonly expires: boolean;
  /** Files whose foreign entries were reported. */
  readonly reported: Set<string>;
}

interface StateFile {
  readonly entries: StoredValues;
  /** What is in the file and is not state. It stays there. */
  readonly others: readonly [string, unknown][];
}

const noState = (): StateFile => ({ entries: new Map(), others: [] });

async function locked<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await withLock(file, work, { waitMs: 2_000 });
  } catch (error) {
    if (errorCode(error) !== "file/locked") throw error;
    const message = `State has been in use by another process for more than 2 s. ${error instanceof Error ? error.message : ""}`;
    throw sdkProblem("state-busy", message, { file }, error);
  }
}

/** Contract: called with the lock held; an unreadable file is renamed. */
async function read(file: string, options: StoreOptions): Promise<StateFile> {
  const { environment } = options;
  const found = await readStore(file, options);
  if ("entries" in found) return found;
  const aside = `${file}.unreadable-${environment.now()}`;
  await rename(file, aside);
  environment.complain(
    `State in ${file} cannot be read (${found.broken}); it was moved to ${aside} and defaults apply.`,
  );
  return noState();
}

async function readStore(
  file: string,
  { environment, expires, reported }: StoreOptions,
): Promise<StateFile | { broken: string }> {
  const bytes = await readPrivate(file);
  if (bytes === undefined) return noState();
  const writtenAt = expires ? (await ignoringErrors(["ENOENT"], stat(file)))?.mtimeMs : undefined;
  if (writtenAt !== undefined && writtenAt + retentionMs < environment.now()) return noState();
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isObject(value)) throw new TypeError("it is not an object");
    const entries = Object.entries(value).filter((entry): entry is [string, StoredValue] => isEntry(entry[1]));
    const others = Object.entries(value).filter(([, one]) => !isEntry(one));
    if (others.length > 0 && !reported.has(file)) {
      const names = others.map(([key]) => JSON.stringify(key)).join(", ");
      environment.complain(`State in ${file} has entries of another format, which are kept and not used: ${names}.`);
      reported.add(file);
    }
    return { entries: new Map(entries), others };
  } catch (error) {
    return { broken: String(error) };
  }
}

type StoredValue = StoredValues extends Map<string, infer Value> ? Value : never;

function isEntry(value: unknown): value is StoredValue {
  return isObject(value) && "value" in value;
}

/** By definition, not assignment: `__proto__` is a key like any other. */
function textOf(entries: StoredValues, others: StateFile["others"]): string {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of new Map([...others, ...entries]))
    Object.defineProperty(object, key, { value, enumerable: true });
  return `${JSON.stringify(object)}\n`;
}

function tooLarge(file: string, bytes: number, maxBytes: number): Error {
  const message = `State in ${file} would be ${bytes} bytes; the limit is ${maxBytes}. Delete keys or give them a ttlMs.`;
  return sdkProblem("state-too-large", message, { file, bytes });
}

/** Session state is kept for so long after its last write. */
const retentionMs: number = 30 * 24 * 3_600_000;

/**
 * Removes the state of sessions that was not written for thirty days, and unreadable files of that age.
 * Contract: a file that is in use, or was written meanwhile, stays.
 */
export async function sweepState(folder: string, now: number): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const scope of ["session", "reported"]) {
    for (const name of (await ignoringErrors(["ENOENT"], readdir(join(folder, scope)))) ?? []) {
      const file = join(folder, scope, name);
      if (!/\.json(?:\.unreadable-\d+)?$/.test(name) || !(await isOld(file, now))) continue;
      const lock = await takeLock(file, { waitMs: 0 });
      if (!lock.held) continue;
      try {
        if (!(await isOld(file, now))) continue;
        await unlink(file);
        gone.push(name);
      } finally {
        await lock.release();
      }
    }
  }
  return gone;
}

async function isOld(file: string, now: number): Promise<boolean> {
  const found = await ignoringErrors(["ENOENT"], stat(file));
  return found !== undefined && found.mtimeMs + retentionMs < now;
}

const dayMs = 24 * 3_600_000;

/**
 * Starts a process that removes old state, once a day; no hook waits for it. Called after a write, so a folder without writes costs
 * nothing. Contract: never throws.
 */
async function sweepDaily(folder: string, environment: RunEnvironment): Promise<void> {
  const stamp = join(folder, "swept");
  try {
    const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
    if (last !== undefined && last + dayMs > environment.now()) return;
    if (last === undefined) closeSync(openSync(stamp, "a", 0o600));
    utimesSync(stamp, new Date(environment.now()), new Date(environment.now()));
    // In a new folder nothing can be old.
    if (last === undefined) return;
    const onError = (error: Error) => environment.complain(`Old state could not be cleared away: ${error.message}`);
    const program = packageFile("dist/sdk/tasks/background-program.cjs");
    startDetached([program, "sweep", folder], { cwd: folder, env: environment.env, onError });
  } catch (error) {
    environment.complain(`Old state could not be cleared away: ${String(error)}`);
  }
}
