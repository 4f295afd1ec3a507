import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hookSchema, settingsSchema } from "../../../scripts/schema/index.ts";
import { catalog, eventNames, settingsFields } from "../../protocol/internal.ts";
import { hookFault } from "./check-fields.ts";
import { readLayer } from "./read-layer.ts";
import { maxSettingsBytes } from "./settings-source.ts";

const source = { kind: "user", file: "/home/dev/.claude/settings.json" } as const;
const file = source.file;

function read(value: unknown) {
  return readLayer(source, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
}

function told(value: unknown) {
  return read(value).warnings.map(({ code, place }) => [code, place]);
}

const good = { type: "command", command: "true" };

test("a file becomes a layer with its hooks and keys; unknown keys are kept and reported", () => {
  const layer = read(
    '// mine\n{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "mine": 1}]}]}, "env": {"A": "1"}, "theme": "dark",}',
  );
  expect(layer).toEqual({
    ...source,
    settings: { env: { A: "1" }, hooks: { Stop: [{ hooks: [{ ...good, mine: 1 }] }] } },
    readable: true,
    warnings: [expect.objectContaining({ code: "unknown-keys", message: expect.stringContaining('hooks[0].mine"') })],
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test("a file that is not valid JSON has no hooks and is reported with the position", () => {
  const layer = read('{\n  "hooks": {,}\n}');
  expect(layer).toEqual({
    ...source,
    settings: {},
    readable: false,
    contentHash: layer.contentHash,
    warnings: [
      {
        code: "settings-unreadable",
        message: `${file} cannot be read: line 2, column 13: expected a key in double quotes, found ",". Its hooks are disabled until it is fixed; other files are unaffected.`,
        place: `${file}:2:13`,
      },
    ],
  });
});

test.each([
  ["a list", "[]", "it must hold an object, not []"],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "it is not UTF-8"],
  ["ten megabytes", Buffer.alloc(10_000_000, 0x20), `it has 10000000 bytes; at most ${maxSettingsBytes} are read`],
  ["a depth of 10,000", "[".repeat(10_000), "nested more than 200 deep"],
  ["a duplicate key", '{"env": {}, "env": {}}', 'the key "env" is a duplicate'],
  ["nothing", "", "expected a value, found the end of the file"],
])("%s is an error, not a crash", (_, bytes, why) => {
  const layer = readLayer(source, Buffer.from(bytes));
  expect(layer.readable).toBe(false);
  expect(layer.warnings[0]?.message).toContain(why);
});

test("one invalid entry is off and named by file, event, index and field; the rest stays", () => {
  const layer = read({
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [good, { type: "command" }, { type: "command", command: 5 }, good] },
        { matcher: 7, hooks: [good] },
        { hooks: [{ type: "http", url: "http://x", headers: { A: 1 } }] },
      ],
      Stop: [{ hooks: [good] }],
    },
    env: { KEPT: "1" },
  });
  expect(layer.settings).toEqual({
    env: { KEPT: "1" },
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [good, good] }, { hooks: [] }, { hooks: [] }],
      Stop: [{ hooks: [good] }],
    },
  });
  expect(layer.damaged).toEqual(["PreToolUse"]);
  expect(layer.warnings).toEqual(
    [
      ["hooks.PreToolUse[0].hooks[1].command", "is missing."],
      ["hooks.PreToolUse[0].hooks[2].command", "must be a string, not 5."],
      ["hooks.PreToolUse[1].matcher", "must be a string, not 7."],
      ["hooks.PreToolUse[2].hooks[0].headers.A", "must be a string, not a number."],
    ].map(([at, why]) => ({
      code: "hook-invalid",
      message: `${at} in ${file} ${why} Hookline skips this entry and uses the rest of the file.`,
      place: `${file}: ${at}`,
    })),
  );
});

test.each([
  [{ env: { API_KEY: 9876543210123 } }, "env.API_KEY", "a string, not a number"],
  [{ env: "API_KEY=secret" }, "env", "an object, not a string"],
  [{ env: { API_KEY: ["secret"] } }, "env.API_KEY", "a string, not a list"],
  [{ env: { API_KEY: { key: "secret" } } }, "env.API_KEY", "a string, not an object"],
])("a warning about %j does not quote the value", (settings, at, why) => {
  expect(read(settings).warnings.map(({ message }) => message)).toEqual([
    `${at} in ${file} must be ${why}. It is ignored; the rest of the file stays active.`,
  ]);
});

