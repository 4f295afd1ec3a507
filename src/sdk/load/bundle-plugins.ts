import { existsSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile, Plugin } from "esbuild";
import { packageFile } from "../../files/internal.ts";
import type { ImportedName } from "./resolved-paths.ts";

export type Esbuild = typeof import("esbuild");

/** What a build has come across so far. It is complete also when the build fails. */
export interface BuildTrace {
  readonly texts: Map<string, string>;
  readonly packages: Map<string, string>;
  readonly imports: ImportedName[];
}

/**
 * Reads each file once and records its text in `texts`, so that the recorded inputs match the build even if a file changes meanwhile.
 * `import.meta` of each file still refers to the author's file, although all files become one.
 */
export function readOncePlugin(esbuild: Esbuild, texts: Map<string, string>): Plugin {
  return {
    name: "reads-once",
    setup({ onLoad }) {
      onLoad({ filter: /./, namespace: "file" }, async ({ path, suffix }) => {
        if (suffix !== "") return { errors: [{ text: `${path} is imported as "${suffix}", which cannot be bundled` }] };
        // Reading a pipe would wait for its writer.
        if (!texts.has(path) && !(await stat(path)).isFile())
          return { errors: [{ text: `${path} is not a regular file` }] };
        const read = texts.get(path) ?? (await readFile(path, "utf8"));
        // Another call may have read the file meanwhile.
        const source = texts.get(path) ?? read;
        texts.set(path, source);
        if (!/\.[mc]?[jt]sx?$/.test(path) || !source.includes("import.meta"))
          return { contents: source, loader: "default" };
        return { contents: await withImportMeta(esbuild, path, source), loader: "js" };
      });
    },
  };
}

/** Sets the entry point of a build. Passed as a path, esbuild would treat a `*` in it as a pattern. */
export function entryPlugin(entry: string): Plugin {
  return {
    name: "begins-with",
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ kind }) => (kind === "entry-point" ? { path: entry } : undefined));
    },
  };
}

async function withImportMeta(esbuild: Esbuild, path: string, source: string): Promise<string> {
  const { code } = await esbuild.transform(source, {
    loader: (/[jt]sx?$/.exec(path)?.[0] ?? "js") as "js" | "jsx" | "ts" | "tsx",
    sourcefile: path,
    sourcemap: "inline",
    tsconfigRaw: "{}",
    define: {
      "import.meta.url": JSON.stringify(pathToFileURL(path).href),
      "import.meta.dirname": JSON.stringify(dirname(path)),
      "import.meta.filename": JSON.stringify(path),
    },
  });
  return code;
}

/**
 * Leaves packages out of the bundle. They are resolved from the author's file, and `hookline` is the running package. A bare specifier
 * that resolves to the author's own package, or to TypeScript outside `node_modules`, is bundled like a relative import. The package.json
 * that a specifier was resolved with is recorded: in `texts` for the author's own package, in `packages` for others. Each specifier is
 * added to `imports`, whether or not it can be resolved.
 */
export function externalPackagesPlugin(from: string, { texts, packages, imports }: BuildTrace): Plugin {
  const resolving = Symbol("resolving");
  return {
    name: "leaves-packages",
    setup(build) {
      build.onResolve({ filter: /^hookline(\/|$)/ }, async ({ path }) => {
        const own = ownEntryPoint(path);
        if (own === undefined) return undefined;
        await recordManifest(own, packages);
        return { path: pathToFileURL(own).href, external: true };
      });
      build.onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => {
        imports.push({ specifier: path, folder: resolveDir || from });
        return undefined;
      });
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (pluginData === resolving || isAbsolute(path) || /^(?:node:|data:|hookline(?:\/|$))/.test(path))
          return undefined;
        imports.push({ specifier: path, folder: resolveDir || from });
        const resolved = await build.resolve(path, {
          kind,
          resolveDir: resolveDir || from,
          importer,
          pluginData: resolving,
        });
        if (resolved.errors.length > 0 || resolved.external) return resolved;
        const isAuthors = isAuthorsFile(resolved.path, importer);
        await recordManifest(resolved.path, isAuthors ? texts : packages);
        return isAuthors ? resolved : { path: pathToFileURL(resolved.path).href, external: true };
      });
    },
  };
}

function isAuthorsFile(path: string, importer: string): boolean {
  if (path.includes(`${sep}node_modules${sep}`)) return false;
  return /\.[mc]?tsx?$/.test(path) || packageRoot(path) === packageRoot(importer);
}

async function recordManifest(file: string, texts: Map<string, string>): Promise<void> {
  const root = packageRoot(file);
  if (root === undefined) return;
  const path = join(root, "package.json");
  if (!texts.has(path)) texts.set(path, await readFile(path, "utf8"));
}

