import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sized } from "../../../../test/size.ts";
import { endOf, startFixture } from "../../../files/fixtures/programs.ts";
import { tempFolder } from "../../../files/fixtures/temp-folder.ts";

async function settingsFile(content: string | Uint8Array): Promise<string> {
  const file = join(await tempFolder(), "settings.json");
  writeFileSync(file, content);
  return file;
}

const rulesEach = sized(30, 200);

test(`two processes with ${rulesEach} rules each lose none`, async () => {
  const file = await settingsFile('// ours\n{\n  "permissions": {\n    "deny": []\n  }\n}\n');
  const program = join(import.meta.dirname, "../fixtures/rule-writer.mjs");
  await Promise.all(["One", "Two"].map((name) => endOf(startFixture(program, [file, name, String(rulesEach)]))));
  const rules = JSON.parse(readFileSync(file, "utf8").replace("// ours", "")).permissions.deny as string[];
  for (const name of ["One", "Two"]) {
    expect(rules.filter((rule) => rule.startsWith(name))).toEqual(
      Array.from({ length: rulesEach }, (_, n) => `${name}(${n})`),
    );
  }
  expect(rules).toHaveLength(2 * rulesEach);
  expect(readFileSync(file, "utf8")).toMatch(/^\/\/ ours\n/);
});