test.each<[string, unknown, boolean]>([
  ["its own onFailure", [{ hooks: [{ type: "comand", onFailure: "block" }] }], true],
  ["failClosed", [{ hooks: [{ type: "command", failClosed: true }] }], true],
  ["a misspelled onFailure", [{ hooks: [{ type: "command", on_failure: "block" }] }], true],
  ["the policy of its group", [{ onFailure: "block", hooks: [{ type: "command" }] }], true],
  ["its own policy before that of its group", [{ onFailure: "block", hooks: [{ onFailure: "continue" }] }], false],
  ["the policy of a group with an invalid matcher", [{ matcher: 7, onFailure: "block", hooks: [good] }], true],
  ["a hook of a group with an invalid matcher", [{ matcher: 7, hooks: [{ ...good, onFailure: "block" }] }], true],
  ["a hook in place of a group", [{ ...good, onFailure: "block" }], true],
  ["a group in place of the list", { hooks: [{ ...good, onFailure: "block" }] }, true],
  ["no policy", [{ hooks: [{ type: "comand" }] }], false],
])("an entry that cannot be used denies by %s", (_, groups, denies) => {
  const reading = (event: string) => read({ hooks: { [event]: groups } }).unusable?.map((entry) => entry.denies);
  expect(reading("PreToolUse")).toEqual([denies]);
  expect(reading("Notification")).toEqual([false]);
});

test.each([0, -1, "5", null, {}])("a timeout of %j switches its entry off", (timeout) => {
  expect(told({ hooks: { Stop: [{ hooks: [{ ...good, timeout }, good] }] } })).toEqual([
    ["hook-invalid", `${file}: hooks.Stop[0].hooks[0].timeout`],
  ]);
});

test.each([
  [{ type: "Command", command: "x" }, 'is unknown: "Command". Did you mean "command"?'],
  [{ type: "mcp-tool" }, 'is unknown: "mcp-tool". Did you mean "mcp_tool"?'],
  [{ type: "webhook-of-mine" }, 'is unknown: "webhook-of-mine"; known are command, http, prompt, agent, mcp_tool.'],
  [{ type: "callback" }, 'cannot be "callback" in a file; a program registers those.'],
  [{ type: "function" }, 'cannot be "function" in a file; a program registers those.'],
  [{ command: "x" }, "is missing."],
])("the entry %j is reported with the fix", (entry, why) => {
  expect(read({ hooks: { Stop: [{ hooks: [entry] }] } }).warnings.map(({ message }) => message)).toEqual([
    `hooks.Stop[0].hooks[0].type in ${file} ${why} Hookline skips this entry and uses the rest of the file.`,
  ]);
});

test("a misspelled field that is needed is pointed out", () => {
  expect(read({ hooks: { Stop: [{ hooks: [{ type: "command", comand: "x" }] }] } }).warnings[0]?.message).toContain(
    'command in /home/dev/.claude/settings.json is missing; "comand" looks like it.',
  );
});

test("an unknown event is ignored and the nearest name suggested, other events stay", () => {
  const layer = read({ hooks: { pretooluse: [{ hooks: [good] }], Nonsense_Of_Mine: [], Stop: [{ hooks: [good] }] } });
  expect(layer.settings.hooks).toEqual({ Stop: [{ hooks: [good] }] });
  expect(layer.warnings.map(({ code, message }) => [code, message])).toEqual([
    ["unknown-event", `"pretooluse" in ${file} is not an event. Did you mean "PreToolUse"?`],
    ["unknown-event", `"Nonsense_Of_Mine" in ${file} is not an event. Its hooks are ignored.`],
  ]);
});

