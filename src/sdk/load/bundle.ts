import { readFile, realpath } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, BuildResult } from "esbuild";
import { wrong } from "../problem.ts";
import { knowsItsPlace, leavesPackages, leavesSdk, ownDoor } from "./bundle-plugins.ts";

export type Esbuild = typeof import("esbuild");

export interface Bundle {
  readonly code: string;
  readonly map: string;
}

export interface ModuleBundle extends Bundle {
  /** The author's files it is made of. */
  readonly inputs: readonly { readonly path: string; readonly text: string }[];
  /** Whether the same can be had as a script. */
  readonly canBeScript: boolean;
}

export async function loadEsbuild(): Promise<Esbuild | undefined> {
  try {
    return await import("esbuild");
  } catch {
    return undefined; // an optional dependency: whoever needs it says what is missing
  }
}

/** A hooks file and all it imports from its own tree as one module. */
export async function bundleModule(esbuild: Esbuild, file: string): Promise<ModuleBundle> {
  const entry = await realpath(file);
  const from = dirname(entry);
  const plugins = [knowsItsPlace(esbuild), leavesPackages(from)];
  const result = await bundle(esbuild, file, { ...optionsFor(entry), format: "esm", plugins });
  const paths = Object.keys(result.metafile.inputs).map((path) => (isAbsolute(path) ? path : join(from, path)));
  const inputs = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })));
  const { code, map } = textsOf(result, from);
  return { code, map, inputs, canBeScript: asksForLittle(result, code) };
}

/** The same as a script; undefined when only a module can say it, as with `await` outside of functions. */
export async function bundleScript(esbuild: Esbuild, file: string): Promise<Bundle | undefined> {
  const entry = await realpath(file);
  const plugins = [knowsItsPlace(esbuild), leavesSdk];
  try {
    // A module is strict without saying so.
    const options = { ...optionsFor(entry), format: "cjs", banner: { js: '"use strict";' }, plugins } as const;
    return textsOf(await esbuild.build(options), dirname(entry));
  } catch {
    return undefined; // the module is there and says what is wrong, if anything is
  }
}

function optionsFor(entry: string) {
  return {
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    sourcemap: "external",
    outfile: "hooks.js",
    absWorkingDir: dirname(entry),
    // The author's settings for a type checker must not change what runs.
    tsconfigRaw: "{}",
    logLevel: "silent",
  } as const satisfies BuildOptions;
}

type Result = BuildResult<ReturnType<typeof optionsFor>>;

async function bundle(
  esbuild: Esbuild,
  file: string,
  options: ReturnType<typeof optionsFor> & BuildOptions,
): Promise<Result> {
  return esbuild.build(options).catch((error: unknown) => {
    throw wrong("no-load", `${file} does not load: ${firstMessage(error)}`, { file }, error);
  });
}

/** A script reaches modules of Node and us, and nothing that it names only while it runs. */
function asksForLittle({ metafile }: Result, code: string): boolean {
  const sdk = pathToFileURL(ownDoor("hookline/sdk") ?? "").href;
  const asked = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const isLittle = ({ path, kind }: (typeof asked)[number]) =>
    kind === "import-statement" && (isBuiltin(path) || path === sdk);
  return asked.every(isLittle) && !/\b(?:import|require)\s*\(|\bimport\.meta\b/.test(code);
}

function textsOf(result: Result, folder: string): Bundle {
  const text = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { code: text(".js"), map: absoluteSources(text(".map"), folder) };
}

function absoluteSources(map: string, folder: string): string {
  const parsed = JSON.parse(map) as { sources: string[] };
  const sources = parsed.sources.map((source) => (isAbsolute(source) ? source : join(folder, source)));
  return JSON.stringify({ ...parsed, sources });
}

function firstMessage(error: unknown): string {
  const { errors } = error as { errors?: { text: string; location?: { file: string; line: number } | null }[] };
  const [first] = errors ?? [];
  if (first === undefined) return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return first.location ? `${relativeTo(first.location.file)}:${first.location.line}: ${first.text}` : first.text;
}

function relativeTo(path: string): string {
  return isAbsolute(path) ? relative(process.cwd(), path) : path;
}
