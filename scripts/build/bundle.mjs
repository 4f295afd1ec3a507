/**
 * Bundles the package with shared chunks, so that every class and every piece of state exists once. The chunks are CommonJS: Node loads
 * them faster than modules, and a command can keep them compiled. Each entry point is a module that hands on what its script exports.
 * A hook process loads a program of its own, one file (`cli/program.cjs`); what it loads on demand comes from the shared chunks.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rollup/parseAst";
import { entryPoints, root } from "./entry-points.mjs";
import { joinSmallChunks } from "./join-small-chunks.mjs";
import { asScript, prepareSource, requiring, withShortBuiltins } from "./rewrite-source.mjs";

const src = join(root, "src");

/** Each boundary at which code is loaded on demand makes chunks, and a start reads every chunk that it needs. */
const maxChunks = 160;

const kernelFile = "scan-kernel.wasm";

/** Packages that are part of the bundle, because their many files would be read at each start. Their licenses are in the package. */
const bundled = ["unbash"];

/** What is started as a process or a thread. */
const programs = [
  "cli/start.ts",
  "cli/run/worker-thread.ts",
  "install/plan/introspect-child.ts",
  "replay/child/main.ts",
  "sdk/tasks/background-program.ts",
];

export async function bundle(outdir) {
  const { build, transform } = await import("esbuild");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const prices = readFileSync(join(src, "usage", "prices", "anthropic.json"), "utf8");
  const kernel = await compileKernel();
  const { eventRules } = await evaluated(build, "sdk/answer/event-rules.ts");
  const common = {
    bundle: true,
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    define: {
      HOOKLINE_VERSION: JSON.stringify(version),
      HOOKLINE_PRICES: JSON.stringify(prices),
      HOOKLINE_SCAN_KERNEL: JSON.stringify(kernel.toString("base64")),
      HOOKLINE_RULES: JSON.stringify(JSON.stringify(eventRules)),
    },
  };
  const { program, onDemand } = await bundleProgram(build, common);
  rmSync(join(outdir, "chunks"), { recursive: true, force: true });
  const { metafile, outputFiles } = await build({
    ...common,
    define: { ...common.define, "import.meta.url": "ownUrl" },
    entryPoints: [...new Set([...entryPoints.map(({ path }) => `${path}.ts`), ...programs, ...onDemand])].map((entry) =>
      join(src, entry),
    ),
    outdir,
    outbase: src,
    outExtension: { ".js": ".cjs" },
    write: false,
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    plugins: [sharesSdkChunk([...programs, ...onDemand]), preparesSources, hasNoSideEffects()],
    // The import that sharesSdkChunk adds is there for the chunks alone.
    logOverride: { "ignored-bare-import": "silent" },
    metafile: true,
  });
  const hash = createHash("sha256").update(program);
  for (const [path, script] of joinSmallChunks(new Map(outputFiles.map(({ path, text }) => [path, asScript(text)])))) {
    hash.update(script);
    const { code } = await transform(withShortBuiltins(script), { minify: true, lineLimit: 4_000 });
    write(path, withErrorLines(code));
  }
  for (const { path } of entryPoints) write(join(outdir, `${path}.js`), moduleFor(metafile, path));
  write(join(outdir, "cli", "program.cjs"), program);
  const built = { HOOKLINE_BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)) };
  const bin = await bundleScript(build, common, "cli/bin.ts", { define: { ...common.define, ...built } });
  writeFileSync(join(outdir, "cli", "bin.cjs"), requiring(bin.text), { mode: 0o755 });
  writeFileSync(join(outdir, "THIRD_PARTY_LICENSES.txt"), bundled.map(licenseOf).join("\n"));
  return { kernel, metafile };
}

/** Puts statements that make an error on lines of their own: Node prints the whole line of an uncaught error. */
function withErrorLines(code) {
  const breaks = [0];
  const visit = (node) => {
    if (/^(?:Throw|Return)Statement$/.test(node.type) && makesError(node.argument)) breaks.push(node.start, node.end);
    for (const child of Object.values(node)) if (typeof child === "object" && child !== null) visit(child);
  };
  visit(parseAst(code, { allowReturnOutsideFunction: true }));
  breaks.sort((a, b) => a - b);
  return breaks.map((start, at) => code.slice(start, breaks[at + 1])).join("\n");
}

/** Whether an expression is `new Problem(…)` or an error of JavaScript; classes have short names here. */
function makesError(expression) {
  if (expression?.type !== "NewExpression") return false;
  const { name = "" } = expression.callee;
  return name.endsWith("Error") || !(name in globalThis);
}

