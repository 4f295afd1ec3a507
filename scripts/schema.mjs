/** `npm run schema`: writes schema/*.json from the catalog. A test compares the files with what this would write. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { schemaFiles } from "../dist/schemas/index.js";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "schema");
mkdirSync(folder, { recursive: true });
const files = schemaFiles();
for (const old of readdirSync(folder)) if (!files.has(old)) rmSync(join(folder, old));
for (const [name, text] of files) writeFileSync(join(folder, name), text);
process.stdout.write(`${files.size} schemas written to schema/\n`);
