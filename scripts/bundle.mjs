/**
 * Bundles what a hook process loads: the doors hookline/sdk and hookline/testing and the entry of `hookline run`. Plain output of
 * the compiler would be some fifty files, and every one of them costs each call of each hook.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export async function bundle(outdir) {
  const { build } = await import("esbuild");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  await build({
    entryPoints: ["sdk/index.ts", "sdk/testing/index.ts", "cli/run/index.ts"].map((file) => join(root, "src", file)),
    outbase: join(root, "src"),
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: "sdk/parts/[name]-[hash]",
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    define: { HOOKLINE_VERSION: JSON.stringify(version) },
    plugins: [leavesModules(outdir)],
    logLevel: "warning",
  });
}

/** The transcript reader stays outside: it is large, loaded on demand, and other doors share it. Ours have no side effects. */
function leavesModules(outdir) {
  return {
    name: "leaves-modules",
    setup(build) {
      build.onResolve({ filter: /sessions\/index\.ts$/ }, () => ({
        // Chunks and entries lie two folders deep.
        path: `../../${relative(outdir, join(outdir, "sessions", "index.js"))
          .split(sep)
          .join("/")}`,
        external: true,
      }));
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path),
        sideEffects: false,
      }));
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === "entry-point" ? undefined : { path, external: true },
      );
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.argv[2] ?? join(root, "dist"));
