/** `npm run docs`: prints the reference pages of docs/ and links the chapters. A test compares the files with what this would write. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ruleWarningCodes } from "../dist/permissions/index.js";
import { catalog, commonFields, problemCodes, warningCodes } from "../dist/protocol/index.js";
import { docPages } from "./docs/pages.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist", "cli", "bin.js");
const pages = await docPages({
  tables: { catalog, commonFields, problemCodes, ruleWarningCodes, warningCodes },
  help: async (words) => execFileSync(process.execPath, [program, ...words, "--help"], { encoding: "utf8" }),
  read: (file) => readFileSync(join(root, "docs", file), "utf8"),
});
for (const [file, text] of pages) writeFileSync(join(root, "docs", file), text);
process.stdout.write(`${pages.size} chapters written to docs/\n`);
