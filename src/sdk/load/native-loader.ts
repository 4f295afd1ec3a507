import { spawnSync } from "node:child_process";
import * as nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { wrong } from "../app/wrong-call.ts";
import { ownDoors } from "./bundle-plugins.ts";

/**
 * Where Node itself can read a hooks file from, when there is nothing to build it with: TypeScript by leaving out the types, where this
 * Node does, and `hookline` from the package that runs.
 */
export function asItIs(file: string): string {
  const isTyped = /\.[mc]?tsx?$/.test(file);
  if (isTyped && !(process.features as { typescript?: unknown }).typescript) {
    const message = `${file} is TypeScript, and neither esbuild nor Node ${process.version} can read it here. Install esbuild, or write the file as .mjs.`;
    throw wrong("no-typescript", message, { file });
  }
  lendDoors();
  // Node does not look again for what a file asked for in vain; TypeScript was not tried before.
  return `${pathToFileURL(file).href}${isTyped ? "" : "?as-it-is"}`;
}

let lent = false;

type Next = (specifier: string, context: unknown) => unknown;
type Hooks = { resolve(specifier: string, context: unknown, next: Next): unknown };

function lendDoors(): void {
  if (lent) return;
  lent = true;
  const doors: Readonly<Record<string, object>> = Object.fromEntries(
    ownDoors().map(([name, path]) => [name, { url: pathToFileURL(path).href, format: "module", shortCircuit: true }]),
  );
  const { register, registerHooks } = nodeModule as typeof nodeModule & { registerHooks?: (hooks: Hooks) => void };
  if (registerHooks !== undefined) {
    registerHooks({
      resolve: (name, context, next) => (Object.hasOwn(doors, name) ? doors[name] : next(name, context)),
    });
    return;
  }
  const code = `const doors = ${JSON.stringify(doors)};
export const resolve = (name, context, next) => (Object.hasOwn(doors, name) ? doors[name] : next(name, context));`;
  register(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The place of an error of the parser, which Node tells on its screen alone. */
export function placeOfFault(file: string): string | undefined {
  if (!/\.[mc]?[jt]s$/.test(file)) return undefined;
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8", timeout: 5_000 });
  return /^(?:file:\/\/)?(\/.*:\d+)$/m.exec(stderr ?? "")?.[1];
}
