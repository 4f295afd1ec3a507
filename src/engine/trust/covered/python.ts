import { join, resolve } from "node:path";

/** What a program in Python loads, as far as its text says. */
export interface PythonLoads {
  /** Modules with their dots; leading dots are relative to the file. */
  readonly modules: readonly string[];
  readonly texts: readonly string[];
  /** What it loads or where it looks by means that are worked out while it runs, as written. */
  readonly computed: readonly string[];
}

export function pythonLoads(source: string): PythonLoads {
  const joined = source.replace(/\\\n/g, " ").replace(/\(([^()]*)\)/g, (group) => group.replaceAll("\n", " "));
  const modules: string[] = [];
  for (const [, list = ""] of joined.matchAll(/(?:^|[;:\n])\s*import\s+([^\n;#]+)/g)) modules.push(...namesIn(list));
  for (const [, from = "", list = ""] of joined.matchAll(/(?:^|[;:\n])\s*from\s+(\.*[\w.]*)\s+import\s+([^\n;#]+)/g)) {
    modules.push(from, ...namesIn(list).map((name) => (from.endsWith(".") ? from + name : `${from}.${name}`)));
  }
  const computed = [
    ...joined.matchAll(
      /\b(?:__import__|import_module|run_module|run_path|exec|execfile)\s*\([^)\n]{0,60}|\bsys\.path\b[^\n]{0,60}/g,
    ),
  ];
  return {
    modules: [...new Set(modules)].filter((name) => name !== ""),
    texts: [...joined.matchAll(/(["'])((?:\\.|(?!\1)[^\\\n]){0,500})\1/g)].map(([, , text = ""]) => text),
    computed: [...new Set(computed.map(([whole]) => whole.trim()))],
  };
}

function namesIn(list: string): readonly string[] {
  return list
    .replaceAll(/[()]/g, " ")
    .split(",")
    .map((one) => one.trim().split(/\s+/)[0] ?? "")
    .filter((name) => /^[\w.]+$/.test(name));
}

/** The files that a module may be, from the folder that is searched first. */
export function pythonModuleFiles(module: string, folder: string, own: string): readonly string[] {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const start = dots === 0 ? folder : resolve(own, "../".repeat(dots - 1));
  const parts = module
    .slice(dots)
    .split(".")
    .filter((part) => part !== "");
  const files: string[] = [];
  let at = start;
  if (parts.length === 0) return [join(start, "__init__.py")];
  for (const part of parts) {
    files.push(join(at, `${part}.py`), join(at, part, "__init__.py"));
    at = join(at, part);
  }
  return [...files, join(at, "__main__.py")];
}
