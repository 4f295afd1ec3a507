import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openState, replaceFile, sha256 } from "../../files/internal.ts";
import { type BuildRecord, builderTag, recordName } from "./build-cache.ts";
import { type Bundle, bundleEntryPoint, bundleScript, type Esbuild, type ModuleBundle } from "./bundle.ts";
import { ownEntryPoint } from "./bundle-plugins.ts";

type Env = Readonly<Record<string, string | undefined>>;

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
  const own = await storeEntryPoints(esbuild, script?.entryPoints ?? [], folder);
  // Written last: its existence marks the build as complete.
  const { inputs, links } = module;
  // A script refers to no file of a package. Each start reads these files, so it has only those of its entry points.
  const packages = script === undefined ? module.packages : own.inputs;
  await writeRecord({ made: builderTag, file, inputs, packages, links, ...names, entryPoints: own.names }, env);
  await prune(folder);
  return join(folder, names.output);
}

interface StoredEntryPoints {
  readonly names: Record<string, string>;
  /** The script of an entry point names its chunks by their content, so it changes whenever the code of the package changes. */
  readonly inputs: BuildRecord["inputs"][number][];
}

/** Writes a script for each entry point, once for all hooks files. */
async function storeEntryPoints(
  esbuild: Esbuild,
  names: readonly string[],
  folder: string,
): Promise<StoredEntryPoints> {
  const stored: StoredEntryPoints = { names: {}, inputs: [] };
  for (const name of names) {
    // The module of an entry point only hands on what this script exports.
    const path = (ownEntryPoint(name) ?? "").replace(/\.js$/, ".cjs");
    const text = await readFile(path, "utf8");
    const hash = sha256(`${builderTag}\n${path}\n${text}`);
    stored.names[name] = `${hash}.cjs`;
    stored.inputs.push({ path, text });
    const script = join(folder, `${hash}.cjs`);
    if (!existsSync(script)) await replaceFile(script, await bundleEntryPoint(esbuild, path));
  }
  return stored;
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

/** Removes the oldest builds. */
async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(?:[mc]js|json|tried)$/.test(name));
  if (names.length <= maxFiles) return;
  const files = await Promise.all(names.map(async (name) => ({ name, writtenAt: await mtimeOf(join(folder, name)) })));
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  for (const { name } of files.slice(maxFiles)) {
    await rm(join(folder, name), { force: true });
    await rm(join(folder, `${name}.map`), { force: true });
  }
}

/** 0 for a file that another process has removed. */
function mtimeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
