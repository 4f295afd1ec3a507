import { isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import type { Metafile } from "esbuild";
import { ownDoor } from "./bundle-plugins.ts";

/**
 * Whether the files of a module, here with its code, say the same as a script. A script reaches modules of Node and us, and nothing that
 * it names only while it runs.
 */
export async function canBeScript({ inputs, outputs }: Metafile, code: string): Promise<boolean> {
  const sdk = pathToFileURL(ownDoor("hookline/sdk") ?? "").href;
  const asked = Object.values(outputs).flatMap(({ imports }) => imports);
  const isLittle = ({ path, kind }: (typeof asked)[number]) =>
    kind === "import-statement" && (isBuiltin(path) || path === sdk);
  if (!asked.every(isLittle) || !Object.entries(inputs).every(isModule)) return false;
  // All of a JSON file under one name has more names in a build: its own keys.
  if (code.includes("__export(") && Object.keys(inputs).some((path) => path.endsWith(".json"))) return false;
  // Text that is evaluated would see the names of a script, and whoever writes stacks would see the build.
  return !/\b(?:import|require)\s*\(|\bimport\.meta\b|\b(?:eval|prepareStackTrace)\b/.test(code) && hasNames(code, sdk);
}

/** What is no module is sloppy and has names that a module has not. */
function isModule([path, { format }]: [string, Metafile["inputs"][string]]): boolean {
  return format === "esm" || (format === undefined && /\.(?:json|m[jt]s|tsx?)$/.test(path));
}

/** A module that asks for a name that is not there does not load; a script would go on with undefined. */
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
