import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import * as nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type HeldLock, openState, replaceFile, takeLock } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import { mapStacks } from "../run/error-location.ts";
import { type BuildRecord, builderTag, cachedBuild, recordName } from "./build-cache.ts";
import { type Bundle, bundleModule, bundleScript, type Esbuild, loadEsbuild, type ModuleBundle } from "./bundle.ts";
import { ownEntryPoints } from "./bundle-plugins.ts";
import { checkOwnExports, missingExportIn, scanImports } from "./scan-imports.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A build is some five files. */
const keepFiles = 250;

/**
 * Builds a hooks file with all it imports from its own tree into one file of the user's state folder, and gives its URL. Of many that
 * come for one file at the same time one builds and the others take what it made: a machine that has much to do would not be done in time.
 */
export async function build(file: string, env: Env): Promise<string> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return nativeImportUrl(file);
  const turn = await takeTurn(file, env);
  try {
    const known = turn === undefined ? undefined : cachedBuild(file, env)?.module;
    if (known === undefined) return await buildNow(esbuild, file, env);
    mapStacks(known);
    return pathToFileURL(known).href;
  } finally {
    await turn?.release();
  }
}

/** Undefined when the lock cannot be taken in time: then every process builds for itself. */
async function takeTurn(file: string, env: Env): Promise<HeldLock | undefined> {
  try {
    const folder = await openState(["builds"], { env });
    const got = await takeLock(join(folder, recordName(file)), { waitMs: 10_000 });
    return got.held ? got : undefined;
  } catch {
    return undefined; // no safe state folder: writing the build reports it
  }
}

async function buildNow(esbuild: Esbuild, file: string, env: Env): Promise<string> {
  const module = await bundleChecked(esbuild, file);
  const output = await keepBuild(esbuild, file, module, env).catch((error: unknown) => {
    // An unsafe state folder is for the user to fix. A full or read-only disk must not disable a guard.
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
 * Builds a file that can be imported as it is, so that the next start of a hook process is quicker. Whatever keeps it from being built
 * is kept too, or every start would try again.
 */
export async function buildAhead(file: string, env: Env): Promise<void> {
  const esbuild = await loadEsbuild();
  const text = await readFile(file, "utf8");
  const module = esbuild && (await bundleChecked(esbuild, file).catch(() => undefined));
  if (esbuild !== undefined && module !== undefined) await keepBuild(esbuild, file, module, env);
  else {
    const about = { file, inputs: [{ path: file, text }], links: [[file, await realpath(file)]] } as const;
    await keepRecord({ made: builderTag, ...about, output: null, script: null }, env);
  }
}

/** The file and everything it imports from its own tree: what must be pinned for the hook to be what was approved. */
export async function appInputs(file: string): Promise<readonly string[]> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return scanImports(file);
  return (await bundleModule(esbuild, file)).inputs.map(({ path }) => path);
}

/**
 * Throws for a file that Node's parser rejected without a location, if the location can be found. The builder knows it, unless it
 * reads what this Node does not yet; then every file is asked about.
 */
export async function throwWithLocation(file: string, fault: string): Promise<void> {
  for (const path of await appInputs(file)) {
    const place = syntaxErrorLocation(path);
    if (place !== undefined) throw sdkProblem("no-load", `${file} does not load: ${place}: ${fault}`, { file });
  }
}

/** Throws for a file that asks a package for a name it does not export, with the place in the author's file. */
export async function throwMissingExport(file: string, cause: unknown): Promise<void> {
  const paths = await appInputs(file);
  const inputs = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })));
  const problem = missingExportIn(cause, file, inputs);
  if (problem !== undefined) throw problem;
}

export async function endBuilds(): Promise<void> {
  await (await loadEsbuild())?.stop();
}

