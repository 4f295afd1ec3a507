import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prompt, type Wire, write } from "../fixtures/transcript.ts";
import { searchIndex } from "./search-index.ts";
import type { SearchOptions } from "./search-sessions.ts";

let home: string;
let where: SearchOptions;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-search-")));
  where = { roots: [home], env: { HOOKLINE_HOME: join(home, "state") }, home };
  mkdirSync(join(home, "projects"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));
const put = (id: string, lines: readonly (Wire | string)[], project = "-p") =>
  write(join(home, "projects", project, `${id}.jsonl`), lines);

test("the next run completes one that was killed", async () => {
  const lines = Array.from({ length: 900 }, (_, index) => prompt(null, `red apple ${index} ${"x".repeat(800)}`));
  const file = put("s1", lines);
  for (const afterMs of [1, 8, 20]) {
    const broken = new AbortController();
    setTimeout(() => broken.abort(new Error("killed")), afterMs);
    await searchIndex("red", { ...where, signal: broken.signal }).catch((error: Error) =>
      expect(error.message).toBe("killed"),
    );
  }
  expect((await searchIndex("red", where)).total).toBe(900);
  appendFileSync(file, `${JSON.stringify(prompt(null, "red again"))}\n`);
  expect((await searchIndex("red", where)).total).toBe(901);
  writeFileSync(
    file,
    lines
      .slice(0, 500)
      .map((line) => `${JSON.stringify({ ...line, gitBranch: "other" })}\n`)
      .join(""),
  );
  expect((await searchIndex("red", where)).total).toBe(500);
});
