import { expect, test } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../fixtures/checkout.ts";
import { type Engine, openEngine } from "../internal.ts";

async function withEngine<T>({ options }: CheckoutWorld, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine({ ...options, trust: "implicit" });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const manifest = {
  name: "guards",
  userConfig: {
    MODE: { type: "string", title: "Mode", default: "strict" },
    LEVEL: { type: "number", title: "Level" },
    KIND: { type: "string", title: "Kind", options: ["a", "b"], default: "a" },
    TOKEN: { type: "string", title: "Token", sensitive: true },
  },
};

async function printed(world: CheckoutWorld, command: string, settings?: object) {
  await world.put("plugin/hooks/hooks.json", hooksOn("UserPromptSubmit", command));
  const options = {
    ...world.options,
    plugins: [`${world.root}/plugin`],
    ...(settings === undefined ? {} : { settings: [JSON.stringify(settings)] }),
  };
  return withEngine({ ...world, options }, async (engine) => {
    const outcome = await engine.fire("UserPromptSubmit", { prompt: "x" });
    return { said: outcome.additionalContext, ended: outcome.runs[0]?.ended, warnings: engine.warnings };
  });
}

const config = (id: string, options: object) => ({ pluginConfigs: { [id]: { options } } });

test("an option has the default that the plugin's manifest names", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", manifest);
  expect((await printed(world, "echo ${user_config.MODE} $CLAUDE_PLUGIN_OPTION_MODE")).said).toEqual(["strict strict"]);
});

test("pluginConfigs of the user, of --settings and of managed settings set it, in that order of strength", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", manifest);
  const command = 'echo "$CLAUDE_PLUGIN_OPTION_MODE"';
  await world.put("home/.claude/settings.json", config("guards@market", { MODE: "user" }));
  expect((await printed(world, command)).said).toEqual(["user"]);
  const flag = config("guards", { MODE: "flag" });
  expect((await printed(world, command, flag)).said).toEqual(["flag"]);
  await world.put("managed/managed-settings.json", config("guards@inline", { MODE: "managed" }));
  expect((await printed(world, command, flag)).said).toEqual(["managed"]);
});

test("numbers, flags and lists become text, and a value that is not one of the choices is the default", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", manifest);
  const command = 'echo "$CLAUDE_PLUGIN_OPTION_LEVEL $CLAUDE_PLUGIN_OPTION_MODE $CLAUDE_PLUGIN_OPTION_KIND"';
  const { said } = await printed(world, command, config("guards", { LEVEL: 3, MODE: ["x", "y"], KIND: "c" }));
  expect(said).toEqual(["3 x,y a"]);
});

test("a project cannot set the options of a plugin", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", manifest);
  await world.put("project/.claude/settings.json", config("guards", { MODE: "evil" }));
  const { said, warnings } = await printed(world, 'echo "$CLAUDE_PLUGIN_OPTION_MODE"');
  expect(said).toEqual(["strict"]);
  expect(warnings.map(({ code }) => code)).toContain("policy-key-ignored");
});

test("a command whose option has no value does not start, and the message says where to set it", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", manifest);
  const { ended } = await printed(world, "echo ${user_config.TOKEN}");
  expect(ended).toMatchObject({ by: "not-started", why: expect.stringContaining("pluginConfigs") });
});

test("a manifest that cannot be read is reported", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", "{");
  const { warnings } = await printed(world, "echo x");
  expect(warnings).toMatchObject([{ code: "settings-invalid", message: expect.stringContaining("plugin.json") }]);
});

test("modules in a plugin's hooks.json are reported, because they are not loaded", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/hooks/hooks.json", { modules: ["./guard.mjs"] });
  const options = { ...world.options, plugins: [`${world.root}/plugin`] };
  await withEngine({ ...world, options }, async ({ warnings }) => {
    expect(warnings).toMatchObject([{ code: "setting-unsupported", message: expect.stringContaining("modules in") }]);
    expect(warnings[0]?.message).toContain("./guard.mjs");
  });
});

test("permission keys that Hookline does not honor, or not from there, are reported", async () => {
  const world = await checkoutWorld();
  const permissions = {
    workingDirectoriesAsGiven: ["/x"],
    denyInsteadOfPrompting: true,
    blockReadsExemptPaths: ["/y"],
  };
  await world.put("project/.claude/settings.json", { permissions });
  const given = { settings: [JSON.stringify({ permissions: { workingDirectoriesAsGiven: ["/x"] } })] };
  await withEngine({ ...world, options: { ...world.options, ...given } }, async ({ warnings }) => {
    const found = warnings.map(({ code, place }) => `${code} ${place?.split(": ").at(-1)}`);
    expect(found.filter((line) => !line.startsWith("not-trusted")).sort()).toEqual([
      "policy-key-ignored permissions.blockReadsExemptPaths",
      "policy-key-ignored permissions.denyInsteadOfPrompting",
      "policy-key-ignored permissions.workingDirectoriesAsGiven",
      "setting-unsupported permissions.workingDirectoriesAsGiven",
    ]);
  });
});

