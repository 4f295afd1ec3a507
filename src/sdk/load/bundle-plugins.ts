import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile, Plugin } from "esbuild";
import { packageFile } from "../../files/internal.ts";
import type { Esbuild } from "./bundle.ts";

/**
 * Reads each file once and keeps the text, so that what a build says of its inputs is what it was made of, though a file changes
 * meanwhile. `import.meta` of every file keeps naming the author's file, although all of them become one.
 */
export function readOncePlugin(esbuild: Esbuild, texts: Map<string, string>): Plugin {
  return {
    name: "reads-once",
    setup({ onLoad }) {
      onLoad({ filter: /./, namespace: "file" }, async ({ path, suffix }) => {
        if (suffix !== "") return { errors: [{ text: `${path} is imported as "${suffix}", which no build can keep` }] };
        const read = texts.get(path) ?? (await readFile(path, "utf8"));
        const source = texts.get(path) ?? read;
        texts.set(path, source);
        if (!/\.[mc]?[jt]sx?$/.test(path) || !source.includes("import.meta"))
          return { contents: source, loader: "default" };
        return { contents: await placed(esbuild, path, source), loader: "js" };
      });
    },
  };
}

/** Names the file that a build begins with: by its path, esbuild would take a `*` in it for a pattern. */
export function entryPlugin(entry: string): Plugin {
  return {
    name: "begins-with",
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ kind }) => (kind === "entry-point" ? { path: entry } : undefined));
    },
  };
}

async function placed(esbuild: Esbuild, path: string, source: string): Promise<string> {
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
 * Packages are not built in: they are found from the author's file, and `hookline` itself is the one that runs. What a bare name finds in
 * the author's own package, or as TypeScript outside of `node_modules`, is theirs as a path is.
 */
export function externalPackagesPlugin(from: string, texts: Map<string, string>): Plugin {
  const resolving = Symbol("asking");
  return {
    name: "leaves-packages",
    setup(build) {
      build.onResolve({ filter: /^hookline(\/|$)/ }, ({ path }) => {
        const own = ownEntryPoint(path);
        return own === undefined ? undefined : { path: pathToFileURL(own).href, external: true };
      });
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (pluginData === resolving || isAbsolute(path) || /^(?:node:|data:|hookline)/.test(path)) return undefined;
        const found = await build.resolve(path, {
          kind,
          resolveDir: resolveDir || from,
          importer,
          pluginData: resolving,
        });
        if (found.errors.length > 0 || found.external) return found;
        if (isOwn(found.path, importer)) {
          await readNames(found.path, texts);
          return found;
        }
        return { path: pathToFileURL(found.path).href, external: true };
      });
    },
  };
}

function isOwn(found: string, importer: string): boolean {
  if (found.includes(`${sep}node_modules${sep}`)) return false;
  return /\.[mc]?tsx?$/.test(found) || packageRoot(found) === packageRoot(importer);
}

/** A package.json that says what a bare name means is an input as the file is. */
async function readNames(found: string, texts: Map<string, string>): Promise<void> {
  const root = packageRoot(found);
  if (root === undefined) return;
  const path = join(root, "package.json");
  if (!texts.has(path)) texts.set(path, await readFile(path, "utf8"));
}

/** The file behind `hookline/sdk` and its sisters in the package that runs this. */
export function ownEntryPoint(specifier: string): string | undefined {
  return ownEntryPoints().find(([name]) => name === specifier)?.[1];
}

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

/** For a script: the program that runs it passes `hookline/sdk`. */
export const externalSdkPlugin: Plugin = {
  name: "leaves-sdk",
  setup(build) {
    build.onResolve({ filter: /^hookline\/sdk$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Whether the files of a module, here with its code, say the same as a script. A script reaches modules of Node and us, and nothing that
 * it names only while it runs.
 */
export async function canBeScript({ inputs, outputs }: Metafile, code: string): Promise<boolean> {
  const sdk = pathToFileURL(ownEntryPoint("hookline/sdk") ?? "").href;
  const asked = Object.values(outputs).flatMap(({ imports }) => imports);
  const isLittle = ({ path, kind }: (typeof asked)[number]) =>
    kind === "import-statement" && (isBuiltin(path) || path === sdk);
  if (!asked.every(isLittle) || !Object.entries(inputs).every(isModule)) return false;
  // All of a JSON file under one name has more names in a build: its own keys.
  if (code.includes("__export(") && Object.keys(inputs).some((path) => path.endsWith(".json"))) return false;
  // Evaluated text would see the names of a script, and code that formats stacks would see the build.
  return !/\b(?:import|require)\s*\(|\bimport\.meta\b|\b(?:eval|prepareStackTrace)\b/.test(code) && hasNames(code, sdk);
}

/** A file that is not a module runs in sloppy mode and has names that a module does not have. */
function isModule([path, { format }]: [string, Metafile["inputs"][string]]): boolean {
  return format === "esm" || (format === undefined && /\.(?:json|m[jt]s|tsx?)$/.test(path));
}

/** A module that imports a missing name does not load; a script would continue with undefined. */
async function hasNames(code: string, sdk: string): Promise<boolean> {
  for (const [, other, list = "", path = ""] of code.matchAll(statement)) {
    // What only looks like a statement, in a text, may name anything: nothing of the author's is ever loaded here.
    if (!isBuiltin(path) && path !== sdk) return false;
    if (other !== undefined && path === sdk) return false; // there is no default export
    const door = (await import(path)) as object;
    const names = list.split(",").map((name) => name.trim().split(" as ")[0] ?? "");
    if (!names.every((name) => name === "" || name in door)) return false;
  }
  return true;
}

const statement = /^(?:im|ex)port (?:([\w$]+)(?:, )?)?(?:\{([^}]*)\} )?from "([^"]+)";$/gm;

const free = "hookline_name_of_scripts";

/** For the builder: names that mean something in a script alone. Names that the author gives stay as they are. */
export const namesOfScripts: Readonly<Record<string, string>> = Object.fromEntries(
  ["module", "exports", "require", "__filename", "__dirname"].map((name) => [name, free]),
);

export function usesNamesOfScripts(code: string): boolean {
  return code.includes(free);
}
