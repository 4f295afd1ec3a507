import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type EngineOptions, openEngine, openRules } from "../../src/engine/internal.ts";
import { bash, openIn } from "./world.ts";

const circle: unknown[] = [];
circle.push(circle);
const home = mkdtempSync(join(tmpdir(), "hookline-options-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each<[string, object, RegExp]>([
  ["concurrency 0", { concurrency: 0 }, /concurrency must be a whole number of at least 1, not 0/],
  ["a negative concurrency", { concurrency: -2 }, /at least 1, not -2/],
  ["an unknown name", { consurrency: 2 }, /no engine option "consurrency". Did you mean "concurrency"\?$/],
  ["a trust mode that does not exist", { trust: "all" }, /trust must be one of "pinned", "workspace", "implicit"/],
  ["a negative stopBlockCap", { stopBlockCap: -1 }, /stopBlockCap must be a whole number of at least 0/],
  ["a cwd that does not exist", { cwd: join(home, "gone") }, /cwd must be a folder: .* does not exist/],
  ["a cwd longer than a path can be", { cwd: `/${"x".repeat(5_000)}` }, /cannot be looked at \(ENAMETOOLONG\)/],
  ["settings that are not a list", { settings: "{}" }, /settings must be a list/],
  ["settings of a wrong type", { settings: [5] }, /settings must be a list .*\[0\] is 5/],
  ["a port that does not exist", { ports: { modle: () => undefined } }, /no port "modle". Did you mean "model"\?$/],
  ["a port that is not a function", { ports: { judge: {} } }, /must have a function as judge/],
  ["a judgeTimeoutMs of 0", { judgeTimeoutMs: 0 }, /judgeTimeoutMs must be/],
  ["a variable that is not a string", { env: { A: 1 } }, /env must be an object with strings; A is 1/],
  ["an empty home", { home: "" }, /home must not be empty/],
  ["an empty managedFolder", { managedFolder: "" }, /managedFolder must not be empty/],
  ["a cwd with a NUL character", { cwd: "a\0b" }, /cwd holds a NUL character/],
  ["a variable in a circle", { env: { A: circle } }, /A is a value that cannot be written as JSON/],
  ["an event whose row has a part missing", { events: [{ name: "X", fields: {} }] }, /row "X" whose \w+ is undefined/],
  ["an event named like what objects inherit", { events: [{ name: "__proto__", fields: {} }] }, /list of rows/],
  ["an event without a name", { events: [{}] }, /events must be a list of rows/],
])("openEngine refuses %s", async (_, options, message) => {
  const given = { home, cwd: home, ...options } as EngineOptions;
  for (const open of [openEngine, openRules]) {
    await expect(open(given)).rejects.toMatchObject({
      name: "Problem",
      code: "engine/bad-option",
      message: expect.stringMatching(message),
    });
  }
});

test("an option that is undefined has its default", async () => {
  const { engine } = await openIn({}, { concurrency: undefined, settings: undefined } as object);
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
});

test("settings may be an object", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command" as const, command: "echo no >&2; exit 2" }] }] };
  const { engine } = await openIn({}, { settings: [{ hooks }] });
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ decision: "deny", reason: "no" });
});

test("an error about settings given as text does not speak of the command line", async () => {
  const opened = openEngine({ home, cwd: home, settings: ["{ nonsense"] });
  await expect(opened).rejects.toMatchObject({
    code: "settings/unreadable",
    message: expect.stringMatching(/^the settings given as text cannot be read: line 1/),
  });
  await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining("--settings") });
});
