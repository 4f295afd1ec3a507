import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../../install/fixtures/world.ts";
import { callHookline } from "../fixtures/caller.ts";

test("list warns of a permission rule that covers no call, in text and as JSON", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  writeFileSync(join(project, ".claude/settings.json"), '{"permissions":{"deny":["bash(rm *)"]}}');
  const [text, json] = [
    await callHookline(["list"], { home, cwd: project, env }),
    await callHookline(["list", "--json"], { home, cwd: project, env }),
  ];
  expect([text.status, text.out]).toEqual([0, expect.stringContaining('rule-invalid: "bash(rm *)" in ')]);
  const { warnings } = JSON.parse(json.out) as { warnings: readonly { code: string }[] };
  expect(warnings.map(({ code }) => code)).toEqual(["rule-invalid"]);
});
