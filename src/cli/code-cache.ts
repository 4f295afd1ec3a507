import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { isStateFolderSafe, openState, replaceFile, statePath, unsafeReason } from "../files/internal.ts";

/** The hash of all scripts of the package, inserted by the build. */
declare const HOOKLINE_BUILD: string;

type Env = Readonly<Record<string, string | undefined>>;

type RunHooks = (args: readonly string[], uncached?: UncachedCode) => Promise<void>;

/** The function that program.cjs evaluates to. */
type ProgramFactory = (module: { exports: { runHooks: RunHooks } }, load: Load) => void;

/** The function that any other script of the package is wrapped into. It requires scripts of the package only, by relative paths. */
type ChunkFactory = (require: (name: string) => unknown, module: ChunkModule, filename: string, load: Load) => void;

interface ChunkModule {
  exports: unknown;
}

/** Imports for code from the cache, which cannot import. */
type Load = (name: string) => Promise<unknown>;

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
  const { compile, uncached } = openCodeCache("program", env);
  const module = { exports: {} } as Parameters<ProgramFactory>[0];
  // What it names by a relative path is a script of this package.
  const load: Load = async (name) => (name.startsWith(".") ? require(name) : import(name));
  (compile(path, readFileSync(path, "utf8")).runInThisContext() as ProgramFactory)(module, load);
  return { runHooks: (args) => void module.exports.runHooks(args, uncached) };
}

/**
 * Loads a script of the package, and all that it requires, with the code that an earlier start of the command has compiled. Node's own
 * loader would look for each of them on the disk first.
 */
export function loadCommand(
  path: string,
  command: string,
  env: Env,
): { exports: unknown; uncached: UncachedCode | undefined } {
  const { compile, uncached } = openCodeCache(command, env);
  const loaded = new Map<string, ChunkModule>();
  function load(file: string): unknown {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module: ChunkModule = { exports: {} };
    loaded.set(file, module);
    const text = readFileSync(file, "utf8").replace(/\bimport\(/g, "load(");
    const factory = compile(file, `(function(require,module,__filename,load){${text}\n})`).runInThisContext();
    const requires = (name: string): unknown => load(join(dirname(file), name));
    (factory as ChunkFactory)(requires, module, file, (name) => import(name));
    return module.exports;
  }
  return { exports: load(path), uncached };
}

interface CodeCache {
  compile(path: string, text: string): Script;
  /** Undefined when the code is in the cache, or cannot be. */
  readonly uncached: UncachedCode | undefined;
}

function openCodeCache(name: string, env: Env): CodeCache {
  const codeFile = codePath(name, env);
  const cached = codeFile === undefined ? undefined : cachedCode(codeFile, env);
  const scripts = new Map<string, Script>();
  return {
    compile(path, text) {
      const cachedData = cached?.get(basename(path));
      const script = new Script(text, {
        filename: path,
        ...(cachedData === undefined ? {} : { cachedData }),
      });
      scripts.set(basename(path), script);
      return script;
    },
    // Code that Node rejects, because it runs with other flags, is still good for other starts: it is not replaced.
    uncached:
      codeFile === undefined || cached !== undefined ? undefined : { path: codeFile, make: () => pack(scripts) },
  };
}

/**
 * The file of the cache. Node accepts the code of any source of the same length, and crashes on code of another build of the same
 * version. So the name contains everything that must match: the hash of the source, and the Node binary.
 */
function codePath(name: string, env: Env): string | undefined {
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const { version, platform, arch, execPath } = process;
  try {
    const { size, mtimeMs } = statSync(execPath);
    const node = `${version}-${platform}-${arch}-${size}-${Math.floor(mtimeMs)}`;
    return join(statePath({ env }), "builds", `${name}-${HOOKLINE_BUILD}-${node}`);
  } catch {
    return undefined; // no state directory: the program runs without a cache
  }
}

/** A line of JSON with the length of each script's code, then the code of each. */
function pack(scripts: ReadonlyMap<string, Script>): Buffer {
  const codes = [...scripts].map(([name, script]) => [name, script.createCachedData()] as const);
  const lengths = Object.fromEntries(codes.map(([name, code]) => [name, code.length]));
  return Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...codes.map(([, code]) => code)]);
}

function unpack(bytes: Buffer): ReadonlyMap<string, Buffer> {
  let end = bytes.indexOf("\n") + 1;
  const lengths = JSON.parse(bytes.toString("utf8", 0, end)) as Record<string, number>;
  const codes = new Map<string, Buffer>();
  for (const [name, length] of Object.entries(lengths)) {
    codes.set(name, bytes.subarray(end, end + length));
    end += length;
  }
  return codes;
}

/** The file contains everything twice, since Node crashes on damaged code: two equal copies are intact. */
function cachedCode(path: string, env: Env): ReadonlyMap<string, Buffer> | undefined {
  try {
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (!file?.isFile() || unsafeReason(file) !== undefined || !isStateFolderSafe("builds", { env })) return undefined;
    const both = readFileSync(path);
    const half = both.length >> 1;
    const isIntact = half > 0 && both.compare(both, half, both.length, 0, half) === 0;
    return isIntact ? unpack(both.subarray(0, half)) : undefined;
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
