import { spawnSync } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type HeldLock, openState, takeLock } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { Env } from "../app/run-environment.ts";
import { mapStacks } from "../run/error-location.ts";
import { type AppDependencies, builderTag, cachedBuild, recordName } from "./build-cache.ts";
import { bundleModule, emptyTrace, endBuilds, loadEsbuild, type ModuleBundle } from "./bundle.ts";
import { type Esbuild, ownEntryPoints } from "./bundle-plugins.ts";
import { resolvedPaths } from "./resolved-paths.ts";
import { checkOwnExports, missingExportIn, scanImports, scanNames } from "./scan-imports.ts";
import { storeBuild, writeRecord, writeTemporary } from "./store-build.ts";

/**
 * Bundles a hooks file and the files it imports into one file in the user's state folder. Returns the URL of that file.
 * Concurrent builds of one file wait for the first and use its result.
 */
export async function build(file: string, env: Env): Promise<string> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return nativeImportUrl(file);
  const lock = await takeBuildLock(file, env);
  try {
    const cached = lock === undefined ? undefined : cachedBuild(file, env)?.module;
    if (cached === undefined) return await buildNow(esbuild, file, env);
    mapStacks(cached);
    return pathToFileURL(cached).href;
  } finally {
    await lock?.release();
  }
}

/** Undefined when the lock cannot be taken in time: then every process builds for itself. */
async function takeBuildLock(file: string, env: Env): Promise<HeldLock | undefined> {
  try {
    const folder = await openState(["builds"], { env });
    const lock = await takeLock(join(folder, recordName(file)), { waitMs: 10_000 });
    return lock.held ? lock : undefined;
  } catch {
    return undefined; // no safe state folder: writing the build reports it
  }
}

async function buildNow(esbuild: Esbuild, file: string, env: Env): Promise<string> {
  const module = await bundleChecked(esbuild, file);
  const output = await storeBuild(esbuild, file, module, env).catch((error: unknown) => {
    // The user has to fix an unsafe state folder. A full or read-only disk must not disable a guard.
    if (error instanceof Problem) throw error;
    return writeTemporary(module);
  });
  mapStacks(output);
  return pathToFileURL(output).href;
}

async function bundleChecked(esbuild: Esbuild, file: string): Promise<ModuleBundle> {
  const module = await bundleModule(esbuild, file);
  await checkOwnExports(file, module.code, module.inputs);
  return module;
}

/**
 * Builds a JavaScript file ahead of time, so that the next hook process starts faster. A failed build is recorded too, so that it is not
 * tried at every start.
 */
export async function buildAhead(file: string, env: Env): Promise<void> {
  const esbuild = await loadEsbuild();
  const text = await readFile(file, "utf8");
  const module = esbuild && (await bundleChecked(esbuild, file).catch(() => undefined));
  if (esbuild !== undefined && module !== undefined) {
    await storeBuild(esbuild, file, module, env);
    return;
  }
  const inputs = [{ path: file, text }];
  const paths = [[file, await realpath(file)]] as const;
  await writeRecord({ made: builderTag, file, inputs, packages: [], paths, output: null, script: null }, env);
}

/** The hooks file and every file it imports, except packages. An approval pins these files. */
export async function appInputs(file: string): Promise<readonly string[]> {
  const { inputs, failure } = await appDependencies(file);
  if (failure !== undefined) throw failure;
  return inputs;
}

/** Contract: an app that does not build has dependencies too, among them the paths at which a missing import was looked for. */
export async function appDependencies(file: string): Promise<AppDependencies> {
  const found = await buildDependencies(file);
  return { ...found, named: scanNames(found.inputs) };
}

async function buildDependencies(file: string): Promise<Omit<AppDependencies, "named">> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return { inputs: scanImports(file), packages: [], paths: [] };
  const trace = emptyTrace();
  try {
    const { inputs, packages, paths } = await bundleModule(esbuild, file, trace);
    return { inputs: inputs.map(({ path }) => path), packages, paths };
  } catch (failure) {
    const packages = [...trace.packages].map(([path, text]) => ({ path, text }));
    const inputs = [...new Set([file, ...trace.texts.keys()])];
    return { inputs, packages, paths: await resolvedPaths(trace.imports), failure };
  }
}

/**
 * Throws a problem with the location of a syntax error that Node reported without one. esbuild reports the location, unless it accepts
 * syntax that this version of Node does not; then each file is checked with `node --check`.
 */
export async function throwWithLocation(file: string, fault: string): Promise<void> {
  for (const path of await appInputs(file)) {
    const location = syntaxErrorLocation(path);
    if (location !== undefined) throw sdkProblem("no-load", `${file} does not load: ${location}: ${fault}`, { file });
  }
}

/** Throws a problem with the location of an import whose package does not export the imported name. */
export async function throwMissingExport(file: string, cause: unknown): Promise<void> {
  const paths = await appInputs(file);
  const inputs = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })));
  const problem = missingExportIn(cause, file, inputs);
  if (problem !== undefined) throw problem;
}

export { endBuilds };

/**
 * The URL to import a hooks file from when esbuild is not installed. Node strips the types of TypeScript, in versions that can, and
 * `hookline` resolves to the running package.
 */
function nativeImportUrl(file: string): string {
  const isTypeScript = /\.[mc]?tsx?$/.test(file);
  if (isTypeScript && !(process.features as { typescript?: unknown }).typescript) {
    const message = `${file} is TypeScript, and neither esbuild nor Node ${process.version} can read it here. Install esbuild, or write the file as .mjs.`;
    throw sdkProblem("no-typescript", message, { file });
  }
  registerEntryPoints();
  // Node caches a failed import of a JavaScript file, so it is imported under another URL. TypeScript was not imported before.
  return `${pathToFileURL(file).href}${isTypeScript ? "" : "?as-it-is"}`;
}

let isRegistered = false;

type Next = (specifier: string, context: unknown) => unknown;
type Hooks = { resolve(specifier: string, context: unknown, next: Next): unknown };

/** Makes `hookline/…` resolve to the running package for imports of this process. */
function registerEntryPoints(): void {
  if (isRegistered) return;
  isRegistered = true;
  const entryPoints: Readonly<Record<string, object>> = Object.fromEntries(
    ownEntryPoints().map(([name, path]) => [
      name,
      { url: pathToFileURL(path).href, format: "module", shortCircuit: true },
    ]),
  );
  const { register, registerHooks } = nodeModule as typeof nodeModule & { registerHooks?: (hooks: Hooks) => void };
  if (registerHooks !== undefined) {
    registerHooks({
      resolve: (name, context, next) => (Object.hasOwn(entryPoints, name) ? entryPoints[name] : next(name, context)),
    });
    return;
  }
  const code = `const entryPoints = ${JSON.stringify(entryPoints)};
export const resolve = (name, context, next) => (Object.hasOwn(entryPoints, name) ? entryPoints[name] : next(name, context));`;
  register(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The location of a syntax error. Node prints it to stderr and does not put it into the error. */
function syntaxErrorLocation(file: string): string | undefined {
  if (!/\.[mc]?[jt]s$/.test(file)) return undefined;
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8", timeout: 5_000 });
  return /^(?:file:\/\/)?(\/.*:\d+)$/m.exec(stderr ?? "")?.[1];
}
