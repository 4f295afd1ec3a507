import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, BuildResult, Metafile } from "esbuild";
import { sdkProblem } from "../app/argument-checks.ts";
import {
  canBeScript,
  entryPlugin,
  externalPackagesPlugin,
  externalSdkPlugin,
  namesOfScripts,
  readOncePlugin,
  usesNamesOfScripts,
} from "./bundle-plugins.ts";

export type Esbuild = typeof import("esbuild");

export interface Bundle {
  readonly code: string;
  readonly map: string;
}

export interface ModuleBundle extends Bundle {
  /** The author's files it is made of, as they were read for it. */
  readonly inputs: readonly { readonly path: string; readonly text: string }[];
  /** Names that lead to other ones, with these. */
  readonly links: readonly (readonly [name: string, real: string])[];
  /** Whether the same can be had as a script. */
  readonly canBeScript: boolean;
}

export async function loadEsbuild(): Promise<Esbuild | undefined> {
  try {
    return await import("esbuild");
  } catch {
    return undefined; // an optional dependency: the caller reports what is missing
  }
}

/** A hooks file and all it imports from its own tree as one module. */
export async function bundleModule(esbuild: Esbuild, file: string): Promise<ModuleBundle> {
  const entry = await realpath(file);
  const from = dirname(entry);
  const texts = new Map<string, string>();
  const plugins = [entryPlugin(entry), readOncePlugin(esbuild, texts), externalPackagesPlugin(from, texts)];
  const options = { ...optionsFor(entry), format: "esm", plugins } as const;
  const result = await named(texts, (keepNames) => bundle(esbuild, file, { ...options, keepNames }));
  const { code, map } = textsOf(result, from);
  return {
    code,
    map,
    inputs: [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => ({ path, text })),
    links: [[file, entry], ...(await linksOf(result.metafile, from))],
    canBeScript: await canBeScript(result.metafile, code),
  };
}

/** The same texts as a script; undefined when only a module can say it, as with `await` outside of functions. */
export async function bundleScript(
  esbuild: Esbuild,
  file: string,
  inputs: ModuleBundle["inputs"],
): Promise<Bundle | undefined> {
  const entry = await realpath(file);
  const texts = new Map(inputs.map(({ path, text }) => [path, text]));
  const plugins = [entryPlugin(entry), readOncePlugin(esbuild, texts), externalSdkPlugin];
  try {
    // An arrow function, for it has no `arguments`, as a module has none. A module is strict without saying so.
    const banner = { js: '((module, exports, require) => { "use strict";' };
    const framed = { format: "cjs", banner, footer: { js: "})" }, define: namesOfScripts, plugins } as const;
    const options = { ...optionsFor(entry), ...framed };
    const script = textsOf(await named(texts, (keepNames) => esbuild.build({ ...options, keepNames })), dirname(entry));
    return usesNamesOfScripts(script.code) ? undefined : script;
  } catch {
    return undefined; // the module is there and says what is wrong, if anything is
  }
}

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
    // The author's settings for a type checker must not change what runs,
    tsconfigRaw: "{}",
    // nor a word of a package.json to other bundlers: a file that is imported for what it does is there to do it,
    ignoreAnnotations: true,
    // and a package is what Node would find.
    conditions: [],
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
    throw sdkProblem("no-load", `${file} does not load: ${firstMessage(error)}`, { file }, error);
  });
}

/**
 * Functions and classes are called in messages and in the log what their author called them, though two files use one name, or a class
 * speaks of itself. Where neither is so it is built without what that takes, for it would be in the text of every function, and some send
 * that elsewhere: to a thread, to a page.
 */
async function named(
  texts: ReadonlyMap<string, string>,
  build: (keepNames: boolean) => Promise<Result>,
): Promise<Result> {
  const plain = await build(false);
  const isTrue = texts.size === 1 && !textsOf(plain, "").code.includes("= class _");
  return isTrue ? plain : build(true);
}

function textsOf(result: Result, folder: string): Bundle {
  const text = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { code: text(".js"), map: withUrls(text(".map"), folder) };
}

/** Sources are URLs, as readers of source maps expect; paths relative to a build would not resolve. */
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
  return first.location ? `${relativeTo(first.location.file)}:${first.location.line}: ${first.text}` : first.text;
}

function relativeTo(path: string): string {
  return isAbsolute(path) ? relative(process.cwd(), path) : path;
}

type Links = readonly (readonly [name: string, real: string])[];

/**
 * The names in imports that lead to another name, with what they led to. A build is made of real files, and they can stay as they are
 * while a link is pointed elsewhere.
 */
async function linksOf({ inputs }: Metafile, from: string): Promise<Links> {
  const links = new Map<string, string>();
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, original, external } of imports) {
      if (external || original === undefined || !/^[./]/.test(original)) continue;
      const asked = resolve(dirname(absolute(importer, from)), original);
      if (asked === absolute(path, from)) continue;
      // An ending may be left out; then it is the folder that can be a link.
      const name = (await realOf(asked)) === undefined ? dirname(asked) : asked;
      const real = await realOf(name);
      if (real !== undefined && real !== name) links.set(name, real);
    }
  }
  return [...links];
}

function absolute(path: string, from: string): string {
  return isAbsolute(path) ? path : join(from, path);
}

function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined); // not there under this very name
}
