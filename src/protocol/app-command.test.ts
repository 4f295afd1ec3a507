import { expect, test } from "vitest";
import { hooksFileOfCommand } from "./hook.ts";

test.each([
  [["/opt/hookline/client/hookline-client", "a b/hooks.ts", "--on-failure", "block"], "a b/hooks.ts"],
  [["hookline-client", "--on-failure", "block", "hooks.ts"], "hooks.ts"],
  [["node", "/opt/hookline/dist/cli/bin.cjs", "run", "hooks.ts"], "hooks.ts"],
  [["npx", "hookline", "run", "--on-failure=block", ".claude/hooks.mjs"], ".claude/hooks.mjs"],
  [["hookline", "check", "Bash"], undefined],
  [["node", "hooks.js"], undefined],
  [["hookline-client"], undefined],
])("the hooks file of the command %j is %j", (words, file) => {
  expect(hooksFileOfCommand(words)).toBe(file);
});
