/**
 * Bundles what a hook process loads, one file each: the program, which holds `hookline run`, the doors hookline/sdk and
 * hookline/testing, and the parts these load on demand. Plain output of the compiler would be some fifty files, and every one of them costs each call of a hook.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const src = join(root, "src");

const entries = [
  "sdk/index.ts",
  "sdk/internal.ts",
  "sdk/testing/index.ts",
  // On demand.
  ...["build", "build-ahead", "build-later"].map((name) => `sdk/load/${name}.ts`),
  "sdk/state/files.ts",
  "sdk/state/calls.ts",
  "sdk/state/sweeper.ts",
  "sdk/git.ts",
  "sdk/env-file.ts",
  "sdk/detached.ts",
  "sdk/log-content.ts",
  "sdk/run-app.ts",
  "sdk/no-exit.ts",
  ...["agent", "calls", "default", "due", "open-jobs", "start-worker", "work-tasks", "worker", "bullmq/index"].map(
    (name) => `sdk/tasks/${name}.ts`,
  ),
  // Not for its size: the version is written into it.
  "files/package.ts",
  // The daemon and the thread in it that runs handlers.
  ...["cli/commands/serve.ts", "cli/own-client.ts", "cli/run/thread.ts", "cli/run/keep-code.ts"],
  // What a status bar calls every few moments, and reports that are held to a budget of time.
  ...["cli/start.ts", "usage/index.ts", "cli/commands/usage.ts", "cli/commands/statusline.ts"],
  // An agent is some three hundred files; `ask` is called by hooks and scripts.
  ...["host/index.ts", "cli/commands/agent.ts", "cli/commands/ask.ts"],
];

/** Those of them that take the transcript reader in: they need a tenth of it. */
const readsTranscripts = new Set([
  "usage/index.ts",
  "cli/commands/usage.ts",
  "cli/commands/statusline.ts",
  "host/index.ts",
]);

export async function bundle(outdir) {
  const { build } = await import("esbuild");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const prices = readFileSync(join(src, "usage", "prices", "anthropic.json"), "utf8");
  const kernel = await compileKernel(outdir);
  const { rules } = await evaluated(build, "sdk/rules.ts");
  const one = (entry, format = "esm", more = {}) =>
    build({
      entryPoints: [join(src, entry)],
      outfile: join(outdir, entry.replace(/\.ts$/, format === "esm" ? ".js" : ".cjs")),
      write: format === "esm",
      bundle: true,
      platform: "node",
      format,
      target: "node20",
      minify: true,
      legalComments: "none",
      define: {
        HOOKLINE_VERSION: JSON.stringify(version),
        HOOKLINE_PRICES: JSON.stringify(prices),
        HOOKLINE_SCAN_KERNEL: JSON.stringify(kernel.toString("base64")),
        HOOKLINE_RULES: JSON.stringify(JSON.stringify(rules)),
        ...more,
      },
      plugins: [asksForBuiltins, leavesOthers(entry)],
      logLevel: "warning",
      // The program asks for no file of the package; what it loads on demand does, and is a module.
      ...(format === "cjs" ? { logOverride: { "empty-import-meta": "silent" } } : {}),
    });
  await Promise.all([bundleProgram(outdir, one), ...entries.map((entry) => one(entry))]);
}

/**
 * The program is a text that the short script before it has compiled, or takes as it was compiled before. Code that was kept cannot
 * import: the script does that for it.
 */
async function bundleProgram(outdir, one) {
  const textOf = ({ outputFiles: [file] }) => file.text;
  const text = textOf(await one("cli/program.ts", "cjs"));
  const program = `((module, load) => {${text.replace(/\bimport\(/g, "load(")}\n})`;
  const hash = createHash("sha256").update(program).digest("hex").slice(0, 16);
  const script = textOf(await one("cli/bin.ts", "cjs", { HOOKLINE_PROGRAM: JSON.stringify(hash) }));
  mkdirSync(join(outdir, "cli"), { recursive: true });
  writeFileSync(join(outdir, "cli", "program.cjs"), program);
  writeFileSync(join(outdir, "cli", "bin.cjs"), script, { mode: 0o755 });
}

/**
 * Importing a module of Node's makes a name of each of its exports, and some of those load more modules: `node:fs` alone brings all
 * streams and costs a thirtieth of a start. Asked for, it is just handed over.
 */
const asksForBuiltins = {
  name: "asks-for-builtins",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({ contents: asking(readFileSync(path, "utf8")), loader: "ts" }));
  },
};

/** The same text on the same lines, with `import { a, b as c } from "node:x"` turned into a question to Node. */
function asking(text) {
  return text.replace(/^import \{([^}]*)\} from "(node:[a-z_/]+)";/gm, (_, names, module) => {
    const values = names.split(",").filter((name) => !/^\s*(?:type\s|$)/.test(name));
    return `const {${values.join(",").replace(/\sas\s/g, ": ")}} = process.getBuiltinModule("${module}");`;
  });
}

/** Compiles the kernel of the usage scanner from AssemblyScript. Results and constants stay below `chunkStart` of its layout.ts. */
async function compileKernel(outdir) {
  const { default: asc } = await import("assemblyscript/asc").catch((error) => {
    throw new Error("The package assemblyscript is missing. Run npm install.", { cause: error });
  });
  const file = join(outdir, "usage", "scan-kernel.wasm");
  const { error, stderr } = await asc.main([
    join("usage", "scan", "kernel", "lines.ts"),
    ...["--baseDir", src, "--outFile", relative(src, file)],
    ...["--runtime", "stub", "--use", "abort=", "--noAssert", "-O3", "--enable", "simd"],
    ...["--memoryBase", "1024", "--initialMemory", "9"],
  ]);
  if (error) throw new Error(`The usage scanner's kernel does not compile: ${error.message}\n${stderr.toString()}`);
  return readFileSync(file);
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

/** What is imported on demand, and the transcript reader, stay files of their own. Our modules do nothing by being loaded. */
function leavesOthers(entry) {
  const outside = (file) => {
    const path = relative(dirname(entry), relative(src, file)).split(sep).join("/");
    return { path: (path.startsWith(".") ? path : `./${path}`).replace(/\.ts$/, ".js"), external: true };
  };
  return {
    name: "leaves-others",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir, kind }) => {
        const file = resolve(resolveDir, path);
        const isReader = file === join(src, "sessions", "index.ts") && !readsTranscripts.has(entry);
        if (kind === "dynamic-import" || isReader) return outside(file);
        return { path: file, sideEffects: false };
      });
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === "entry-point" ? undefined : { path, external: true, sideEffects: false },
      );
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.argv[2] ?? join(root, "dist"));
