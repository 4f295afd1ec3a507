import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scanImports } from "./scan-imports.ts";

test("imports are pinned without esbuild too", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-scan-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "lib"));
  const files = {
    "hooks.ts": `import { a } from "./lib/a.ts";\nimport"./d.mjs"\nimport "package";\nexport * from './gone.ts';\nimport("#b");`,
    "lib/a.ts": `import data from "../data.json" with { type: "json" };\nimport { a } from "../hooks.ts";`,
    "lib/b.mjs": `require("./c.cjs");`,
    "lib/c.cjs": `"./not-imported.ts";`,
    "lib/not-imported.ts": "",
    "d.mjs": "",
    "data.json": `{ "from": "./d.mjs" }`,
    "package.json": `{ "imports": { "#b": "./lib/b.mjs" } }`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const found = scanImports(join(folder, "hooks.ts")).map((path) => path.slice(folder.length + 1));
  expect(found).toEqual(["d.mjs", "data.json", "hooks.ts", "lib/a.ts", "lib/b.mjs", "lib/c.cjs"]);
});
