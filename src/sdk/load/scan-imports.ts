import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";

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
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(specifier)) queue.push(...meant(name, path));
  }
  return [...found].sort();
}

/** After `from`, `import` or `require`, with or without a bracket. */
const specifier = /\b(?:from|import|require)\s*\(?\s*["'`]((?:\.{0,2}\/|#)[^"'`\n]+)["'`]/g;

function meant(name: string, importer: string): readonly string[] {
  const path = name.startsWith("#") ? inside(name, importer) : resolve(dirname(importer), name.replace(/[?#].*$/, ""));
  const isFile = path !== undefined && existsSync(path) && statSync(path).isFile();
  return isFile && !path.includes("/node_modules/") ? [path] : [];
}

/** What package.json says a name means. */
function inside(name: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(name);
  } catch {
    return undefined; // it means nothing; whoever loads the file says so
  }
}
