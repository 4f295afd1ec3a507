import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { closestName, type Problem } from "../../protocol/internal.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import { ownEntryPoints } from "./bundle-plugins.ts";

/**
 * A file and what it seems to import from its own tree, for want of a builder that knows.
 * Contract: rather one too many than one too few; what is only made up while the code runs is not found.
 */
export function scanImports(file: string): readonly string[] {
  const found = new Set<string>();
  const queue = [resolve(file)];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (!/\.[mc]?[jt]sx?$/.test(path)) continue;
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(specifier))
      queue.push(...resolveSpecifier(name, path));
  }
  return [...found].sort();
}

/** After `from`, `import` or `require`, with or without a bracket. */
const specifier = /\b(?:from|import|require)\s*\(?\s*["'`]((?:\.{0,2}\/|#)[^"'`\n]+)["'`]/g;

function resolveSpecifier(name: string, importer: string): readonly string[] {
  const path = name.startsWith("#")
    ? resolveSubpath(name, importer)
    : resolve(dirname(importer), name.replace(/[?#].*$/, ""));
  const isFile = path !== undefined && existsSync(path) && statSync(path).isFile();
  return isFile && !path.includes("/node_modules/") ? [path] : [];
}

/** What package.json says a name means. */
function resolveSubpath(name: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(name);
  } catch {
    return undefined; // it resolves to nothing; loading the file reports it
  }
}

type Inputs = readonly { readonly path: string; readonly text: string }[];

/**
 * Throws when a built module asks `hookline` for a name that it does not export. Node would name the build and not the author's file, and
 * a script would find out only when the name is used.
 */
export async function checkOwnExports(file: string, code: string, inputs: Inputs): Promise<void> {
  const doors = ownEntryPoints();
  for (const [, clause = "", url = ""] of code.matchAll(/^import \{([^}]*)\} from "(file:[^"]+)";$/gm)) {
    const door = doors.find(([, path]) => path === fileURLToPath(url));
    if (door === undefined) continue;
    const exported = Object.keys((await import(url)) as object);
    const missing = clause
      .split(",")
      .map((one) => one.trim().replace(/ as .*/, ""))
      .find((one) => one !== "" && !exported.includes(one));
    if (missing !== undefined) throw missingExport(file, missing, door[0], inputs, exported);
  }
}

/** The same for another package, from the error of Node. Undefined when it is another error. */
export function missingExportIn(cause: unknown, file: string, inputs: Inputs): Problem | undefined {
  const message = cause instanceof SyntaxError ? cause.message : "";
  const [, , name] = /The requested module '(.*)' does not provide an export named '(.+)'/.exec(message) ?? [];
  return name === undefined ? undefined : missingExport(file, name, undefined, inputs, [], cause);
}

function missingExport(
  file: string,
  name: string,
  door: string | undefined,
  inputs: Inputs,
  exported: readonly string[],
  cause?: unknown,
): Problem {
  const found = findImport(name, door, inputs);
  const near = closestName(name, exported);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const from = door ?? found?.specifier ?? "the module";
  const place = found === undefined ? "" : `${found.place}: `;
  const message = `${file} does not load: ${place}${from} does not provide an export named "${name}".${hint}`;
  return sdkProblem("no-load", message, { file }, cause ?? new SyntaxError(message));
}

/** The place of a name in an import of the author's: the file, the line and the column. */
function findImport(
  name: string,
  door: string | undefined,
  inputs: Inputs,
): { readonly place: string; readonly specifier: string } | undefined {
  for (const { path, text } of inputs) {
    for (const found of text.matchAll(/\b(?:import|export)\b([^;'"]*?)\bfrom\s*["']([^"']+)["']/g)) {
      const [whole, clause = "", specifier = ""] = found;
      const at = clause.search(new RegExp(`(?<![\\w$])${name.replace(/\$/g, "\\$&")}(?![\\w$])`));
      if (at < 0 || (door !== undefined && specifier !== door) || specifier.startsWith(".")) continue;
      const before = text.slice(0, found.index + whole.indexOf(clause) + at).split("\n");
      return { place: `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`, specifier };
    }
  }
  return undefined;
}
