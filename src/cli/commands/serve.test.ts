import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Io } from "../command.ts";
import { main } from "../main.ts";

test("a hooks file that is not there is told, with the way out", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "serve-"));
  let err = "";
  const io: Io = {
    stdin: Readable.from([]) as Io["stdin"],
    out: async () => undefined,
    err: async (text) => {
      err += text;
    },
    env: { HOME: cwd },
    cwd,
    home: cwd,
    terminal: { out: false, err: false, colour: false, columns: 80 },
    signal: new AbortController().signal,
  };
  expect(await main(["serve", "nothing.ts"], io)).toBe(1);
  expect(err).toBe("hookline: There is no hooks file nothing.ts. hookline init makes one.\n");
});
