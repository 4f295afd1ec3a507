import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, BuildResult } from "esbuild";
import { sdkProblem } from "../app/argument-checks.ts";
import type { BuildRecord } from "./build-cache.ts";
import {
  type BuildTrace,
  canBeScript,
  type Esbuild,
  entryPlugin,
  externalEntryPointsPlugin,
  externalPackagesPlugin,
  readOncePlugin,
  scriptGlobals,
  usesScriptGlobals,
} from "./bundle-plugins.ts";
import { resolvedPaths } from "./resolved-paths.ts";

export interface Bundle {
  readonly code: string;
  readonly map: string;
}

export interface ModuleBundle extends Bundle, Pick<BuildRecord, "inputs" | "packages" | "paths"> {
  /** True when the code behaves the same as a script. */
  readonly canBeScript: boolean;
}

/** Undefined when this optional dependency is missing, which the caller reports. */
export function loadEsbuild(): Promise<Esbuild | undefined> {
  return import("esbuild").catch(() => undefined);
}

let running = 0;

/** Ends esbuild's process, unless a build runs: one whose process is ended never settles. The caller of that build ends it. */
export async function endBuilds(): Promise<void> {
  if (running === 0) await (await loadEsbuild())?.stop();
}

export function emptyTrace(): BuildTrace {
  return { texts: new Map(), packages: new Map(), imports: [] };
}

/** Bundles a hooks file and the files it imports into one module. */
export async function bundleModule(esbuild: Esbuild, file: string, trace = emptyTrace()): Promise<ModuleBundle> {
  const { texts, packages, imports } = trace;
  const entry = await realpath(file);
  const from = dirname(entry);
  const leavesPackages = externalPackagesPlugin(from, trace);
  const plugins = [entryPlugin(entry), readOncePlugin(esbuild, texts), leavesPackages];
  const options = { ...optionsFor(entry), format: "esm", plugins } as const;
  const result = await buildWithNames(texts, (keepNames) => esbuild.build({ ...options, keepNames })).catch(
    (error: unknown) => {
      throw sdkProblem("no-load", `${file} does not load: ${firstMessage(error)}`, { file }, error);
    },
  );
  const { code, map } = textsOf(result, from);
  return {
    code,
    map,
    inputs: sorted(texts),
    packages: sorted(packages),
    paths: [[file, entry], ...(await resolvedPaths(imports))],
    canBeScript: await canBeScript(result.metafile, code),
  };
}

function sorted(texts: ReadonlyMap<string, string>): BuildRecord["inputs"] {
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => ({ path, text }));
}

/** Bundles the same texts into a script. Undefined when only a module can hold the code, as with top-level `await`. */
export async function bundleScript(
  esbuild: Esbuild,
  file: string,
  inputs: ModuleBundle["inputs"],
): Promise<Bundle | undefined> {
  const entry = await realpath(file);
  const texts = new Map(inputs.map(({ path, text }) => [path, text]));
  const plugins = [entryPlugin(entry), readOncePlugin(esbuild, texts), externalEntryPointsPlugin];
  try {
    const options = { ...optionsFor(entry), ...scriptOptions, define: scriptGlobals, plugins };
    const result = await buildWithNames(texts, (keepNames) => esbuild.build({ ...options, keepNames }));
    const script = textsOf(result, dirname(entry));
    return usesScriptGlobals(script.code) ? undefined : script;
  } catch {
    return undefined; // the module is used instead, and loading it reports errors
  }
}

/** An arrow function has no `arguments`, like a module. A module is always strict. */
const scriptOptions = {
  format: "cjs",
  banner: { js: '((module, exports, require) => { "use strict";' },
  footer: { js: "})" },
} as const satisfies BuildOptions;

function optionsFor(entry: string) {
  return {
    entryPoints: ["hooks"],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    sourcemap: "external",
    outfile: "hooks.js",
    absWorkingDir: dirname(entry),
    // The author's type checker settings must not change the code,
    tsconfigRaw: "{}",
    // nor must `sideEffects` in a package.json: a file that is imported for its side effects stays in the bundle.
    ignoreAnnotations: true,
    // Resolve packages as Node does.
    conditions: [],
    logLevel: "silent",
  } as const satisfies BuildOptions;
}

type Result = BuildResult<ReturnType<typeof optionsFor>>;

/**
 * Builds so that functions and classes keep their names in messages and in the log. esbuild renames when two files use the same name and
 * when a class refers to itself; only then is it built with `keepNames`, which adds calls to every function. Authors may send the text
 * of a function to a thread or a page, where those calls would fail.
 */
async function buildWithNames(
  texts: ReadonlyMap<string, string>,
  build: (keepNames: boolean) => Promise<Result>,
): Promise<Result> {
  running++;
  try {
    const plain = await build(false);
    const hasOwnNames = texts.size === 1 && !textsOf(plain, "").code.includes("= class _");
    return hasOwnNames ? plain : await build(true);
  } finally {
    running--;
  }
}

function textsOf(result: Result, folder: string): Bundle {
  const text = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { code: text(".js"), map: withUrls(text(".map"), folder) };
}

/** Makes the sources of a source map URLs: paths relative to the build would not resolve. */
function withUrls(map: string, folder: string): string {
  const parsed = JSON.parse(map) as { sources: string[] };
  const sources = parsed.sources.map((source) => {
    const path = decodeURIComponent(source);
    return pathToFileURL(isAbsolute(path) ? path : join(folder, path)).href;
  });
  return JSON.stringify({ ...parsed, sources });
}

function firstMessage(error: unknown): string {
  const { errors } = error as { errors?: { text: string; location?: { file: string; line: number } | null }[] };
  const [first] = errors ?? [];
  if (first === undefined) return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  if (!first.location) return first.text;
  const { file, line } = first.location;
  return `${isAbsolute(file) ? relative(process.cwd(), file) : file}:${line}: ${first.text}`;
}
