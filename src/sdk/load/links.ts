import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Metafile } from "esbuild";

type Links = readonly (readonly [name: string, real: string])[];

/**
 * The names in imports that lead to another name, with what they led to. A build is made of real files, and they can stay as they are
 * while a link is pointed elsewhere.
 */
export async function linksOf({ inputs }: Metafile, from: string): Promise<Links> {
  const links = new Map<string, string>();
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, original, external } of imports) {
      if (external || original === undefined || !/^[./]/.test(original)) continue;
      const asked = resolve(dirname(absolute(importer, from)), original);
      if (asked === absolute(path, from)) continue;
      // An ending may be left out; then it is the folder that can be a link.
      const name = (await realOf(asked)) === undefined ? dirname(asked) : asked;
      const real = await realOf(name);
      if (real !== undefined && real !== name) links.set(name, real);
    }
  }
  return [...links];
}

function absolute(path: string, from: string): string {
  return isAbsolute(path) ? path : join(from, path);
}

function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined); // not there under this very name
}