test.each([
  ["user", "PreToolUse", " Claude Code 2.1.325 drops the whole file, its hooks included."],
  ["user", "Stop", " Claude Code 2.1.325 drops this entry."],
  ["managed", "PreToolUse", " Claude Code 2.1.325 runs none of its hooks."],
  ["plugin", "PreToolUse", ""],
] as const)(
  "in a %s file, a bad onFailure of %s counts as block and names what each host does",
  (kind, event, client) => {
    const bytes = Buffer.from(JSON.stringify({ hooks: { [event]: [{ hooks: [{ ...good, onFailure: "blok" }] }] } }));
    const layer = readLayer({ kind, file }, bytes);
    expect(layer.settings.hooks).toEqual({ [event]: [{ hooks: [{ ...good, onFailure: "block" }] }] });
    expect(layer.warnings.map(({ message }) => message)).toEqual([
      `hooks.${event}[0].hooks[0].onFailure in ${file} must be "continue" or "block", not "blok". Hookline treats it as "block".${client}`,
    ]);
  },
);

test("a hook where a group is expected is explained", () => {
  expect(read({ hooks: { Stop: [good] } }).warnings[0]?.message).toContain('wrap it as { "hooks": [ … ] }');
});

test.each([
  { hooks: [] },
  { hooks: { Stop: {} } },
  { hooks: { Stop: ["x"] } },
  { hooks: { Stop: [{ hooks: {} }] } },
  { hooks: { Stop: [{}] } },
])("the hooks of %j are reported, and nothing else happens", (value) => {
  expect(read(value).warnings.map(({ code }) => code)).toEqual(["hook-invalid"]);
  expect(read(value).readable).toBe(true);
});

test("a key with a value that cannot be used is ignored, as narrowly as possible", () => {
  const layer = read({
    disableAllHooks: "yes",
    env: { A: "1", B: 2 },
    permissions: { additionalDirectories: ["/a", 5, "/b"], allow: "Bash", own: 1 },
    statusLine: { type: "command" },
    allowedHttpHookUrls: ["http://a", null],
    httpHookAllowPrivate: "yes",
    onConflict: "first",
  });
  expect(layer.settings).toEqual({
    env: { A: "1" },
    permissions: { additionalDirectories: ["/a", "/b"], own: 1 },
    allowedHttpHookUrls: ["http://a"],
    onConflict: "deny",
  });
  expect(layer.warnings.map(({ code, place }) => [code, place])).toEqual(
    [
      "env.B",
      "statusLine.command",
      "permissions.additionalDirectories[1]",
      "permissions.allow",
      "disableAllHooks",
      "allowedHttpHookUrls[1]",
      "httpHookAllowPrivate",
      "onConflict",
    ]
      .sort((a, b) => order(a) - order(b))
      .map((at) => ["settings-invalid", `${file}: ${at}`]),
  );
});

function order(at: string): number {
  return (
    Object.keys(settingsFields).indexOf(at.split(/[.[]/)[0] ?? "") * 10 +
    (at.includes("allow") && at.startsWith("permissions") ? 1 : 0)
  );
}

test("keys of prototypes change no prototype, at any depth", () => {
  const poison = '{"__proto__": {"x": "1"}, "constructor": {"prototype": {"x": "1"}}, "toString": {"x": "1"}}';
  const layer = read(
    `{"__proto__": {"x": 1, "disableAllHooks": true}, "env": ${poison}, "permissions": ${poison}, "hooks": ${poison}}`,
  );
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  expect(layer.settings.disableAllHooks).toBeUndefined();
  expect(layer.settings.hooks).toBeUndefined();
  expect(Object.keys(layer.settings.env ?? {})).toEqual([]);
  expect(layer.warnings.map(({ code }) => code).sort()).toEqual([
    ...Array(3).fill("settings-invalid"),
    ...Array(2).fill("unknown-event"),
  ]);
});

test("the checker and the schemas agree on every hook entry", () => {
  const key = fc.constantFrom(
    "type",
    "command",
    "url",
    "prompt",
    "server",
    "tool",
    "timeout",
    "args",
    "shell",
    "headers",
    "async",
    "if",
    "input",
    "onFailure",
    "allowedEnvVars",
    "other",
  );
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      "command",
      "http",
      "prompt",
      "agent",
      "mcp_tool",
      "bash",
      "block",
      "x",
      "",
      0,
      5,
      -1,
      true,
      null,
      [],
      ["a"],
      [1],
      {},
      { A: "b" },
      { A: 1 },
    ),
    fc.anything({ maxDepth: 1 }),
  );
  const entry = fc
    .dictionary(key, value)
    .chain((fields) =>
      fc
        .constantFrom("command", "http", "prompt", "agent", "mcp_tool", undefined)
        .map((type) =>
          type === undefined
            ? fields
            : { command: "x", url: "x", prompt: "x", server: "x", tool: "x", ...fields, type },
        ),
    );
  fc.assert(
    fc.property(fc.oneof(entry, value), (candidate) => {
      const json: unknown = JSON.parse(JSON.stringify(candidate) ?? "null");
      expect(hookFault(json) === undefined, JSON.stringify(json)).toBe(hookSchema.safeParse(json).success);
    }),
    { numRuns: 1_500 },
  );
});

