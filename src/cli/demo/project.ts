import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { demoSettings, hookFiles } from "./hooks.ts";

/** A small shop with a bug, hooks and a secret, in a temporary folder; nothing of the person's own settings is read or touched. */
export interface DemoProject {
  readonly root: string;
  readonly home: string;
  readonly folder: string;
  readonly store: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  remove(): Promise<void>;
}

export const secret = "sk_live_51Qx7TbVn9LmR4";

export async function makeDemoProject(path: string | undefined): Promise<DemoProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-demo-")));
  const [folder, home, store] = ["shop", "home", "store"].map((name) => join(root, name)) as [string, string, string];
  for (const [name, text] of Object.entries({ ...shop, ...hookFiles })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(home);
  // A repository like any other; where there is no git, a folder does as well.
  spawnSync("git", ["init", "-q"], { cwd: folder, env: { PATH: path, HOME: home }, stdio: "ignore" });
  return {
    root,
    home,
    folder,
    store,
    env: { PATH: path, HOME: home, TMPDIR: root, HOOKLINE_HOME: join(root, "state"), LANG: "C.UTF-8" },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const shop: Readonly<Record<string, string>> = {
  ".claude/settings.json": `${JSON.stringify(demoSettings, null, 2)}\n`,
  ".env": `PAYMENT_KEY=${secret}\n`,
  "README.md": "# Shop\n\nAll prices are in cents.\n",
  "package.json": `${JSON.stringify({ name: "shop", private: true, type: "module" }, null, 2)}\n`,
  "src/total.js": "export function total(prices) {\n  return prices.reduce((sum, price) => sum - price, 0);\n}\n",
  "test/total.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/total.js";

test("two mugs cost twice as much", () => assert.equal(total([450, 450]), 900));
`,
};
