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

/** An object of a few plain members takes one line, as a person would write it. */
const keepsShortObjectsOnOneLine = {
  name: "keeps-short-objects-on-one-line",
  renderChunk: (code) =>
    code.replace(/\{\n((?:\t+(?:readonly )?\w+\??: [^\n{}]+;\n){1,4})\t*\}/g, (whole, members) => {
      const line = `{ ${members.trim().replace(/\n\t+/g, " ")} }`;
      return line.length > 100 ? whole : line;
    }),
};

/** Exports a name where it is declared: a list at the end would repeat every name. `export {}` keeps the other names private. */
const exportsInPlace = {
  name: "exports-in-place",
  renderChunk(code) {
    let text = code;
    const inPlace = (list, names) => {
      const left = names.split(", ").filter((name) => {
        const declaration = new RegExp(
          `^(?=(?:declare )?(?:interface|type|class|function|const) ${name.replace("$", "\\$")}\\b)`,
          "gm",
        );
        if (!/^\w+$/.test(name) || !declaration.test(text)) return true;
        text = text.replace(declaration, "export ");
        return false;
      });
      return left.length === 0 ? "" : list.replace(names, left.join(", "));
    };
    const lists = [...code.matchAll(/^export (?:type )?\{ ([^}]*) \};\n?/gm)];
    for (const [list, names] of lists) {
      const rest = inPlace(list, names);
      text = text.replace(list, () => rest);
    }
    return lists.length === 0 ? code : `${text.trimEnd()}\nexport {};\n`;
  },
};

const bundle = await rollup({
  input: Object.fromEntries(entryPoints.map(({ path }) => [path, join(root, ".build", `${path}.d.ts`)])),
  external: /^[^./]/,
  plugins: [dts(), indentsWithTabs, keepsShortObjectsOnOneLine, exportsInPlace],
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
