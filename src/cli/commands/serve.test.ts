import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

test("a hooks file that is not there is told, with the way out", async () => {
  const home = mkdtempSync(join(tmpdir(), "serve-"));
  const err = "hookline: There is no hooks file nothing.ts. hookline init makes one.\n";
  expect(await callHookline(["serve", "nothing.ts"], { home, env: { HOME: home } })).toEqual({
    status: 1,
    out: "",
    err,
  });
});