/** The output of the hooks of a plugin with this manifest and these files, and the warnings from loading. */
async function pluginSays(manifestHooks: unknown, files: Readonly<Record<string, object>> = {}) {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", { name: "guards", hooks: manifestHooks });
  for (const [name, content] of Object.entries(files)) await world.put(`plugin/${name}`, content);
  const options = { ...world.options, plugins: [`${world.root}/plugin`] };
  return withEngine({ ...world, options }, async (engine) => {
    const { additionalContext } = await engine.fire("UserPromptSubmit", { prompt: "x" });
    return { said: additionalContext, warnings: engine.warnings.map(({ message }) => message) };
  });
}

const saying = (text: string) => hooksOn("UserPromptSubmit", `echo ${text}`);

test("hooks that a plugin's manifest contains or names come after those of hooks/hooks.json", async () => {
  const files = { "hooks/hooks.json": saying("own"), "more/hooks.json": saying("named") };
  const { hooks: inline } = saying("inline");
  expect(await pluginSays(inline)).toEqual({ said: ["inline"], warnings: [] });
  expect(await pluginSays("./more/hooks.json", files)).toEqual({ said: ["own", "named"], warnings: [] });
  expect(await pluginSays(["./more/hooks.json", inline], files)).toMatchObject({ said: ["own", "named", "inline"] });
  expect(await pluginSays("./hooks/hooks.json", files)).toMatchObject({ said: ["own"] });
});

test("a path in a plugin's manifest that cannot be used is reported", async () => {
  for (const path of ["./gone.json", "../other/hooks.json", "./../other/hooks.json", "more/hooks.json", 5]) {
    const { said, warnings } = await pluginSays(path, { "more/hooks.json": saying("named") });
    expect(said).toEqual([]);
    expect(warnings).toHaveLength(1);
  }
});

test("hooks under a misspelled key of a plugin's manifest are reported, and their guard denies", async () => {
  const world = await checkoutWorld();
  const guard = {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 0", onFailure: "block" }] }],
  };
  await world.put("plugin/.claude-plugin/plugin.json", { name: "guards", Hooks: guard });
  const options = { ...world.options, plugins: [`${world.root}/plugin`] };
  await withEngine({ ...world, options }, async (engine) => {
    expect(engine.warnings[0]?.message).toContain(
      `Hooks in ${world.root}/plugin/.claude-plugin/plugin.json is not read`,
    );
    const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };
    expect(await engine.fire("PreToolUse", call)).toMatchObject({ decision: "deny" });
  });
});

test.each(["onFailure", "failClosed", "onError", "on_failure"])(
  "%s at the top of a plugin's hooks file or manifest is reported: it has no effect there",
  async (key) => {
    const world = await checkoutWorld();
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "exit 1" }] }] };
    const manifest = await world.put("plugin/.claude-plugin/plugin.json", { name: "guards", [key]: "block", hooks });
    const file = await world.put("plugin/hooks/hooks.json", { description: "x", [key]: "block", hooks });
    const options = { ...world.options, plugins: [`${world.root}/plugin`] };
    await withEngine({ ...world, options }, async ({ warnings }) => {
      expect(warnings.map(({ code, place }) => [code, place])).toEqual([
        ["settings-invalid", `${file}: ${key}`],
        ["settings-invalid", `${manifest}: ${key}`],
      ]);
    });
  },
);

test("a manifest that cannot be read is reported for a plugin without hooks/hooks.json too", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", "{");
  const options = { ...world.options, plugins: [`${world.root}/plugin`] };
  await withEngine({ ...world, options }, async ({ warnings }) => {
    expect(warnings[0]).toMatchObject({ code: "settings-unreadable", message: expect.stringContaining("plugin.json") });
  });
});

test("a manifest that names a missing hooks/hooks.json is reported", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", { name: "guards", hooks: "./hooks/hooks.json" });
  const options = { ...world.options, plugins: [`${world.root}/plugin`] };
  await withEngine({ ...world, options }, async ({ warnings }) => {
    expect(warnings).toMatchObject([
      { code: "settings-unreadable", message: expect.stringContaining("names it and there is no such file") },
    ]);
  });
});

test("an invalid userConfig is reported for a plugin without hooks too", async () => {
  const world = await checkoutWorld();
  await world.put("plugin/.claude-plugin/plugin.json", { name: "guards", userConfig: 5 });
  const options = { ...world.options, plugins: [`${world.root}/plugin`] };
  await withEngine({ ...world, options }, async ({ warnings }) => {
    expect(warnings).toMatchObject([
      { code: "settings-invalid", message: expect.stringContaining("userConfig must be an object, not 5") },
    ]);
  });
});
