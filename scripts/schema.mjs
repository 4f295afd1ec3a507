/** `npm run schema`: writes schema/ from the catalog and the schemas of what commands print. A test compares the files with what this would write. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bundled = join(root, "node_modules", ".cache", "hookline-schema.mjs");
await build({
  entryPoints: [join(root, "scripts/schema/index.ts")],
  outfile: bundled,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
});
const { schemaFiles } = await import(bundled);

const folder = join(root, "schema");
const files = schemaFiles();
rmSync(folder, { recursive: true, force: true });
for (const [name, text] of files) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
process.stdout.write(`${files.size} schemas written to schema/\n`);
