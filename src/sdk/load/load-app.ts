import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { Problem } from "../../protocol/internal.ts";
import { type AppRuntime, appRuntime } from "../app/app-runtime.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import { atCallSite, firstErrorLine, lacksLocation, mapStacks } from "../run/error-location.ts";
import { type CachedBuild, cachedBuild } from "./build-cache.ts";

export interface LoadAppOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** An import that takes longer fails. Default: 10 seconds. The time of the build before it does not count. */
  readonly timeoutMs?: number;
  /** What `hookline/sdk` is for a build that is a script; without it everything is imported as a module. */
  readonly sdk?: Readonly<Record<string, unknown>>;
  /** Told that a file was imported as it is and that building it would make the next start quicker. */
  readonly onUnbuilt?: (file: string) => void;
  /** Told that an earlier start has left what it takes: the next one will go the same way. */
  readonly known?: () => void;
}

/**
 * The app that a hooks file exports. TypeScript is built, once per content; `.js` and `.mjs` are imported as they are, unless they
 * were built ahead, which HOOKLINE_BUILD_AHEAD=0 forbids.
 * Contract: whatever is wrong with the file is a `Problem` that names it, the line where that is known, and the first line of the error.
 */
export async function loadApp(name: string, options: LoadAppOptions): Promise<AppRuntime> {
  const file = resolve(options.cwd, name);
  checkOrdinary(file);
  const exported = await importFile(file, options);
  const inside = appRuntime((exported as { default?: unknown }).default);
  if (inside !== undefined) return inside;
  const found = "default" in (exported as object) ? "its default export is none" : "it has no default export";
  throw sdkProblem("no-app", `${file} exports no app: ${found}. End it with "export default app;"`, { file });
}

async function importFile(file: string, options: LoadAppOptions): Promise<unknown> {
  try {
    const isTyped = /\.[mc]?tsx?$/.test(file);
    const isAhead = isTyped || options.env["HOOKLINE_BUILD_AHEAD"] !== "0";
    const known = cachedBuild(file, options.env);
    if (known !== undefined) options.known?.();
    const script = isAhead ? known?.script : undefined;
    const code = script === undefined || options.sdk === undefined ? undefined : readScript(script);
    if (script !== undefined && options.sdk !== undefined && code !== undefined) {
      // As a module is: what it leaves for the next tick happens when it is known what it exports.
      await undefined;
      mapStacks(script);
      return runScript(code, script, options.sdk);
    }
    if (isTyped) return await importBuilt(file, known, options);
    try {
      const exported: unknown = await inTime(import(pathToFileURL(file).href), file, options);
      if (isAhead && known === undefined) options.onUnbuilt?.(file);
      return exported;
    } catch (error) {
      // A project needs no install of its own: what it asks of us is then found by a build, as for TypeScript, which may be imported too.
      if (!lacksOurPackage(error) && !lacksTypeScript(error)) throw error;
      return await importBuilt(file, known, options);
    }
  } catch (cause) {
    // What is wrong with the loading names the file; what is wrong with a call that the file makes does not.
    // What is wrong with a folder of ours is no call of the author's either.
    if (cause instanceof Problem)
      throw "file" in cause.about || cause.code.startsWith("file/") ? cause : atCallSite(cause, file);
    if (!existsSync(file))
      throw sdkProblem("no-load", `${file} does not load: there is no such file.`, { file }, cause);
    // The builder's parser names the line; it throws a problem of its own.
    if (lacksLocation(cause)) await (await import("./build-app.ts")).throwWithLocation(file, firstErrorLine(cause));
    if (lacksExport(cause)) await (await import("./build-app.ts")).throwMissingExport(file, cause);
    const way =
      codeOf(cause) === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ? ". Install esbuild, which reads all of it." : "";
    throw sdkProblem("no-load", `${file} does not load: ${firstErrorLine(cause)}${way}`, { file }, cause);
  }
}

async function importBuilt(file: string, known: CachedBuild | undefined, options: LoadAppOptions): Promise<unknown> {
  if (known?.module !== undefined) {
    try {
      mapStacks(known.module);
      return await inTime(import(pathToFileURL(known.module).href), file, options);
    } catch (error) {
      // A package that the build refers to has moved: build the author's file again.
      if (!isNotFound(error)) throw error;
    }
  }
  const { build } = await import("./build-app.ts");
  // The builder is ours and waits for others of us, so it has time of its own; a file that it reads may never end.
  const built = await inTime(build(file, options.env), file, { ...options, timeoutMs: buildMs });
  return inTime(import(built), file, options);
}

/** Less than a host waits for a hook. */
const buildMs = 25_000;

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

function inTime<Value>(work: Promise<Value>, file: string, { timeoutMs: ms = 10_000 }: LoadAppOptions): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `${file} does not load: it took longer than ${ms / 1000} s. What takes long belongs in a handler.`;
    timer = setTimeout(() => reject(sdkProblem("no-load", message, { file })), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The file and everything it imports from its own tree: what must be pinned for the hook to be what was approved. */
export async function appInputs(file: string): Promise<readonly string[]> {
  checkOrdinary(file);
  return (await import("./build-app.ts")).appInputs(file);
}

/** Builds a TypeScript file and what it imports from its own tree, and gives the path of a file that Node can run. */
export async function buildFile(
  file: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  checkOrdinary(file);
  const { fileURLToPath } = await import("node:url");
  return fileURLToPath(await (await import("./build-app.ts")).build(file, env));
}

/** The builder keeps a process; a caller that keeps running ends it after the last build. */
export async function endBuilds(): Promise<void> {
  await (await import("./build-app.ts")).endBuilds();
}

/** Has a file built by a process of its own, for the starts to come. */
export async function buildLater(file: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  await (await import("./build-later.ts")).buildLater(file, env);
}

/** Contract: a pipe or a device in the place of a hooks file is a `Problem` at once; reading it would wait for its writer. */
function checkOrdinary(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw sdkProblem("no-load", `${file} does not load: it is not a regular file.`, { file });
}

type Run = (module: { exports: unknown }, exports: unknown, require: (name: string) => unknown) => void;

/** Undefined when it was removed after its record was read: other processes prune old builds. */
function readScript(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // the module is used instead
  }
}

/** Runs a built script and gives its exports. It asks for nothing but modules of Node and `hookline/sdk`, which is the one that runs it. */
function runScript(code: string, path: string, sdk: Readonly<Record<string, unknown>>): unknown {
  const module: { exports: unknown } = { exports: {} };
  const ask = (name: string): unknown => (name === "hookline/sdk" ? sdk : process.getBuiltinModule(name));
  const run = new Script(code, { filename: path }).runInThisContext() as Run;
  run(module, module.exports, ask);
  return module.exports;
}