export function ownEntryPoint(specifier: string): string | undefined {
  return ownEntryPoints().find(([name]) => name === specifier)?.[1];
}

/** The entry points of the running package, such as `hookline/sdk`, with their files. */
export function ownEntryPoints(): readonly (readonly [specifier: string, path: string])[] {
  const { exports } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
    exports: Record<string, string | { readonly default: string }>;
  };
  return Object.entries(exports).map(([name, target]) => [
    `hookline${name.slice(1)}`,
    packageFile(typeof target === "string" ? target : target.default),
  ]);
}

function packageRoot(from: string): string | undefined {
  for (let folder = dirname(from); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}

/** Entry points that a script can require. The program that runs it provides `hookline/sdk` and loads the others from the package. */
const scriptEntryPoints = ["hookline/sdk", "hookline/sessions", "hookline/permissions", "hookline/protocol"];

/** For a script: leaves the entry points out, under their names. */
export const externalEntryPointsPlugin: Plugin = {
  name: "leaves-entry-points",
  setup(build) {
    build.onResolve({ filter: /^hookline\// }, ({ path }) =>
      scriptEntryPoints.includes(path) ? { path, external: true } : undefined,
    );
  },
};

/**
 * Whether a bundled module behaves the same as a script. A script can import Node modules and some entry points of this package, and
 * nothing dynamically.
 */
export async function canBeScript({ inputs, outputs }: Metafile, code: string): Promise<boolean> {
  const own = new Set(scriptEntryPoints.map((name) => pathToFileURL(ownEntryPoint(name) ?? "").href));
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const canRequire = ({ path, kind }: (typeof imports)[number]) =>
    kind === "import-statement" && (isBuiltin(path) || own.has(path));
  if (!imports.every(canRequire) || !Object.entries(inputs).every(isModule)) return false;
  // A namespace import of a JSON file also has the file's keys in a script.
  if (code.includes("__export(") && Object.keys(inputs).some((path) => path.endsWith(".json"))) return false;
  // Evaluated code would see the variables of a script, and code that formats stacks would see the build.
  if (/\b(?:import|require)\s*\(|\bimport\.meta\b|\b(?:eval|prepareStackTrace)\b/.test(code)) return false;
  return !showsNamespace(code, own) && areImportsExported(code, own);
}

/** The namespace of one of our entry points has a `default` in a script only. Code that just reads its members does not see it. */
function showsNamespace(code: string, own: ReadonlySet<string>): boolean {
  for (const [statement, name = "*", path = ""] of code.matchAll(namespaceStatement)) {
    if (!own.has(path)) continue;
    if (name === "*") return true; // all of it is exported again
    const word = `(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`;
    const otherUse = new RegExp(`${word}(?!\\.(?!default\\b)[\\w$])`);
    if (otherUse.test(code.replace(statement, ""))) return true;
  }
  return false;
}

const namespaceStatement = /^(?:import \* as ([\w$]+)|export \*(?: as [\w$]+)?) from "([^"]+)";$/gm;

/** A file that is not a module runs in sloppy mode and has variables that a module does not have. */
function isModule([path, { format }]: [string, Metafile["inputs"][string]]): boolean {
  return format === "esm" || (format === undefined && /\.(?:json|m[jt]s|tsx?)$/.test(path));
}

/** A module that imports a missing name does not load; a script would continue with undefined. */
async function areImportsExported(code: string, own: ReadonlySet<string>): Promise<boolean> {
  for (const [, defaultName, list = "", path = ""] of code.matchAll(importStatement)) {
    // Text inside a string may look like a statement. Never import a file of the author here.
    if (!isBuiltin(path) && !own.has(path)) return false;
    if (defaultName !== undefined && own.has(path)) return false; // our entry points have no default export
    const exported = (await import(path)) as object;
    const names = list.split(",").map((name) => name.trim().split(" as ")[0] ?? "");
    if (!names.every((name) => name === "" || name in exported)) return false;
  }
  return true;
}

const importStatement = /^(?:im|ex)port (?:([\w$]+)(?:, )?)?(?:\{([^}]*)\} )?from "([^"]+)";$/gm;

const scriptGlobal = "hookline_script_global";

/** Marks uses of variables that exist in scripts only. esbuild replaces free variables; variables of the author keep their names. */
export const scriptGlobals: Readonly<Record<string, string>> = Object.fromEntries(
  ["module", "exports", "require", "__filename", "__dirname"].map((name) => [name, scriptGlobal]),
);

export function usesScriptGlobals(code: string): boolean {
  return code.includes(scriptGlobal);
}
