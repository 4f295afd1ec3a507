import { join } from "node:path";
import { expect, test } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../fixtures/checkout.ts";
import { type Engine, type EngineOptions, openEngine } from "../internal.ts";

async function withEngine<T>(options: EngineOptions, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(options);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** What a call comes to that a hook of the host allows, perhaps after rewriting it. */
function allowed(
  { options }: CheckoutWorld,
  tool: string,
  input: object,
  rewritten?: Record<string, unknown>,
  event: "PreToolUse" | "PermissionRequest" = "PreToolUse",
) {
  return withEngine(options, async (engine) => {
    engine.on(event, () => ({ kind: "allow", ...(rewritten ? { input: rewritten } : {}) }));
    const { decision, reason, updatedInput, output } = await engine.fire(event, {
      tool_name: tool,
      tool_input: { ...input },
    });
    return { decision, ...(reason === undefined ? {} : { reason }), ...(updatedInput ? { updatedInput } : {}), output };
  });
}

const rules = (world: CheckoutWorld, permissions: object): Promise<string> =>
  world.put("home/.claude/settings.json", { permissions });

test("a hook's allow counts where no rule restricts the call", async () => {
  const world = await checkoutWorld();
  expect(await allowed(world, "Bash", { command: "make all" })).toEqual({ decision: "allow", output: {} });
});

test("a hook's allow never beats a deny or ask rule, and the rule is named", async () => {
  const world = await checkoutWorld();
  const file = await rules(world, { deny: ["Bash(rm *)"], ask: ["Bash(git push *)"], allow: ["Bash"] });
  expect(await allowed(world, "Bash", { command: "ls && rm x" })).toMatchObject({
    decision: "deny",
    reason: `rm x: Bash(rm *) denies it (${file})`,
  });
  expect(await allowed(world, "Bash", { command: "git push origin" })).toMatchObject({
    decision: "ask",
    reason: `Bash(git push *) asks about it (${file})`,
  });
});

test("a rewritten input is judged as what will really run", async () => {
  const world = await checkoutWorld();
  await rules(world, { deny: ["Bash(rm *)"], ask: ["Bash(curl *)"] });
  expect(await allowed(world, "Bash", { command: "git status" }, { command: "rm -rf x" })).toMatchObject({
    decision: "deny",
  });
  const asked = await allowed(world, "Bash", { command: "git status" }, { command: "curl x" });
  expect(asked).toMatchObject({ decision: "ask", updatedInput: { command: "curl x" } });
  // What the model sent decides nothing any more.
  expect(await allowed(world, "Bash", { command: "rm x" }, { command: "ls" })).toMatchObject({ decision: "allow" });
});

test("protected paths and critical removals are asked about even if a hook allows them", async () => {
  const world = await checkoutWorld();
  await world.put("project/guard.sh", "exit 0\n");
  await world.put("home/.claude/settings.json", hooksOn("Stop", 'sh "$CLAUDE_PROJECT_DIR/guard.sh"'));
  const write = (file_path: string) => allowed(world, "Write", { file_path, content: "" });
  for (const path of [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/x.sh",
    ".git/config",
    "guard.sh",
    join(world.root, "state/trust/x.json"),
    join(world.managed, "managed-settings.json"),
    join(world.home, ".claude/settings.json"),
  ]) {
    expect([path, (await write(path)).decision]).toEqual([path, "ask"]);
  }
  expect((await write("src/a.ts")).decision).toBe("allow");
  expect((await allowed(world, "Bash", { command: "rm -rf ~" })).decision).toBe("ask");
  expect((await allowed(world, "Bash", { command: "echo x > .claude/settings.json" })).decision).toBe("ask");
});

test("what cannot be analyzed stays ask where a rule might concern it", async () => {
  const world = await checkoutWorld();
  expect((await allowed(world, "Bash", { command: "eval $X" })).decision).toBe("allow");
  await rules(world, { deny: ["Bash(rm *)"] });
  expect((await allowed(world, "Bash", { command: "eval $X" })).decision).toBe("ask");
});

test("a permission request's allow overrides an ask rule, never a deny; what it rewrites is asked about", async () => {
  const world = await checkoutWorld();
  await rules(world, { deny: ["Bash(rm *)"], ask: ["Bash(curl *)"] });
  const request = (command: string, rewritten?: string) =>
    allowed(
      world,
      "Bash",
      { command },
      rewritten === undefined ? undefined : { command: rewritten },
      "PermissionRequest",
    );
  expect(await request("curl x")).toMatchObject({ decision: "allow", output: { permission: { behavior: "allow" } } });
  expect(await request("rm x")).toMatchObject({
    decision: "deny",
    output: { permission: { behavior: "deny", message: expect.stringContaining("Bash(rm *)") } },
  });
  expect(await request("ls", "curl x")).toMatchObject({ decision: "ask", output: {} });
});

test("the mode of the call counts: where nothing is asked, an ask rule denies", async () => {
  const world = await checkoutWorld();
  await rules(world, { ask: ["Bash(git push *)"] });
  await withEngine(world.options, async (engine) => {
    engine.on("PreToolUse", () => ({ kind: "allow" }));
    const call = { tool_name: "Bash", tool_input: { command: "git push x" }, permission_mode: "dontAsk" };
    expect((await engine.fire("PreToolUse", call)).decision).toBe("deny");
  });
});

test("the host's own judge is asked in place of the settings' rules", async () => {
  const world = await checkoutWorld();
  await rules(world, { deny: ["Bash"] });
  const judge = () => ({ decision: "ask" as const, reason: "the host wonders", byRule: true });
  await withEngine({ ...world.options, ports: { judge } }, async (engine) => {
    engine.on("PreToolUse", () => ({ kind: "allow" }));
    const outcome = await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    expect([outcome.decision, outcome.reason]).toEqual(["ask", "the host wonders"]);
  });
});

test("with no hook decision the rules are the host's own flow, and the outcome stays none", async () => {
  const world = await checkoutWorld();
  await rules(world, { deny: ["Bash"] });
  await withEngine(world.options, async (engine) => {
    engine.on("PreToolUse", () => undefined);
    const outcome = await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    expect(outcome.decision).toBe("none");
  });
});

test("an untrusted project's restrictions count at once", async () => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", { permissions: { deny: ["Bash(make *)"], allow: ["Bash"] } });
  expect((await allowed(world, "Bash", { command: "make all" })).decision).toBe("deny");
});

test("a file that had deny rules and cannot be read any more keeps them in effect", async () => {
  const world = await checkoutWorld();
  await rules(world, { deny: ["Bash(rm *)"] });
  await withEngine(world.options, async (engine) => {
    engine.on("PreToolUse", () => ({ kind: "allow" }));
    await world.put("home/.claude/settings.json", "{ broken");
    const { warnings } = await engine.reload();
    expect(warnings.map(({ code }) => code)).toEqual(["settings-kept"]);
    const outcome = await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "rm x" } });
    expect(outcome.decision).toBe("deny");
  });
});

test("an engine warns of rules that cannot be read, also after a reload", async () => {
  const world = await checkoutWorld();
  await rules(world, { deny: ["bash(rm *)"], Deny: ["x"] });
  const file = join(world.home, ".claude/settings.json");
  await withEngine(world.options, async (engine) => {
    expect(engine.warnings.map(({ code, place }) => [code, place])).toEqual([
      ["rule-invalid", `${file}, permissions.Deny`],
      ["rule-invalid", `${file}, permissions.deny[0]`],
    ]);
    await rules(world, { deny: ["Bash(rm *)"] });
    expect([(await engine.reload()).warnings, engine.warnings]).toEqual([[], []]);
  });
});