test("a settings file draws no warning exactly when the schema accepts it", () => {
  const junk = fc.constantFrom<unknown>(
    "x",
    1,
    true,
    null,
    [],
    ["a"],
    [1],
    {},
    { a: "b" },
    { a: 1 },
    { type: "command", command: "x" },
  );
  const hook = fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(good) }, { weight: 1, arbitrary: junk });
  const group = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        matcher: fc.constantFrom("", "Bash"),
        hooks: fc.array(hook, { maxLength: 2 }),
      }) as fc.Arbitrary<unknown>,
    },
    { weight: 1, arbitrary: junk },
  );
  const groups = fc.oneof(
    { weight: 5, arbitrary: fc.array(group, { maxLength: 2 }) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: junk },
  );
  const hooks = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.dictionary(fc.constantFrom(...eventNames), groups, { maxKeys: 2 }) as fc.Arbitrary<unknown>,
    },
    { weight: 1, arbitrary: junk },
  );
  const keys = fc.dictionary(fc.constantFrom(...Object.keys(settingsFields).filter((name) => name !== "hooks")), junk, {
    maxKeys: 3,
  });
  fc.assert(
    fc.property(keys, fc.option(hooks, { nil: undefined }), (rest, some) => {
      const value = JSON.parse(JSON.stringify(some === undefined ? rest : { ...rest, hooks: some }));
      expect(
        read(value).warnings.filter(({ code }) => code !== "unknown-event" && code !== "unknown-keys").length === 0,
        JSON.stringify(value),
      ).toBe(settingsSchema.safeParse(value).success);
    }),
    { numRuns: 1_500 },
  );
});

test("reading never throws, for any bytes", () => {
  const bits = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"hooks"',
    '"Stop"',
    '"type"',
    '"command"',
    '"env"',
    '"__proto__"',
    "1",
    "null",
    '"x"',
    "//",
    "\n",
    "\u0000",
    "é",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 50 }),
        fc.array(bits, { maxLength: 30 }).map((parts) => Buffer.from(parts.join(""))),
      ),
      (bytes) => {
        expect(readLayer(source, bytes).kind).toBe("user");
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a key of a hook on its group is reported", () => {
  const { warnings } = read({
    hooks: { PreToolUse: [{ matcher: "Bash", if: "Bash(rm *)", timeout: 5, hooks: [good] }] },
  });
  expect(warnings.map(({ code, place }) => [code, place])).toEqual([
    ["settings-invalid", `${file}: hooks.PreToolUse[0].if`],
    ["settings-invalid", `${file}: hooks.PreToolUse[0].timeout`],
  ]);
});

test("a host's own event is an event in its files", () => {
  const rows = { ...catalog, Deployed: { ...catalog.Notification, name: "Deployed" } };
  const layer = readLayer(source, Buffer.from(JSON.stringify({ hooks: { Deployed: [{ hooks: [good] }] } })), rows);
  expect(layer.warnings).toEqual([]);
});

test("rules under a misspelled or misplaced key are reported, and one rule in place of a list restricts", () => {
  const places = (value: object) => read(value).warnings.map(({ place }) => place);
  for (const key of ["permission", "Permissions", "permisions"]) {
    expect(places({ [key]: { deny: ["Bash(rm *)"] } })).toEqual([`${file}: ${key}`]);
  }
  expect(places({ deny: ["Bash"], disallowedTools: ["Bash"] })).toEqual([`${file}: deny`, `${file}: disallowedTools`]);
  expect(places({ disallowed_tools: ["Bash"], task: ["x"], _perms: { deny: ["Bash"] } })).toEqual([
    `${file}: disallowed_tools`,
    file,
  ]);
  for (const key of ["defaultMode", "permissionMode", "additionalDirectories", "blockReadsExemptPaths"])
    expect(places({ [key]: "plan" })).toEqual([`${file}: ${key}`]);
  expect(read({ disableAutoMode: "disable", permissions: { deny: ["Bash"] } })).toMatchObject({
    settings: { permissions: { disableAutoMode: "disable", deny: ["Bash"] } },
    warnings: [],
  });
  expect(places({ model: "x", agent: "x", permissions: { deny: ["Bash"] } })).toEqual([]);
  const one = read({ permissions: { deny: "Bash(rm *)", allow: "Bash" } });
  expect(one.settings.permissions).toEqual({ deny: ["Bash(rm *)"] });
  expect(one.warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('It counts as ["Bash(rm *)"].'),
    expect.stringContaining("It is ignored"),
  ]);
});

