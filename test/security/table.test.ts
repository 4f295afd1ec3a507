import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("every row of SECURITY.md names tests that exist", () => {
  const rows = [...readFileSync(join(root, "SECURITY.md"), "utf8").matchAll(/^\| .* \| .* \| (.+) in `(.+)` \|$/gm)];
  expect(rows.length).toBeGreaterThan(25);
  const missing = rows.flatMap(([, ids = "", file = ""]) => {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    return ids.split(", ").flatMap((id) => (new RegExp(`\\b${id}\\b`).test(text) ? [] : [`${id} in ${file}`]));
  });
  expect(missing).toEqual([]);
});
