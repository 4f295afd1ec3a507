import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import { openState, replaceFile } from "../../files/index.ts";
import { wrong } from "../problem.ts";
import { type BuildRecord, maker, recordName } from "./cached-build.ts";
import { mapStacks } from "./stacks.ts";

const keepBuilds = 50;

/** Builds a hooks file with all it imports from its own tree into one file of the user's state folder, and gives its URL. */
export async function build(file: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) {
    if ((process.features as { typescript?: unknown }).typescript) return pathToFileURL(file).href;
    const message = `${file} is TypeScript, and neither esbuild nor Node ${process.version} can read it here. Install esbuild, or write the file as .mjs.`;
    throw wrong("no-typescript", message, { file });
  }
  const { code, map, inputs } = await bundle(esbuild, file);
  const folder = await openState(["builds"], { env });
  const hash = createHash("sha256").update(maker);
  for (const { path, text } of inputs) hash.update(`\n${path}\n${text.length}\n`).update(text);
  const output = `${hash.digest("hex")}.mjs`;
  const record: BuildRecord = { made: maker, file, inputs, output };
  await replaceFile(join(folder, `${output}.map`), map);
  await replaceFile(join(folder, output), code);
  await replaceFile(join(folder, recordName(file)), JSON.stringify(record));
  await prune(folder);
  mapStacks(join(folder, output));
  return pathToFileURL(join(folder, output)).href;
}

/** The file and everything it imports from its own tree: what must be pinned for the hook to be what was approved. */
export async function appInputs(file: string): Promise<readonly string[]> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return [file];
  return (await bundle(esbuild, file)).inputs.map(({ path }) => path);
}

export async function endBuilds(): Promise<void> {
  await (await loadEsbuild())?.stop();
}

type Esbuild = typeof import("esbuild");

async function loadEsbuild(): Promise<Esbuild | undefined> {
  try {
    return await import("esbuild");
  } catch {
    return undefined; // an optional dependency: whoever needs it says what is missing
  }
}

async function bundle(esbuild: Esbuild, file: string) {
  const entry = await realpath(file);
  const result = await esbuild
    .build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      target: "node20",
      sourcemap: "external",
      outfile: "hooks.mjs",
      absWorkingDir: dirname(entry),
      // The author's settings for a type checker must not change what runs.
      tsconfigRaw: "{}",
      logLevel: "silent",
      plugins: [knowsItsPlace(esbuild), leavesPackages(dirname(entry))],
    })
    .catch((error: unknown) => {
      throw wrong("no-load", `${file} does not load: ${firstMessage(error)}`, { file }, error);
    });
  const text = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const paths = Object.keys(result.metafile.inputs).map((path) =>
    isAbsolute(path) ? path : join(dirname(entry), path),
  );
  const inputs = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })));
  return { code: text(".mjs"), map: absoluteSources(text(".map"), dirname(entry)), inputs };
}

/** `import.meta` of every file keeps naming the author's file, although all of them become one. */
function knowsItsPlace(esbuild: Esbuild): Plugin {
  return {
    name: "knows-its-place",
    setup({ onLoad }) {
      onLoad({ filter: /\.[mc]?[jt]sx?$/, namespace: "file" }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        if (!source.includes("import.meta")) return undefined;
        const { code } = await esbuild.transform(source, {
          loader: /tsx?$/.test(path) ? "ts" : "js",
          sourcefile: path,
          sourcemap: "inline",
          tsconfigRaw: "{}",
          define: {
            "import.meta.url": JSON.stringify(pathToFileURL(path).href),
            "import.meta.dirname": JSON.stringify(dirname(path)),
            "import.meta.filename": JSON.stringify(path),
          },
        });
        return { contents: code, loader: "js" };
      });
    },
  };
}

/** Packages are not built in: they are found from the author's file, and `hookline` itself is the one that runs. */
function leavesPackages(from: string): Plugin {
  const asking = Symbol("asking");
  return {
    name: "leaves-packages",
    setup(build) {
      build.onResolve({ filter: /^hookline(\/|$)/ }, ({ path }) => {
        const own = ownDoor(path);
        return own === undefined ? undefined : { path: pathToFileURL(own).href, external: true };
      });
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (pluginData === asking || isAbsolute(path) || path.startsWith("node:") || path.startsWith("hookline"))
          return undefined;
        const found = await build.resolve(path, { kind, resolveDir: resolveDir || from, importer, pluginData: asking });
        if (found.errors.length > 0 || found.external) return found;
        return { path: pathToFileURL(found.path).href, external: true };
      });
    },
  };
}

/** The file behind `hookline/sdk` and its sisters in the package that runs this. */
function ownDoor(specifier: string): string | undefined {
  const root = packageRoot(fileURLToPath(import.meta.url));
  if (root === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const target = exports[`.${specifier.slice("hookline".length)}`];
  return target === undefined ? undefined : join(root, target);
}

function packageRoot(from: string): string | undefined {
  for (let folder = dirname(from); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}

function absoluteSources(map: string, folder: string): string {
  const parsed = JSON.parse(map) as { sources: string[] };
  const sources = parsed.sources.map((source) => (isAbsolute(source) ? source : join(folder, source)));
  return JSON.stringify({ ...parsed, sources });
}

function firstMessage(error: unknown): string {
  const { errors } = error as { errors?: { text: string; location?: { file: string; line: number } | null }[] };
  const [first] = errors ?? [];
  if (first === undefined) return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return first.location ? `${relativeTo(first.location.file)}:${first.location.line}: ${first.text}` : first.text;
}

function relativeTo(path: string): string {
  return isAbsolute(path) ? relative(process.cwd(), path) : path;
}

async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".mjs"));
  if (names.length <= keepBuilds) return;
  const ages = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
  ages.sort((a, b) => b.at - a.at);
  for (const { name } of ages.slice(keepBuilds)) {
    await rm(join(folder, name), { force: true });
    await rm(join(folder, `${name}.map`), { force: true });
  }
}