test("a deny or ask rule that is not a string reaches the rules, which ask", () => {
  const layer = read({ permissions: { deny: [["Bash(ls)"], "Read", null], ask: { Bash: true }, allow: [5, "Edit"] } });
  expect(layer.settings.permissions).toEqual({ deny: [["Bash(ls)"], "Read"], ask: [{ Bash: true }], allow: ["Edit"] });
  expect(layer.warnings.map(({ place, message }) => [place, / It .*\./.exec(message)?.[0]])).toEqual(
    [
      ["deny[0]", "counts as a rule that cannot be read: every call is asked about until it is fixed"],
      ["deny[2]", "is ignored; the rest of the file stays active"],
      ["ask", "counts as a rule that cannot be read: every call is asked about until it is fixed"],
      ["allow[0]", "is ignored; the rest of the file stays active"],
    ].map(([key, effect]) => [`${file}: permissions.${key}`, ` It ${effect}.`]),
  );
});

test.each([
  ["allowedHttpHookUrls", "https://hooks.example.com/*", []],
  ["httpHookAllowedEnvVars", "TOKEN", []],
  ["onConflict", "dny", "deny"],
])(
  "%s only restricts: a value that cannot be used counts as its strictest, with a warning",
  (key, wrong, strictest) => {
    const layer = read({ [key]: wrong });
    expect(layer.settings).toEqual({ [key]: strictest });
    expect(layer.warnings).toMatchObject([
      { code: "settings-invalid", message: expect.stringContaining(`counts as ${JSON.stringify(strictest)}`) },
    ]);
  },
);

test.each([5, null, "x"])("disableAutoMode next to permissions: %j counts, and permissions is reported", (wrong) => {
  const { settings, warnings } = read({ disableAutoMode: "disable", permissions: wrong });
  expect(settings.permissions).toEqual({ disableAutoMode: "disable" });
  expect(warnings).toMatchObject([{ code: "settings-invalid", place: expect.stringMatching(/: permissions$/) }]);
});

test.each(["disableBypassPermissionsMode", "disableAutoMode"])(
  'permissions.%s: "disabled" counts as "disable", with a warning',
  (key) => {
    const layer = read({ permissions: { [key]: "disabled" } });
    expect(layer.settings.permissions).toEqual({ [key]: "disable" });
    expect(layer.warnings).toMatchObject([
      { code: "settings-invalid", message: expect.stringContaining('must be "disable", not "disabled"') },
    ]);
  },
);

test.each([
  ["disableAllHook", "disableAllHooks"],
  ["allowManagedHookOnly", "allowManagedHooksOnly"],
  ["allowedHttpHookURLs", "allowedHttpHookUrls"],
  ["managedHooksOnfailure", "managedHooksOnFailure"],
])("%s is reported: its name is %s", (key, name) => {
  expect(read({ [key]: true }).warnings).toMatchObject([
    { code: "settings-invalid", message: expect.stringContaining(`Use ${name} instead.`) },
  ]);
});

test("a key of a group is reported on a hook, and a key of a hook on a group", () => {
  const at = "hooks.PreToolUse[0]";
  const { warnings } = read({ hooks: { PreToolUse: [{ if: "Bash", hooks: [{ ...good, matcher: "Bash" }] }] } });
  expect(warnings).toEqual([
    {
      code: "settings-invalid",
      message: `${at}.if in ${file} has no effect on a group. Move it into the hooks of the group.`,
      place: `${file}: ${at}.if`,
    },
    {
      code: "settings-invalid",
      message: `${at}.hooks[0].matcher in ${file} has no effect on a hook. Move it to the group of the hook.`,
      place: `${file}: ${at}.hooks[0].matcher`,
    },
  ]);
});

