import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openState, removeOldest, replaceFile } from "../../files/internal.ts";
import type { Env } from "../app/run-environment.ts";
import { type BuildRecord, builderTag, recordName } from "./build-cache.ts";
import { type Bundle, bundleScript, type ModuleBundle } from "./bundle.ts";
import type { Esbuild } from "./bundle-plugins.ts";

/** Writes a build to the user's state folder. Returns the path of its module. */
export async function storeBuild(esbuild: Esbuild, file: string, module: ModuleBundle, env: Env): Promise<string> {
  const script = module.canBeScript ? await bundleScript(esbuild, file, module.inputs) : undefined;
  // The code too: it contains the paths of packages, which change without a change of the inputs.
  const hash = createHash("sha256").update(builderTag).update(module.code);
  for (const { path, text } of module.inputs) hash.update(`\n${path}\n${text.length}\n`).update(text);
  const name = hash.digest("hex");
  const names = { output: `${name}.mjs`, script: script === undefined ? null : `${name}.cjs` };
  const folder = await openState(["builds"], { env });
  await writeBundle(join(folder, names.output), module);
  if (script !== undefined) await writeBundle(join(folder, `${name}.cjs`), script);
  const { inputs, paths } = module;
  // A script refers to no file of a package, and each start reads these files.
  const packages = script === undefined ? module.packages : [];
  // Written last: its existence marks the build as complete.
  await writeRecord({ made: builderTag, file, inputs, packages, paths, ...names }, env);
  await removeOldest(folder, /\.(?:[mc]js|json|tried)$/, maxFiles);
  return join(folder, names.output);
}

async function writeBundle(path: string, { code, map }: Bundle): Promise<void> {
  await replaceFile(`${path}.map`, map);
  await replaceFile(path, code);
}

/** For a build that cannot be stored: a private temporary file, removed when this process exits. */
export async function writeTemporary(module: Bundle): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-build-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "hooks.mjs");
  await writeBundle(path, module);
  return path;
}

export async function writeRecord(record: BuildRecord, env: Env): Promise<void> {
  await replaceFile(join(await openState(["builds"], { env }), recordName(record.file)), JSON.stringify(record));
}

/** One build is about five files. */
const maxFiles = 250;
