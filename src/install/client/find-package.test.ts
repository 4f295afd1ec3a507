import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../fixtures/world.ts";
import { clientObstacle, findPackage } from "./find-package.ts";

function packageIn(modules: string): string {
  const root = join(modules, "hookline");
  mkdirSync(join(root, "client"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"name": "hookline", "version": "1.2.3"}');
  writeFileSync(join(root, "client/hookline-client"), "#!/bin/bash\n");
  mkdirSync(join(modules, "zod"));
  writeFileSync(join(modules, "zod/index.js"), "// zod");
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../hookline/cli.js", join(modules, ".bin/hookline"));
  return root;
}

test("in project scope the package is the project's own, or there is advice to install it", async () => {
  const { project, source } = world();
  const asked = { scope: "project", root: project, running: "/opt/hookline", home: source(), dryRun: false } as const;
  await expect(findPackage(asked)).rejects.toMatchObject({
    code: "install/no-dependency",
    message: expect.stringMatching(/npm install --save-dev \S+.*--scope local/),
  });
  const own = packageIn(join(project, "node_modules"));
  expect(await findPackage(asked)).toBe(own);
});

test("a package in npx's cache is copied with what it needs, at its version, once; a dry run copies nothing", async () => {
  const { folder, project, state, source } = world();
  const cache = join(folder, ".npm/_npx/0123abcd/node_modules");
  const running = packageIn(cache);
  const asked = { scope: "user", root: project, running, home: source(), dryRun: false } as const;
  expect(await findPackage({ ...asked, dryRun: true })).toBe(running);
  expect(existsSync(state)).toBe(false);
  const copy = join(state, "packages/hookline-1.2.3/node_modules");
  expect(await Promise.all([findPackage(asked), findPackage(asked)])).toEqual([
    join(copy, "hookline"),
    join(copy, "hookline"),
  ]);
  rmSync(cache, { recursive: true });
  expect(readFileSync(join(copy, "zod/index.js"), "utf8")).toBe("// zod");
  expect(readdirSync(join(state, "packages"))).toEqual(["hookline-1.2.3"]);
  expect(await findPackage({ ...asked, running: "/opt/node_modules/hookline" })).toBe("/opt/node_modules/hookline");
});

test("without bash in PATH and in its usual place, or without the script, the client cannot run, and the reason says which", () => {
  const { folder } = world();
  const root = packageIn(join(folder, "node_modules"));
  mkdirSync(join(folder, "bin"));
  const PATH = `relative:${join(folder, "bin")}`;
  expect(clientObstacle(root, { PATH })).toBe("there is no bash in PATH");
  writeFileSync(join(folder, "bin/bash"), "");
  chmodSync(join(folder, "bin/bash"), 0o755);
  expect(clientObstacle(root, { PATH })).toBeUndefined();
  // Some systems keep it elsewhere, and the client names its place.
  expect(clientObstacle(root, { PATH }, "/nowhere/bash")).toBe("there is no bash at /nowhere/bash");
  rmSync(join(root, "client"), { recursive: true });
  expect(clientObstacle(root, { PATH })).toBe(`${join(root, "client/hookline-client")} does not exist`);
});
