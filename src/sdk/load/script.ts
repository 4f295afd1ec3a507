import { readFileSync } from "node:fs";
import { Script } from "node:vm";

type Run = (module: { exports: unknown }, exports: unknown, require: (name: string) => unknown) => void;

/** Undefined when it is gone since its record was read: others build, too, and old builds make room. */
export function readScript(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // the module stands in
  }
}

/** Runs a built script and gives its exports. It asks for nothing but modules of Node and `hookline/sdk`, which is the one that runs it. */
export function runScript(code: string, path: string, sdk: Readonly<Record<string, unknown>>): unknown {
  const module: { exports: unknown } = { exports: {} };
  const ask = (name: string): unknown => (name === "hookline/sdk" ? sdk : process.getBuiltinModule(name));
  const run = new Script(code, { filename: path }).runInThisContext() as Run;
  run(module, module.exports, ask);
  return module.exports;
}
