/**
 * `npm run docs`: prints the reference pages of docs/, links the chapters, draws the picture of the README, adds the names that entry points
 * export to the changelog, and writes the table of the long suite. Tests compare the files with what this would write.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findingCodes } from "../.build/engine/internal.js";
import { installFindingCodes } from "../.build/install/internal.js";
import { problemCodes, warningCodes } from "../.build/protocol/index.js";
import { catalog, commonFields, ruleWarningCodes } from "../.build/protocol/internal.js";
import { publicApi } from "./docs/api-page.mjs";
import { exportedNames, withNames } from "./docs/changelog.mjs";
import { withLongTable } from "./docs/long-table.mjs";
import { docPages } from "./docs/pages.mjs";
import { writeReplayPicture } from "./docs/replay-demo.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist", "cli", "bin.cjs");
const pages = await docPages({
  tables: { catalog, commonFields, findingCodes, installFindingCodes, problemCodes, ruleWarningCodes, warningCodes },
  help: async (words) => execFileSync(process.execPath, [program, ...words, "--help"], { encoding: "utf8" }),
  api: publicApi(),
  read: (file) => readFileSync(join(root, "docs", file), "utf8"),
});
for (const [file, text] of pages) writeFileSync(join(root, "docs", file), text);

const changelog = join(root, "CHANGELOG.md");
const names = await exportedNames((path) => import(`../.build/${path}.js`));
writeFileSync(changelog, withNames(readFileSync(changelog, "utf8"), names));
const contributing = join(root, "CONTRIBUTING.md");
writeFileSync(contributing, withLongTable(readFileSync(contributing, "utf8")));
writeReplayPicture();
process.stdout.write(`${pages.size} chapters written to docs/\n`);