/** Gives the path of the module. */
async function keepBuild(esbuild: Esbuild, file: string, module: ModuleBundle, env: Env): Promise<string> {
  const script = module.canBeScript ? await bundleScript(esbuild, file, module.inputs) : undefined;
  const hash = createHash("sha256").update(builderTag);
  for (const { path, text } of module.inputs) hash.update(`\n${path}\n${text.length}\n`).update(text);
  const name = hash.digest("hex");
  const names = { output: `${name}.mjs`, script: script === undefined ? null : `${name}.cjs` };
  const folder = await openState(["builds"], { env });
  await keepBundle(join(folder, names.output), module);
  if (script !== undefined) await keepBundle(join(folder, `${name}.cjs`), script);
  await keepRecord({ made: builderTag, file, inputs: module.inputs, links: module.links, ...names }, env);
  await prune(folder);
  return join(folder, names.output);
}

async function keepBundle(path: string, { code, map }: Bundle): Promise<void> {
  await replaceFile(`${path}.map`, map);
  await replaceFile(path, code);
}

/** A place for a module that nothing can keep: this process alone can read it, and takes it away when it ends. */
async function writeTemporary(module: Bundle): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-build-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "hooks.mjs");
  await keepBundle(path, module);
  return path;
}

/** Last, for it is what says that the files are there. */
async function keepRecord(record: BuildRecord, env: Env): Promise<void> {
  await replaceFile(join(await openState(["builds"], { env }), recordName(record.file)), JSON.stringify(record));
}

async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(?:[mc]js|json|tried)$/.test(name));
  if (names.length <= keepFiles) return;
  const ages = await Promise.all(names.map(async (name) => ({ name, at: await ageOf(join(folder, name)) })));
  ages.sort((a, b) => b.at - a.at);
  for (const { name } of ages.slice(keepFiles)) {
    await rm(join(folder, name), { force: true });
    await rm(join(folder, `${name}.map`), { force: true });
  }
}

function ageOf(path: string): Promise<number> {
  // Others make room as well.
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/**
 * Where Node itself can read a hooks file from, when there is nothing to build it with: TypeScript by leaving out the types, where this
 * Node does, and `hookline` from the package that runs.
 */
function nativeImportUrl(file: string): string {
  const isTyped = /\.[mc]?tsx?$/.test(file);
  if (isTyped && !(process.features as { typescript?: unknown }).typescript) {
    const message = `${file} is TypeScript, and neither esbuild nor Node ${process.version} can read it here. Install esbuild, or write the file as .mjs.`;
    throw sdkProblem("no-typescript", message, { file });
  }
  registerEntryPoints();
  // Node does not look again for what a file asked for in vain; TypeScript was not tried before.
  return `${pathToFileURL(file).href}${isTyped ? "" : "?as-it-is"}`;
}

let lent = false;

type Next = (specifier: string, context: unknown) => unknown;
type Hooks = { resolve(specifier: string, context: unknown, next: Next): unknown };

function registerEntryPoints(): void {
  if (lent) return;
  lent = true;
  const doors: Readonly<Record<string, object>> = Object.fromEntries(
    ownEntryPoints().map(([name, path]) => [
      name,
      { url: pathToFileURL(path).href, format: "module", shortCircuit: true },
    ]),
  );
  const { register, registerHooks } = nodeModule as typeof nodeModule & { registerHooks?: (hooks: Hooks) => void };
  if (registerHooks !== undefined) {
    registerHooks({
      resolve: (name, context, next) => (Object.hasOwn(doors, name) ? doors[name] : next(name, context)),
    });
    return;
  }
  const code = `const doors = ${JSON.stringify(doors)};
export const resolve = (name, context, next) => (Object.hasOwn(doors, name) ? doors[name] : next(name, context));`;
  register(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The place of an error of the parser, which Node tells on its screen alone. */
function syntaxErrorLocation(file: string): string | undefined {
  if (!/\.[mc]?[jt]s$/.test(file)) return undefined;
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8", timeout: 5_000 });
  return /^(?:file:\/\/)?(\/.*:\d+)$/m.exec(stderr ?? "")?.[1];
}
