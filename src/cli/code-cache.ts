import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { isStateFolderSafe, openState, replaceFile, statePath, unsafeReason } from "../files/internal.ts";

/** The hash of program.cjs, inserted by the build. */
declare const HOOKLINE_PROGRAM: string;

type Env = Readonly<Record<string, string | undefined>>;

type RunHooks = (args: readonly string[], uncached?: UncachedCode) => Promise<void>;

/** The function that program.cjs evaluates to. */
type ProgramFactory = (module: { exports: { runHooks: RunHooks } }, load: (module: string) => Promise<unknown>) => void;

/** Compiled code that is not in the cache yet. */
export interface UncachedCode {
  /** Where the next start looks for it. */
  readonly path: string;
  make(): Buffer;
}

/**
 * Loads program.cjs with the code that an earlier start has compiled: compiling is half of the cost of a hook besides Node itself.
 * A missing or damaged cache only costs time.
 */
export function loadProgram(path: string, env: Env): { runHooks(args: readonly string[]): void } {
  const codeFile = codePath(env);
  const cached = codeFile === undefined ? undefined : cachedCode(codeFile, env);
  const script = new Script(readFileSync(path, "utf8"), {
    filename: path,
    ...(cached === undefined ? {} : { cachedData: cached }),
  });
  const module = { exports: {} } as Parameters<ProgramFactory>[0];
  (script.runInThisContext() as ProgramFactory)(module, (name) => import(name));
  // Code that Node rejects, because it runs with other flags, is still good for other starts: it is not replaced.
  const isDone = codeFile === undefined || cached !== undefined;
  const uncached = isDone ? undefined : { path: codeFile, make: () => script.createCachedData() };
  return { runHooks: (args) => void module.exports.runHooks(args, uncached) };
}

/**
 * The file of the cache. Node accepts the code of any source of the same length, and crashes on code of another build of the same
 * version. So the name contains everything that must match: the hash of the source, and the Node binary.
 */
function codePath(env: Env): string | undefined {
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const { version, platform, arch, execPath } = process;
  try {
    const { size, mtimeMs } = statSync(execPath);
    const node = `${version}-${platform}-${arch}-${size}-${Math.floor(mtimeMs)}`;
    return join(statePath({ env }), "builds", `program-${HOOKLINE_PROGRAM}-${node}`);
  } catch {
    return undefined; // no state directory: the program runs without a cache
  }
}

/** The file contains the code twice, since Node crashes on damaged code: two equal copies are intact. */
function cachedCode(path: string, env: Env): Buffer | undefined {
  try {
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (!file?.isFile() || unsafeReason(file) !== undefined || !isStateFolderSafe("builds", { env })) return undefined;
    const both = readFileSync(path);
    const half = both.length >> 1;
    return half > 0 && both.compare(both, half, both.length, 0, half) === 0 ? both.subarray(0, half) : undefined;
  } catch {
    return undefined; // unreadable: the source is compiled
  }
}

/** Writes the compiled code for the next start. Never throws: without it a start only takes longer. */
export async function saveCode({ path, make }: UncachedCode, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await openState(["builds"], { env });
    const code = make();
    await replaceFile(path, Buffer.concat([code, code]));
  } catch {
    // A full disk or an unsafe directory: the cache is optional.
  }
}
