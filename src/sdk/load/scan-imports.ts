import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt, didYouMean, type Problem } from "../../protocol/internal.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { BuildRecord } from "./build-cache.ts";
import { ownEntryPoints } from "./bundle-plugins.ts";

/**
 * A file and the files it seems to import, for machines without esbuild.
 * Contract: may list too many files, never too few. Imports with a computed path are not found.
 */
export function scanImports(file: string): readonly string[] {
  const paths = new Set<string>();
  const queue = [resolve(file)];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (paths.has(path)) continue;
    paths.add(path);
    if (!/\.[mc]?[jt]sx?$/.test(path)) continue;
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(specifier))
      queue.push(...resolveSpecifier(name, path));
  }
  return [...paths].sort();
}

/** Files of code whose paths these files contain in any other place, as for `createRequire`, with what they import. */
export function scanNames(files: readonly string[]): readonly string[] {
  const named = files.flatMap((file) => {
    const text = attempt(() => readFileSync(file, "utf8")) ?? ""; // building it reports a failure
    return [...text.matchAll(codePath)].flatMap(([, name = ""]) => resolveSpecifier(name, file));
  });
  const found = new Set(named.filter((path) => !files.includes(path)).flatMap(scanImports));
  return [...found].filter((path) => !files.includes(path));
}

const codePath = /["'`](\.{1,2}\/[^"'`\n]+\.[mc]?[jt]s)["'`]/g;

/** A path after `from`, `import` or `require`, with or without a parenthesis. */
const specifier = /\b(?:from|import|require)\s*\(?\s*["'`]((?:\.{0,2}\/|#)[^"'`\n]+)["'`]/g;

function resolveSpecifier(name: string, importer: string): readonly string[] {
  // A name such as `#util` is in the `imports` of package.json. Loading the file reports a failure.
  const path = name.startsWith("#")
    ? attempt(() => createRequire(importer).resolve(name))
    : resolve(dirname(importer), name.replace(/[?#].*$/, ""));
  const isFile = path !== undefined && existsSync(path) && statSync(path).isFile();
  return isFile && !path.includes("/node_modules/") ? [path] : [];
}

type Inputs = BuildRecord["inputs"];

/**
 * Throws when a built module imports a name from `hookline` that is not exported. Node would report the built file instead of the
 * author's, and a script would fail only when the name is used.
 */
export async function checkOwnExports(file: string, code: string, inputs: Inputs): Promise<void> {
  const entryPoints = ownEntryPoints();
  for (const [, clause = "", url = ""] of code.matchAll(/^import \{([^}]*)\} from "(file:[^"]+)";$/gm)) {
    const [specifier] = entryPoints.find(([, path]) => path === fileURLToPath(url)) ?? [];
    if (specifier === undefined) continue;
    const exported = Object.keys((await import(url)) as object);
    const missing = clause
      .split(",")
      .map((name) => name.trim().replace(/ as .*/, ""))
      .find((name) => name !== "" && !exported.includes(name));
    if (missing !== undefined) throw missingExport(file, missing, specifier, inputs, exported);
  }
}

/** The same for another package, from Node's error. Undefined for any other error. */
export function missingExportIn(cause: unknown, file: string, inputs: Inputs): Problem | undefined {
  const message = cause instanceof SyntaxError ? cause.message : "";
  const [, , name] = /The requested module '(.*)' does not provide an export named '(.+)'/.exec(message) ?? [];
  return name === undefined ? undefined : missingExport(file, name, undefined, inputs, [], cause);
}

function missingExport(
  file: string,
  name: string,
  entryPoint: string | undefined,
  inputs: Inputs,
  exported: readonly string[],
  cause?: unknown,
): Problem {
  const statement = findImport(name, entryPoint, inputs);
  const hint = didYouMean(name, exported);
  const from = entryPoint ?? statement?.specifier ?? "the module";
  const location = statement === undefined ? "" : `${statement.location}: `;
  const message = `${file} does not load: ${location}${from} does not provide an export named "${name}".${hint}`;
  return sdkProblem("no-load", message, { file }, cause ?? new SyntaxError(message));
}

/** Finds the author's import of a name. The location is `file:line:column`. */
function findImport(name: string, entryPoint: string | undefined, inputs: Inputs) {
  for (const { path, text } of inputs) {
    for (const match of text.matchAll(/\b(?:import|export)\b([^;'"]*?)\bfrom\s*["']([^"']+)["']/g)) {
      const [statement, clause = "", specifier = ""] = match;
      const at = clause.search(new RegExp(`(?<![\\w$])${name.replace(/\$/g, "\\$&")}(?![\\w$])`));
      if (at < 0 || (entryPoint !== undefined && specifier !== entryPoint) || specifier.startsWith(".")) continue;
      const before = text.slice(0, match.index + statement.indexOf(clause) + at).split("\n");
      return { location: `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`, specifier };
    }
  }
  return undefined;
}
