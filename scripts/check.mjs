/** `npm run check`: format and lint, types, dead code, the package as published, phrases to avoid, the workflows, the files one event executes. Says which part failed; runs them all. */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const parts = [
  ["format and lint", "biome", ["check", "--error-on-warnings", "."]],
  ["types", "tsc", ["-p", "tsconfig.json"]],
  ["dead code", "knip", []],
  ["package", "publint", ["--strict"]],
  ["architecture", "vitest", ["run", "test/architecture.test.ts"]],
  ["words", process.execPath, ["scripts/check-words.mjs"]],
  ["workflows", process.execPath, ["scripts/lint-workflows.mjs"]],
  ["files executed by one event", process.execPath, ["scripts/journey.mjs"]],
];

const failed = parts.filter(([name, command, args]) => {
  process.stdout.write(`\n— ${name}\n`);
  const inBin = join(root, "node_modules", ".bin", process.platform === "win32" ? `${command}.cmd` : command);
  const bin = command === process.execPath ? command : inBin;
  return spawnSync(bin, args, { cwd: root, stdio: "inherit" }).status !== 0;
});

if (failed.length > 0) {
  process.stdout.write(`\ncheck failed: ${failed.map(([name]) => name).join(", ")}\n`);
  process.exit(1);
}
process.stdout.write("\ncheck passed\n");
