/**
 * Writes one declaration file per entry point to dist/, and one for all that two or more of them use: a type is declared once. Reads
 * what the compiler wrote to .build/.
 */
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { entryPoints, root, unstable } from "./entry-points.mjs";

/** Four blanks per level are a twelfth of the declarations. */
const indentsWithTabs = {
  name: "indents-with-tabs",
  renderChunk: (code) => code.replace(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4)),
};

const bundle = await rollup({
  input: Object.fromEntries(entryPoints.map(({ path }) => [path, join(root, ".build", `${path}.d.ts`)])),
  external: /^[^./]/,
  plugins: [dts(), indentsWithTabs],
  onwarn: (warning) => process.stderr.write(`${warning.message}\n`),
});
await bundle.write({
  dir: join(root, "dist"),
  format: "es",
  entryFileNames: "[name].d.ts",
  chunkFileNames: "shared.d.ts",
  minifyInternalExports: false,
  banner: ({ name }) =>
    unstable.includes(entryPoints.find(({ path }) => path === name)?.name)
      ? "/** Unstable until 1.0: this entry point may change in any minor version. */\n"
      : "",
  manualChunks: (file, { getModuleInfo }) => (entriesThatReach(file, getModuleInfo).size > 1 ? "shared" : undefined),
});
await bundle.close();

function entriesThatReach(file, getModuleInfo) {
  const visited = new Set();
  const entries = new Set();
  const visit = (id) => {
    if (visited.has(id)) return;
    visited.add(id);
    const { isEntry, importers } = getModuleInfo(id);
    if (isEntry) entries.add(id);
    for (const importer of importers) visit(importer);
  };
  visit(file);
  return entries;
}
