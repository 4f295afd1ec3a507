import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { attempt, Problem } from "../../protocol/internal.ts";
import { type AppRuntime, appRuntime } from "../app/app-runtime.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { Env } from "../app/run-environment.ts";
import { atCallSite, firstErrorLine, lacksLocation, mapStacks } from "../run/error-location.ts";
import { withTimeout } from "../run/handler-deadline.ts";
import { limitSyncChildren } from "../run/sync-children.ts";
import { type AppDependencies, type CachedBuild, cachedBuild } from "./build-cache.ts";

export interface LoadAppOptions {
  readonly env: Env;
  readonly cwd: string;
  /** A file that takes longer fails. Default: 10 seconds. The time of the build before it does not count. */
  readonly timeoutMs?: number;
  /** The exports of `hookline/sdk` and other entry points, for a build that is a script. Without it everything is imported as a module. */
  readonly entryPoint?: (name: string) => unknown;
  /** Called when a file was imported without a build, and building it would make the next start faster. */
  readonly onUnbuilt?: (file: string) => void;
  /** Called when an earlier start has left a build: the next start will use it too. */
  readonly onCachedBuild?: () => void;
  /**
   * Called before a file is loaded, with its time limit and what to report when that passes. Only a script can be ended here when its
   * top level blocks the thread, and not while it waits for the system.
   */
  readonly onImport?: (limitMs: number, message: string) => void;
}

/**
 * Loads the app that a hooks file exports. TypeScript is built, once per content. `.js` and `.mjs` files are imported directly, or from
 * a build that was made ahead of time (`HOOKLINE_BUILD_AHEAD=0` disables those).
 * Contract: any error in the file is a `Problem` with the file, the line if known, and the first line of the error.
 */
export async function loadApp(name: string, options: LoadAppOptions): Promise<AppRuntime> {
  const file = resolve(options.cwd, name);
  checkRegularFile(file);
  const exported = await importFile(file, options);
  const runtime = appRuntime((exported as { default?: unknown }).default);
  if (runtime !== undefined) return runtime;
  const why = "default" in (exported as object) ? "its default export is not an app" : "it has no default export";
  throw sdkProblem("no-app", `${file} exports no app: ${why}. End it with "export default app;"`, { file });
}

async function importFile(file: string, options: LoadAppOptions): Promise<unknown> {
  try {
    return await importOrRun(file, options);
  } catch (cause) {
    // Problems of loading and of our own folders are complete. Problems of a call in the file lack the location of the call.
    if (cause instanceof Problem)
      throw "file" in cause.about || cause.code.startsWith("file/") ? cause : atCallSite(cause, file);
    if (!existsSync(file))
      throw sdkProblem("no-load", `${file} does not load: there is no such file.`, { file }, cause);
    if (lacksLocation(cause)) await (await import("./build-app.ts")).throwWithLocation(file, firstErrorLine(cause));
    if (lacksExport(cause)) await (await import("./build-app.ts")).throwMissingExport(file, cause);
    const hint =
      codeOf(cause) === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ? ". Install esbuild, which supports all of it." : "";
    throw sdkProblem("no-load", `${file} does not load: ${firstErrorLine(cause, file)}${hint}`, { file }, cause);
  }
}

async function importOrRun(file: string, options: LoadAppOptions): Promise<unknown> {
  const isTypeScript = /\.[mc]?tsx?$/.test(file);
  const usesBuilds = isTypeScript || options.env["HOOKLINE_BUILD_AHEAD"] !== "0";
  let cached = cachedBuild(file, options.env);
  if (cached !== undefined) options.onCachedBuild?.();
  if (cached?.script !== undefined && usesBuilds && options.entryPoint !== undefined) {
    const run = readScript(cached.script);
    if (run !== undefined) {
      // A module is evaluated asynchronously. A script must be too, so that microtasks run in the same order.
      await undefined;
      mapStacks(cached.script);
      const { entryPoint, timeoutMs = loadTimeoutMs, onImport } = options;
      onImport?.(timeoutMs, tooSlow(file, timeoutMs).message);
      return runInTime(() => runScript(run, entryPoint), file, timeoutMs);
    }
    cached = undefined; // its file no longer exists: it is built again
  }
  if (isTypeScript) return importBuilt(file, cached, options);
  try {
    const exported: unknown = await importInTime(pathToFileURL(file).href, file, options);
    if (usesBuilds && cached === undefined) options.onUnbuilt?.(file);
    return exported;
  } catch (error) {
    // A build resolves `hookline` in a project that has not installed it, and compiles TypeScript that the file imports.
    if (!lacksOurPackage(error) && !lacksTypeScript(error)) throw error;
    return importBuilt(file, cached, options);
  }
}

