import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksIn } from "./docs/blocks.ts";
import { play, stable } from "./docs/play.ts";
import { chapters, read, root } from "./docs/texts.ts";

describe.concurrent("a page shows what its commands print", () => {
  for (const page of ["README.md", ...chapters]) {
    test(page, { timeout: 120_000 }, async () => {
      const written = read(page);
      const played = await play(written);
      const same = stable(played) === stable(written);
      if (!same && process.env["HOOKLINE_WRITE_DOCS"]) writeFileSync(join(root, page), played);
      else expect(stable(played)).toBe(stable(written));
    });
  }
});

test("the README shows steps of the demo as they are printed", async () => {
  const shown = blocksIn(read("README.md")).find(({ info }) => info === "text")?.text ?? "";
  const tour = await play("```console\n$ hookline demo --fast\n```\n");
  for (const step of stable(shown).trimEnd().split("\n\n")) expect(stable(tour)).toContain(step);
});

test("the picture in the README shows what replay prints", async () => {
  const { replayPicture } = (await import(join(root, "scripts/docs/replay-demo.mjs"))) as {
    replayPicture: () => { shown: string; printed: { stable: string } };
  };
  const { shown, printed } = replayPicture();
  expect(shown, "npm run docs draws it").toBe(printed.stable);
});
