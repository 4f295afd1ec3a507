import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { app, denial, event, guard } from "./guard-app.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(() => world.remove());

describe("without esbuild, in a project without an install of its own", () => {
  test("without esbuild a .mjs file runs, and a syntax error names its line", async () => {
    const run = world.bare();
    expect(await run([world.file("bare.mjs", guard)], event())).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
    const torn = await run([world.file("torn.mjs", "\nconst a = ;")], event());
    expect(torn.stderr).toMatch(/torn\.mjs:2: SyntaxError: Unexpected token/);
  });

  const strips = Boolean((process.features as { typescript?: unknown }).typescript);
  test.skipIf(!strips)(
    "TypeScript is read by Node itself where it can, and what it cannot read is reported with a hint",
    async () => {
      const run = world.bare();
      world.file("bare-word.ts", `export const word: string = "typed";`);
      const body = `import { word } from "./bare-word.ts";
      const here: string = import.meta.url;
      app.preTool("Bash", { onFailure: "block" }, () => { throw new Error([word, here, new Error("at").stack].join(" ")); });`;
      const file = world.file("bare.ts", app(body));
      const { stdout } = await run([file], event());
      expect(stdout).toContain(`typed ${pathToFileURL(file)} Error: at`);
      expect(stdout).toContain(`${pathToFileURL(file)}:5:`);
      const { stderr } = await run([world.file("enum.ts", app("\nenum Level { High }"))], event());
      expect(stderr).toMatch(/enum\.ts:4: SyntaxError: TypeScript enum .*Install esbuild, which supports all of it\./);
    },
  );
});
