import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadApp } from "./load-app.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "missing-export-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  const env = { HOME: folder, HOOKLINE_HOME: join(folder, "state") };
  return loadApp(file, { env, cwd: folder }).then(
    () => "loaded",
    (error: unknown) => (error as Error).message,
  );
};

test("a name that hookline does not export is reported with the author's file, line and column, at every start", async () => {
  const text = `import {
  createApp,
  dney,
  type App,
} from "hookline/sdk";
const app: App = createApp();
app.preTool("Bash", () => dney("no"));
export default app;
`;
  for (const _start of [1, 2]) {
    expect(await load("hooks.ts", text)).toBe(
      `${folder}/hooks.ts does not load: ${folder}/hooks.ts:3:3: hookline/sdk does not provide an export named "dney". Did you mean "deny"?`,
    );
  }
});

test("the place is in the file that imports it, and an import of a type without `type` is not reported", async () => {
  writeFileSync(
    join(folder, "part.ts"),
    `import { context, blok } from "hookline/sdk";\nexport const parts = [context, blok];\n`,
  );
  const text = `import { parts } from "./part.ts";\nimport { App, createApp } from "hookline/sdk";\nconst app: App = createApp();\napp.onStop(() => void parts);\nexport default app;\n`;
  expect(await load("main.ts", text)).toContain(
    `${folder}/part.ts:1:19: hookline/sdk does not provide an export named "blok".`,
  );
});