function licenseOf(name) {
  const folder = join(root, "node_modules", name);
  return `${name}\n\n${readFileSync(join(folder, "LICENSE"), "utf8")}`;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The module of an entry point. */
function moduleFor({ outputs }, path) {
  const [, { exports }] = Object.entries(outputs).find(([output]) => output.endsWith(`/${path}.cjs`));
  return `import own from "./${basename(path)}.cjs";\nexport const { ${exports.join(", ")} } = own;\n`;
}

/** The program of a hook process, as a function of what it loads with, and the files that it loads on demand. */
async function bundleProgram(build, common) {
  const { text, onDemand } = await bundleScript(build, common, "cli/run/run-hooks.ts", {});
  return { program: `((module, load) => {${text.replace(/\bimport\(/g, "load(")}\n})`, onDemand };
}

async function bundleScript(build, common, entry, options) {
  const onDemand = new Set();
  const { outputFiles } = await build({
    ...common,
    ...options,
    entryPoints: [join(src, entry)],
    write: false,
    format: "cjs",
    plugins: [preparesSources, hasNoSideEffects(onDemand)],
    // The script asks for no file of the package; what it loads on demand does.
    logOverride: { "empty-import-meta": "silent" },
  });
  return { text: outputFiles[0].text, onDemand: [...onDemand] };
}

const preparesSources = {
  name: "prepares-sources",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({ contents: prepareSource(path), loader: "ts" }));
  },
};

/**
 * What the sdk loads on demand counts as an importer of the whole sdk. Modules with the same importers share a chunk, so the sdk is a few
 * chunks instead of one for nearly every file.
 */
function sharesSdkChunk(entries) {
  const files = new Set(entries.filter((entry) => entry.startsWith("sdk/")).map((entry) => join(src, entry)));
  return {
    name: "shares-sdk-chunk",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!files.has(path)) return undefined;
        const all = relative(dirname(path), join(src, "sdk", "internal.ts"))
          .split(sep)
          .join("/");
        const contents = `${prepareSource(path)}\nimport "${all.startsWith(".") ? all : `./${all}`}";`;
        return { contents, loader: "ts" };
      });
    },
  };
}

/** Compiles the kernel of the usage scanner from AssemblyScript. Results and constants stay below `chunkStart` of its layout.ts. */
async function compileKernel() {
  const { default: asc } = await import("assemblyscript/asc").catch((error) => {
    throw new Error("The package assemblyscript is missing. Run npm install.", { cause: error });
  });
  const written = new Map();
  const args = [
    join("usage", "scan", "kernel", "lines.ts"),
    ...["--baseDir", src, "--outFile", kernelFile],
    ...["--runtime", "stub", "--use", "abort=", "--noAssert", "-O3", "--enable", "simd"],
    ...["--memoryBase", "1024", "--initialMemory", "9"],
  ];
  const { error, stderr } = await asc.main(args, { writeFile: (name, bytes) => void written.set(name, bytes) });
  if (error) throw new Error(`The usage scanner's kernel does not compile: ${error.message}\n${stderr.toString()}`);
  return Buffer.from(written.get(kernelFile));
}

/** What a module gives, worked out now and not at every start: what the events' rows mean to apps. */
async function evaluated(build, module) {
  const { outputFiles } = await build({
    entryPoints: [join(src, module)],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/**
 * Our modules do nothing by being loaded, so what is not used is left out. With `onDemand`, what is imported on demand stays outside, with
 * a path from the folder of the script, and is added to that set.
 */
function hasNoSideEffects(onDemand) {
  return {
    name: "has-no-side-effects",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir, kind }) => {
        const file = resolve(resolveDir, path);
        if (kind !== "dynamic-import" || onDemand === undefined) return { path: file, sideEffects: false };
        const target = relative(src, file).split(sep).join("/");
        onDemand.add(target);
        const from = relative("cli", target).split(sep).join("/");
        return { path: (from.startsWith(".") ? from : `./${from}`).replace(/\.ts$/, ".cjs"), external: true };
      });
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === "entry-point" || bundled.includes(path) ? undefined : { path, external: true, sideEffects: false },
      );
    },
  };
}

/** One line per chunk, largest first: its size, its modules, and which files import it. */
function explain({ outputs }) {
  const name = (path) => relative(join(root, "dist"), resolve(path)).split(sep).join("/");
  const chunks = Object.entries(outputs).filter(([path]) => name(path).startsWith("chunks/"));
  const lines = chunks
    .sort(([, a], [, b]) => b.bytes - a.bytes)
    .map(([path, { bytes, inputs }]) => {
      const importers = Object.entries(outputs).filter(([, { imports }]) => imports.some((one) => one.path === path));
      const modules = Object.keys(inputs).map((input) => input.replace(/^src\//, ""));
      return `${name(path)}  ${bytes} bytes\n  holds  ${modules.join(" ")}\n  for    ${importers.map(([from]) => name(from)).join(" ")}`;
    });
  return `${lines.join("\n")}\n${chunks.length} chunks\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { kernel, metafile } = await bundle(join(root, "dist"));
  if (process.argv.includes("--explain")) process.stdout.write(explain(metafile));
  const chunks = Object.keys(metafile.outputs).filter((path) => path.includes("/chunks/")).length;
  if (chunks > maxChunks)
    throw new Error(`${chunks} chunks, more than ${maxChunks}: run node scripts/build/bundle.mjs --explain.`);
  mkdirSync(join(root, ".build"), { recursive: true });
  writeFileSync(join(root, ".build", kernelFile), kernel);
}
