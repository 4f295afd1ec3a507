import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("every row of SECURITY.md quotes the names of tests that exist", () => {
  const rows = [...readFileSync(join(root, "SECURITY.md"), "utf8").matchAll(/^\| .* \| .* \| (".+") in `(.+)` \|$/gm)];
  const table = readFileSync(join(root, "SECURITY.md"), "utf8").split("| incident | property | test |")[1] ?? "";
  expect(rows.length).toBe(table.split("\n").filter((line) => line.startsWith("| ")).length);
  expect(rows.length).toBeGreaterThan(25);
  const missing = rows.flatMap(([, quoted = "", file = ""]) => {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    const names = [...quoted.matchAll(/"([^"]+)"(?:, |$)/g)].map(([, name = ""]) => name);
    return names
      .filter(
        (name) =>
          !['"', "`"].some(
            (mark) => text.includes(`(${mark}${name}${mark}`) || text.includes(`\n  ${mark}${name}${mark}`),
          ),
      )
      .map((name) => `"${name}" in ${file}`);
  });
  expect(missing).toEqual([]);
});
