/** Group H: settings that try to reach further than they may. H2, H4 and H5 are the editor's: src/engine/settings. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { editSettings, openEngine } from "../../src/engine/internal.ts";
import { clone, payloadOf } from "./cloned.ts";

const denying = { type: "command", command: "echo no >&2; exit 2" };
const guard = { hooks: { PreToolUse: [{ hooks: [denying] }] } };

test("no key of any file reaches a prototype or changes a decision", async () => {
  const cloned = await clone();
  const odd = `"__proto__": { "polluted": 1, "hooks": {}, "disableAllHooks": true },
    "constructor": { "prototype": { "polluted": 1 } }, "toString": "x", "hasOwnProperty": 1`;
  await cloned.put(
    "home/.claude/settings.json",
    `{ ${odd}, "env": { ${odd} }, "permissions": { ${odd}, "deny": ["Bash(rm *)"] },
       "hooks": { ${odd}, "PreToolUse": [{ ${odd}, "hooks": [{ ${odd}, "type": "command", "command": "echo no >&2; exit 2" }] }] } }`,
  );
  await cloned.put("project/.claude/settings.json", `{ ${odd}, "hooks": { "__proto__": [], "constructor": [] } }`);
  const engine = await openEngine(cloned.options);
  const outcome = await engine.fireUnknown("PreToolUse", payloadOf("PreToolUse"));
  const { policy } = await engine.rules();
  await engine.close();
  expect(outcome.decision).toBe("deny");
  expect(policy.deny.map(({ text }) => text)).toEqual(["Bash(rm *)"]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("a broken file is reported, is not edited, and does not affect other files", async () => {
  const cloned = await clone();
  await cloned.put("home/.claude/settings.json", guard);
  const broken = await cloned.put("project/.claude/settings.json", '{ "hooks": { "Stop": [ }');
  const engine = await openEngine(cloned.options);
  expect(engine.warnings.map(({ code }) => code)).toContain("settings-unreadable");
  expect((await engine.fireUnknown("PreToolUse", payloadOf("PreToolUse"))).decision).toBe("deny");
  await engine.close();
  const edit = editSettings(broken, () => [{ do: "set", path: ["env", "A"], value: "b" }]);
  await expect(edit).rejects.toMatchObject({ code: "settings/unreadable" });
  expect(await readFile(broken, "utf8")).toBe('{ "hooks": { "Stop": [ }');
});

test("while managed settings are broken, calls that hooks or rules allow are asked about", async () => {
  const cloned = await clone();
  await cloned.put("managed/managed-settings.d/10-team.json", "not json at all");
  const engine = await openEngine(cloned.options);
  engine.on("PreToolUse", () => ({ kind: "allow" }));
  const outcome = await engine.fireUnknown("PreToolUse", payloadOf("PreToolUse"));
  await engine.close();
  expect([outcome.decision, outcome.reason]).toEqual(["ask", expect.stringContaining("10-team.json")]);
});