async function importBuilt(file: string, cached: CachedBuild | undefined, options: LoadAppOptions): Promise<unknown> {
  if (cached?.module !== undefined) {
    try {
      mapStacks(cached.module);
      const exported: unknown = await importInTime(pathToFileURL(cached.module).href, file, options);
      // If no builder can be started, the build is used as it is.
      if ("default" in (exported as object) || process.permission?.has("child") === false) return exported;
    } catch (error) {
      if (!isNotFound(error) && !lacksLocation(error)) throw error;
    }
    // A package that the build imports has moved, or the build is damaged: build the author's file again.
    removeBuild(cached.module);
  }
  const { build } = await import("./build-app.ts");
  // A build may wait for another process, so it has a timeout of its own. Without one a file that never ends would hang it.
  const built = await inTime(build(file, options.env), file, buildTimeoutMs);
  // Node keeps what it has imported from a path, also when that failed.
  return importInTime(cached?.module === undefined ? built : `${built}?again`, file, options);
}

/** Shorter than hosts wait for a hook. */
const buildTimeoutMs = 25_000;

const loadTimeoutMs = 10_000;

function lacksOurPackage(error: unknown): boolean {
  return isNotFound(error) && /'hookline'/.test((error as Error).message);
}

function lacksTypeScript(error: unknown): boolean {
  const code = codeOf(error);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return /"\.[mc]?tsx?"/.test((error as Error).message);
  return code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
}

function lacksExport(error: unknown): boolean {
  return error instanceof SyntaxError && error.message.includes("does not provide an export named");
}

function isNotFound(error: unknown): boolean {
  return codeOf(error) === "ERR_MODULE_NOT_FOUND";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function importInTime(url: string, file: string, { timeoutMs = loadTimeoutMs, onImport }: LoadAppOptions) {
  onImport?.(timeoutMs, tooSlow(file, timeoutMs).message);
  return inTime(import(url), file, timeoutMs);
}

function inTime<Value>(work: Promise<Value>, file: string, ms: number): Promise<Value> {
  return withTimeout(work, ms, () => {
    throw tooSlow(file, ms);
  });
}

/** Ends work that blocks the thread, which blocks timers too. Only a script can have a time limit, so a script calls the work. */
function runInTime(work: () => unknown, file: string, ms: number): unknown {
  const name = "hookline.load";
  Object.defineProperty(globalThis, Symbol.for(name), { value: work, configurable: true });
  const call = new Script(`globalThis[Symbol.for("${name}")]()`, { filename: "node:hookline" });
  const unlimit = limitSyncChildren(ms, () => {
    throw tooSlow(file, ms);
  });
  try {
    return call.runInThisContext({ timeout: ms, displayErrors: false });
  } catch (error) {
    throw codeOf(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? tooSlow(file, ms) : error;
  } finally {
    unlimit();
  }
}

function tooSlow(file: string, ms: number): Problem {
  const message = `${file} does not load: it took longer than ${ms / 1000} s. Move slow work into a handler.`;
  return sdkProblem("no-load", message, { file });
}

/** The hooks file and every file it imports, except packages. An approval pins these files. */
export async function appInputs(file: string): Promise<readonly string[]> {
  checkRegularFile(file);
  return (await import("./build-app.ts")).appInputs(file);
}

/** Like `appInputs`, with the packages that the app imports. */
export async function appDependencies(file: string): Promise<AppDependencies> {
  checkRegularFile(file);
  return (await import("./build-app.ts")).appDependencies(file);
}

/** Builds a TypeScript file and the files it imports. Returns the path of a file that Node can run. */
export async function buildFile(file: string, env: Env = process.env): Promise<string> {
  checkRegularFile(file);
  const { fileURLToPath } = await import("node:url");
  return fileURLToPath(await (await import("./build-app.ts")).build(file, env));
}

/** Ends esbuild's process. A long-running caller does this after its last build. */
export async function endBuilds(): Promise<void> {
  await (await import("./build-app.ts")).endBuilds();
}

/** Builds a file in a separate process, for later starts. */
export async function buildLater(file: string, env: Env): Promise<void> {
  await (await import("./build-later.ts")).buildLater(file, env);
}

/** Rejects a pipe or a device: reading it would wait for its writer. */
function checkRegularFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return;
  throw sdkProblem("no-load", `${file} does not load: it is not a regular file.`, { file });
}

type Run = (module: { exports: unknown }, exports: unknown, require: Require) => void;

/**
 * The function that a built script consists of. Undefined when another process has pruned the build since its record was read, and for a
 * damaged file, which is removed.
 */
function readScript(path: string): Run | undefined {
  const code = attempt(() => readFileSync(path, "utf8"));
  if (code === undefined) return undefined;
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const run: unknown = attempt(() => new Script(code, { filename: path, importModuleDynamically }).runInThisContext());
  if (typeof run === "function") return run as Run;
  removeBuild(path);
  return undefined;
}

/** A build without one of its files counts as none, so the next build writes it again. */
function removeBuild(path: string): void {
  attempt(() => rmSync(path, { force: true })); // it fails on a read-only disk; then the next start tries again
}

type Require = (name: string) => unknown;

/** Runs a built script and returns its exports. It can require entry points of this package and Node modules. */
function runScript(run: Run, entryPoint: Require): unknown {
  const module: { exports: unknown } = { exports: {} };
  run(module, module.exports, (name) =>
    name.startsWith("hookline/") ? entryPoint(name) : process.getBuiltinModule(name),
  );
  return module.exports;
}
