import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { isStateFolderSafe, openState, removeOldest, replaceFile, statePath, unsafeReason } from "../files/internal.ts";

/** The hash of all scripts of the package, inserted by the build. */
declare const HOOKLINE_BUILD: string;

type Env = Readonly<Record<string, string | undefined>>;

type RunHooks = (args: readonly string[], code?: PackageCode) => Promise<void>;

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

/** The code of the package for the program of a hook process. */
export interface PackageCode {
  /** The exports of an entry point that a hooks file imports, such as `hookline/sessions`. */
  entryPoint(name: string): unknown;
  /** What this start has compiled, for the next one. */
  readonly uncached: readonly UncachedCode[];
}

/**
 * Loads program.cjs with the code that an earlier start has compiled: compiling is half of the cost of a hook besides Node itself.
 * A missing or damaged cache only costs time.
 */
export function loadProgram(path: string, env: Env): { runHooks(args: readonly string[]): void } {
  const cache = openCodeCache("program", env);
  const module = { exports: {} } as Parameters<ProgramFactory>[0];
  // What it names by a relative path is a script of this package.
  const load: Load = async (name) => (name.startsWith(".") ? require(name) : import(name));
  (cache.compile(path, readFileSync(path, "utf8")).runInThisContext() as ProgramFactory)(module, load);
  const uncached = cache.uncached === undefined ? [] : [cache.uncached];
  const modules: LoadedScripts = new Map();
  const entryPoint = (name: string): unknown => {
    const [, folder = ""] = name.split("/");
    const file = join(dirname(path), "..", folder, "index.cjs");
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const loaded = loadScripts(file, `${folder}-entry`, env, modules);
    if (loaded.uncached !== undefined) uncached.push(loaded.uncached);
    return loaded.exports;
  };
  return { runHooks: (args) => void module.exports.runHooks(args, { entryPoint, uncached }) };
}

/**
 * Loads a script of the package, and all that it requires, with the code that an earlier start has compiled and saved under a name. Node's
 * own loader would look for each of them on the disk first.
 */
export function loadScripts(path: string, name: string, env: Env, loaded: LoadedScripts = new Map()) {
  const cache = openCodeCache(name, env);
  function load(file: string): unknown {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module: ChunkModule = { exports: {} };
    loaded.set(file, module);
    const text = readFileSync(file, "utf8").replace(/\bimport\(/g, "load(");
    const factory = cache.compile(file, `(function(require,module,__filename,load){${text}\n})`).runInThisContext();
    const requires = (name: string): unknown => load(join(dirname(file), name));
    (factory as ChunkFactory)(requires, module, file, (name) => import(name));
    return module.exports;
  }
  return { exports: load(path), uncached: cache.uncached };
}

/** By path. Scripts that share it share every class and every piece of state. */
type LoadedScripts = Map<string, ChunkModule>;

interface CodeCache {
  compile(path: string, text: string): Script;
  /** Undefined when the code is in the cache, or cannot be. */
  readonly uncached: UncachedCode | undefined;
}

function openCodeCache(name: string, env: Env): CodeCache {
  const codeFile = codePath(name, env);
  const cached = codeFile === undefined ? undefined : cachedCode(codeFile, env);
  const compiled: CompiledScript[] = [];
  let isOutdated = cached === undefined;
  return {
    compile(path, text) {
      // Node accepts the code of any text of the same length, so a file that was edited must be noticed here.
      const changedAt = statSync(path).mtimeMs;
      const known = cached?.get(basename(path));
      if (known !== undefined && known.changedAt !== changedAt) isOutdated = true;
      const cachedData = known?.changedAt === changedAt ? known.code : undefined;
      const script = new Script(text, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) });
      compiled.push({ name: basename(path), changedAt, script });
      return script;
    },
    get uncached() {
      return codeFile !== undefined && isOutdated ? { path: codeFile, make: () => pack(compiled) } : undefined;
    },
  };
}

/**
 * The file of the cache. Node crashes on code of another build of the same version, and rejects code that was compiled under other flags.
 * So the name contains everything that must match: the build of this package, the Node binary, and its flags.
 */
function codePath(name: string, env: Env): string | undefined {
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const { version, platform, arch, execPath } = process;
  try {
    const { size, mtimeMs } = statSync(execPath);
    const node = `${version}-${platform}-${arch}-${size}-${Math.floor(mtimeMs)}`;
    return join(statePath({ env }), "builds", `${name}-${HOOKLINE_BUILD}-${node}${flagsMark(env)}`);
  } catch {
    return undefined; // no state directory: the program runs without a cache
  }
}

/** A short mark for flags of Node; empty without any. Two that collide cost time, nothing else. */
function flagsMark(env: Env): string {
  const flags = [...process.execArgv, env["NODE_OPTIONS"] ?? ""].join(" ").trim();
  let mark = 0;
  for (const character of flags) mark = (Math.imul(mark, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return flags === "" ? "" : `-${mark.toString(36)}`;
}

interface CompiledScript {
  readonly name: string;
  readonly changedAt: number;
  readonly script: Script;
}

interface CachedScript {
  readonly changedAt: number;
  readonly code: Buffer;
}

type Header = readonly (readonly [name: string, changedAt: number, length: number])[];

/** A line of JSON that lists the scripts, then the code of each. */
function pack(scripts: readonly CompiledScript[]): Buffer {
  const codes = scripts.map(({ script }) => script.createCachedData());
  const header: Header = scripts.map(({ name, changedAt }, index) => [name, changedAt, codes[index]?.length ?? 0]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...codes]);
}

function unpack(bytes: Buffer): ReadonlyMap<string, CachedScript> {
  let end = bytes.indexOf("\n") + 1;
  const scripts = new Map<string, CachedScript>();
  for (const [name, changedAt, length] of JSON.parse(bytes.toString("utf8", 0, end)) as Header) {
    scripts.set(name, { changedAt, code: bytes.subarray(end, end + length) });
    end += length;
  }
  return scripts;
}

/** The file contains everything twice, since Node crashes on damaged code: two equal copies are intact. */
function cachedCode(path: string, env: Env): ReadonlyMap<string, CachedScript> | undefined {
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

/** About twenty commands have such a file, of half a megabyte or more. Those of older packages and Nodes are the oldest. */
const maxFiles = 50;

/** Writes the compiled code for the next start. Never throws: without it a start only takes longer. */
export async function saveCode({ path, make }: UncachedCode, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const folder = await openState(["builds"], { env });
    const code = make();
    await replaceFile(path, Buffer.concat([code, code]));
    await removeOldest(folder, /-[0-9a-f]{16}-v\d+\.\d+\.\d+[^.]*$/, maxFiles);
  } catch {
    // A full disk or an unsafe directory: the cache is optional.
  }
}
