import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";

/** Runs a built script and gives its exports. It asks for nothing but modules of Node and `hookline/sdk`, which is the one that runs it. */
export function runScript(path: string, sdk: Readonly<Record<string, unknown>>): unknown {
  const module: { exports: unknown } = { exports: {} };
  const ask = (name: string): unknown => (name === "hookline/sdk" ? sdk : process.getBuiltinModule(name));
  const run = compileFunction(readFileSync(path, "utf8"), ["module", "exports", "require"], { filename: path });
  run(module, module.exports, ask);
  return module.exports;
}