test.each([
  ["tiemout", "timeout", { type: "command", command: "x", tiemout: 5 }],
  ["IF", "if", { type: "command", command: "x", IF: "Bash(rm *)" }],
  ["async_rewake", "asyncRewake", { type: "command", command: "x", async_rewake: true }],
  ["arg", "args", { type: "command", command: "x", arg: ["y"] }],
  ["rewake-message", "rewakeMessage", { type: "command", command: "x", "rewake-message": "y" }],
  ["allowedEnvVar", "allowedEnvVars", { type: "http", url: "https://example.com", allowedEnvVar: ["TOKEN"] }],
  ["continueonblock", "continueOnBlock", { type: "prompt", prompt: "x", continueonblock: true }],
  ["tool", "tools", { type: "agent", prompt: "x", tool: ["Read"] }],
  ["inputs", "input", { type: "mcp_tool", server: "x", tool: "y", inputs: {} }],
])("%s of a hook is reported: its name is %s", (key, name, hook) => {
  const layer = read({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
  const at = `hooks.PreToolUse[0].hooks[0].${key}`;
  const message = `${at} in ${file} is not a known key, so it has no effect. Did you mean "${name}"?`;
  expect(layer.warnings).toEqual([{ code: "settings-invalid", message, place: `${file}: ${at}` }]);
  expect(layer.settings.hooks?.["PreToolUse"]?.[0]?.hooks).toHaveLength(1);
});

test.each([
  ["Matcher", "matcher"],
  ["matchers", "matcher"],
  ["match", "matcher"],
  ["sequental", "sequential"],
])("%s of a group is reported: its name is %s", (key, name) => {
  expect(read({ hooks: { PreToolUse: [{ [key]: "Bash", hooks: [good] }] } }).warnings).toMatchObject([
    { code: "settings-invalid", message: expect.stringContaining(`Did you mean "${name}"?`) },
  ]);
});

test("an entry whose needed key is misspelled is dropped, and the message names the key that looks like it", () => {
  const messages = (group: object) => read({ hooks: { Stop: [group] } }).warnings.map(({ message }) => message);
  expect(messages({ hook: [good] })).toEqual([expect.stringContaining('is missing; "hook" looks like it')]);
  expect(messages({ hooks: [{ Type: "command", command: "x" }] })).toEqual([
    expect.stringContaining('is missing; "Type" looks like it'),
  ]);
});

test("keys that are like no known key are reported together", () => {
  const notes = { comment: "x", _timeout: 5, "//if": "x", id: "x", name: "x", description: "x", tags: ["x"] };
  const hook = { type: "command", command: "x", ...notes, cloud: "skip" };
  const settings = {
    hooks: { PreToolUse: [{ ...notes, hooks: [hook] }] },
    ...notes,
    tools: [],
    plugin: {},
    mcpServers: {},
  };
  const warnings = [{ code: "unknown-keys", message: expect.stringMatching(/: "comment", "id", .* and 8 more\.$/) }];
  expect(read(settings).warnings).toMatchObject(warnings);
});

test("no key that Claude Code declares is reported as a misspelled or unknown one", () => {
  const known: string[] = JSON.parse(readFileSync("scripts/drift/settings-keys.json", "utf8"));
  const further = ["policyHelpers", "xaaIdp", "remoteControl", "responseComparisonEnabled", "totalTokensReminder"];
  const keys = [...known, ...further].filter((key) => !key.includes(".") && key !== "hooks");
  const warnings = keys.flatMap((key) => read({ [key]: null }).warnings);
  expect(warnings.filter(({ message }) => /instead|not read|unknown keys/.test(message))).toEqual([]);
});

test("a failure policy under two misspelled names counts as block if one of them is block", () => {
  const policy = { onfailure: "continue", failclosed: true };
  const layer = read({ hooks: { PreToolUse: [{ hooks: [{ ...good, ...policy }] }] } });
  expect(layer.settings.hooks?.["PreToolUse"]?.[0]?.hooks).toMatchObject([{ onFailure: "block" }]);
  expect(layer.warnings).toHaveLength(2);
});

test.each([{ onfailure: "block" }, { on_failure: "block" }, { failclosed: true }])(
  "a failure policy under a misspelled name, such as %o, counts as block with a warning",
  (policy) => {
    const hook = { type: "command", command: "exit 1" };
    const groups = [{ hooks: [{ ...hook, ...policy }] }, { ...policy, hooks: [hook] }];
    const layer = read({ hooks: { PreToolUse: groups } });
    expect(layer.warnings.map(({ code }) => code)).toEqual(["on-failure-invalid", "on-failure-invalid"]);
    const [ofHook, ofGroup] = layer.settings.hooks?.["PreToolUse"] ?? [];
    expect([ofHook?.hooks[0], ofGroup]).toMatchObject([{ onFailure: "block" }, { onFailure: "block" }]);
  },
);

test.each(["PreToolUse", "preToolUse", "hook", "Hooks", "hoks"])(
  "%s next to hooks instead of below it is reported",
  (key) => {
    const layer = read({ [key]: [{ hooks: [{ type: "command", command: "exit 2" }] }] });
    expect(layer.warnings).toMatchObject([
      { code: "hook-invalid", message: expect.stringContaining(`${key} in ${file} is not read`) },
    ]);
  },
);

test.each([
  "onError",
  "on_error",
  "onerror",
  "on_failure",
  "failure",
  "onfail",
  "failureMode",
  "failPolicy",
  "on-timeout",
])("%s: block on a hook or a group counts as onFailure: block, with a warning", (key) => {
  const hook = { type: "command", command: "exit 1" };
  const layer = read({
    hooks: { PreToolUse: [{ hooks: [{ ...hook, [key]: "block" }] }, { [key]: "block", hooks: [hook] }] },
  });
  expect(layer.warnings.map(({ code, message }) => [code, message.includes('Did you mean "onFailure"?')])).toEqual([
    ["on-failure-invalid", true],
    ["on-failure-invalid", true],
  ]);
  const [ofHook, ofGroup] = layer.settings.hooks?.["PreToolUse"] ?? [];
  expect([ofHook?.hooks[0], ofGroup]).toMatchObject([{ onFailure: "block" }, { onFailure: "block" }]);
});

test("onError: continue on a hook is reported and ignored, and other keys about errors stay unknown keys", () => {
  const hook = { type: "command", command: "x", errorMessage: "x", failed: "x", onEnd: "x" };
  expect(read({ hooks: { Stop: [{ hooks: [hook] }] } }).warnings).toMatchObject([{ code: "unknown-keys" }]);
  const layer = read({ hooks: { Stop: [{ hooks: [{ ...hook, onError: "continue" }] }] } });
  expect(layer.warnings).toMatchObject([
    { code: "on-failure-invalid", message: expect.stringContaining("ignored") },
    { code: "unknown-keys" },
  ]);
  expect(layer.settings.hooks?.["Stop"]?.[0]?.hooks[0]).not.toHaveProperty("onFailure");
});

test.each([
  ["metadata.hooks", { metadata: { hooks: { PreToolUse: [{ hooks: [good] }] } } }],
  ["permissions.hooks", { permissions: { hooks: { PreToolUse: [] } } }],
  ["a.b[1].hooks", { a: { b: [0, { hooks: { PreToolUse: "x" } }] } }],
  ["vendor.PreToolUse", { vendor: { PreToolUse: [{ hooks: [good] }] } }],
])("hooks under %s are reported", (at, settings) => {
  expect(read(settings).warnings).toMatchObject([
    { code: "hook-invalid", message: expect.stringContaining(`${at} in ${file} is not read`), place: `${file}: ${at}` },
  ]);
});

test("a key that contains no hooks, or hooks that were put aside, is not reported", () => {
  const PreToolUse = [{ hooks: [good] }];
  const settings = {
    _metadata: { hooks: { PreToolUse } },
    metadata: { hooks: ["pre-commit"], "//hooks": { PreToolUse }, Stop: [1], Setup: { hooks: true } },
    disabledHooks: { PreToolUse },
    pluginConfigs: { x: { options: { hooks: "all" } } },
  };
  expect(read(settings).warnings).toMatchObject([{ message: expect.stringMatching(/: "metadata"\.$/) }]);
});
