import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type EngineOptions, openEngine, openRules } from "../../src/engine/internal.ts";
import { catalog } from "../../src/protocol/internal.ts";
import { bash, openIn } from "./world.ts";

const circle: unknown[] = [];
circle.push(circle);
const home = mkdtempSync(join(tmpdir(), "hookline-options-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([
  [" ", 8],
  ["x", 8],
  ["0", 0],
  ["3", 3],
])("the variable for the cap of continuations may be %j, and the cap is %d", async (text, cap) => {
  const { engine } = await openIn({}, { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: text } });
  expect((await engine.fire("Stop", {})).output.stopBlocks).toEqual({ count: 0, cap });
});

const own = (part: object) => ({ events: [{ ...catalog.TaskCreated, name: "X", ...part }] });

test.each<[string, object, RegExp]>([
  ["concurrency 0", { concurrency: 0 }, /concurrency of openEngine must be a whole number of at least 1, not 0/],
  ["a negative concurrency", { concurrency: -2 }, /at least 1, not -2/],
  ["an unknown name", { consurrency: 2 }, /^openEngine has no option "consurrency". Did you mean concurrency\?$/],
  [
    "a trust mode that does not exist",
    { trust: "all" },
    /trust of openEngine must be one of "pinned", "workspace", "implicit"/,
  ],
  ["a negative stopBlockCap", { stopBlockCap: -1 }, /stopBlockCap of openEngine must be a whole number of at least 0/],
  ["a cwd that does not exist", { cwd: join(home, "gone") }, /cwd of openEngine must be an existing directory, not/],
  [
    "a cwd longer than a path can be",
    { cwd: `/${"x".repeat(5_000)}` },
    /must be a folder that can be read \(ENAMETOOLONG\)/,
  ],
  ["settings that are not a list", { settings: "{}" }, /settings of openEngine must be a list/],
  ["settings of a wrong type", { settings: [5] }, /settings of openEngine must be a list .*\(at 0: 5\)/],
  [
    "a port that does not exist",
    { ports: { modle: () => undefined } },
    /^ports has no option "modle". Did you mean model\?$/,
  ],
  ["a port that is not a function", { ports: { judge: {} } }, /judge of ports must be a function/],
  ["a judgeTimeoutMs of 0", { judgeTimeoutMs: 0 }, /judgeTimeoutMs of openEngine must be/],
  [
    "a variable that is not a string",
    { env: { A: 1 } },
    /env of openEngine must be an object with strings \(at A: 1\)/,
  ],
  ["an empty home", { home: "" }, /home of openEngine must be an absolute path, not ""/],
  ["an empty managedFolder", { managedFolder: "" }, /managedFolder of openEngine must be a path that is not empty/],
  [
    "a cwd with a NUL character",
    { cwd: "a\0b" },
    /cwd of openEngine must be a path that is not empty and has no NUL character/,
  ],
  ["a variable in a circle", { env: { A: circle } }, /at A: a value that cannot be written as JSON/],
  [
    "an event whose row has a part missing",
    { events: [{ name: "X", fields: {} }] },
    /The part phase of event row "X" is missing/,
  ],
  [
    "a misspelled part of a row",
    own({ matchOn: null }),
    /^event row "X" has no option "matchOn". Did you mean matchesOn\?$/,
  ],
  [
    "a row that cannot fail as it says",
    own({ onFailure: "gard" }),
    /onFailure of event row "X" must be one of .*"guard"/,
  ],
  [
    "a row with a hook type that does not exist",
    own({ types: ["comand"] }),
    /types of event row "X" must be a list of "command"/,
  ],
  [
    "a misspelled special of a row",
    own({ special: { onTol: true } }),
    /^special of event row "X" .*Did you mean onTool\?$/,
  ],
  [
    "a misspelled key of matchesOn",
    own({ matchesOn: { feild: "a" } }),
    /^matchesOn of event row "X" .*Did you mean field\?$/,
  ],
  [
    "a row that matches on a field it does not have",
    own({ fields: { target: { is: "text" } }, matchesOn: { field: "targt" } }),
    /^matchesOn of event row "X" names the field "targt", which is not in fields. Did you mean target\?$/,
  ],
  [
    "a row that matches on a number",
    own({ fields: { count: { is: "number" } }, matchesOn: { field: "count" } }),
    /"count", which is not a text but a number/,
  ],
  [
    "a field of a kind that does not exist",
    own({ fields: { a: { is: "txt" } } }),
    /is of field "a" of event row "X" must be one of/,
  ],
  [
    "a misspelled part of a field inside a field",
    own({ fields: { a: { is: "object", fields: { b: { iss: "text" } } } } }),
    /is of field "a.b" of event row "X" must be one of/,
  ],
  [
    "a field of an unknown kind in a list",
    own({ fields: { a: { is: "list", of: { is: "either", of: [{ is: "txt" }] } } } }),
    /is of field "a\[\]" of event row "X" must be one of/,
  ],
  ["a field without a kind", own({ fields: { a: {} } }), /is of field "a" of event row "X" must be one of/],
  ["an event named like what objects inherit", { events: [{ name: "__proto__", fields: {} }] }, /list of rows/],
  ["an event without a name", { events: [{}] }, /events of openEngine must be a list of rows/],
])("openEngine and openRules refuse %s", async (_, options, message) => {
  const given = { home, cwd: home, ...options } as EngineOptions;
  for (const open of [openEngine, openRules]) {
    await expect(open(given)).rejects.toMatchObject({
      name: "Problem",
      code: "engine/bad-option",
      message: expect.stringMatching(message.source.replace("openEngine", open.name)),
    });
  }
});

test("a flag of an event row may be false", async () => {
  const flags = own({ special: { endsTurn: false }, fields: { a: { is: "text", optional: false } } });
  const engine = await openEngine({ home, cwd: home, ...flags } as EngineOptions);
  await engine.close();
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

test("an error about given settings does not speak of the command line", async () => {
  const opened = openEngine({ home, cwd: home, settings: ["{ nonsense"] });
  await expect(opened).rejects.toMatchObject({
    code: "settings/unreadable",
    message: expect.stringMatching(/^The given settings cannot be read: line 1/),
  });
  await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining("--settings") });
});

test("a warning about one of several given settings names its index", async () => {
  const { engine } = await openIn({}, { settings: [{}, { permissions: { denyInsteadOfPrompting: 1 } } as object] });
  expect(engine.warnings.map(({ code, place }) => [code, place])).toEqual([
    ["settings-invalid", "the given settings[1]: permissions.denyInsteadOfPrompting"],
  ]);
});
