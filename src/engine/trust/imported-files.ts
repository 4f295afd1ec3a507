import { statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { hooksFileIn } from "../../protocol/index.ts";
import {
  type Checkout,
  filled,
  type LookOptions,
  type NamedCommand,
  type NamedFile,
  namedFiles,
} from "./named-files.ts";
import { shellWords } from "./words.ts";

/** The hooks file that a command is about when it calls an app, as a path; undefined for every other command. */
export function hooksFileOf(named: NamedCommand, checkout: Checkout): string | undefined {
  const { command, args } = named;
  const words = args === undefined ? shellWords(command).map(({ text }) => text) : [command, ...args];
  const file = hooksFileIn(words);
  return file === undefined ? undefined : resolve(checkout.real, filled(file, named, checkout));
}

/**
 * What an app imports, as it is now: the files themselves, and whatever beside them could be found under the same name in their
 * place, since a file that is added can change what an import means without changing any file that was approved.
 */
export function importedFiles(
  paths: readonly string[],
  checkout: Checkout,
  options: LookOptions = {},
): readonly NamedFile[] | { readonly unusable: string } {
  const places = paths.flatMap((path) => [path, ...beside(resolve(checkout.real, path))]);
  return namedFiles([...new Set(places)], checkout, options);
}

const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".css"];

function beside(path: string): readonly string[] {
  const stem = join(dirname(path), basename(path, extname(path)));
  // A folder of the same name answers for the name without an ending.
  const inner = isFolder(stem)
    ? [join(stem, "package.json"), ...endings.map((ending) => join(stem, `index${ending}`))]
    : [stem];
  return [...endings.map((ending) => stem + ending), ...inner];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
