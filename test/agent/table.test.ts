import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventNames } from "../../src/protocol/internal.ts";

test("the reference agent fires every event of the catalog, each shown by a test of its name", () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".test.ts"))
    .flatMap((name) => [...readFileSync(join(import.meta.dirname, name), "utf8").matchAll(/^test\(\s*"(\w+): /gm)])
    .map(([, event = ""]) => event);
  expect(new Set(tests)).toEqual(new Set(eventNames));
});
