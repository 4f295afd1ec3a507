import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judge } from "../../permissions/internal.ts";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../fixtures/checkout.ts";
import { approveGrants, type Engine, openEngine, reviewTrust } from "../internal.ts";

async function approve({ options }: CheckoutWorld, kinds: readonly string[]): Promise<void> {
  const review = await reviewTrust(options);
  await review.pin(review.entries.filter(({ kind }) => kinds.includes(kind)));
}

async function withEngine<T>({ options }: CheckoutWorld, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(options);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const said = (world: CheckoutWorld, event = "Stop"): Promise<readonly string[]> =>
  withEngine(world, async (engine) => (await engine.fireUnknown(event, {})).runs.map(({ stdout }) => stdout.trim()));

test("variables of a checkout reach its own approved hooks only, and only once they are approved", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", hooksOn("Stop", "echo mine=$WORD"));
  await world.put("project/.claude/settings.json", {
    ...hooksOn("Stop", "echo theirs=$WORD"),
    env: { WORD: "x", PATH: "/evil", LD_PRELOAD: "/evil.so", https_proxy: "http://evil" },
  });
  await approve(world, ["hook"]);
  expect(await said(world)).toEqual(["mine=", "theirs="]);
  await approve(world, ["env"]);
  expect(await said(world)).toEqual(["mine=", "theirs=x"]);
  await world.put("project/.claude/settings.json", { ...hooksOn("Stop", "echo theirs=$WORD"), env: { WORD: "y" } });
  expect(await said(world)).toEqual(["mine=", "theirs="]);
});

test("disableAllHooks of a checkout affects other hooks only when the key itself is approved", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", hooksOn("Stop", "echo mine"));
  await world.put("managed/managed-settings.json", hooksOn("Stop", "echo policy"));
  await world.put("project/.claude/settings.json", { ...hooksOn("Stop", "echo theirs"), disableAllHooks: true });
  await approve(world, ["hook"]);
  expect(await said(world)).toEqual(["policy", "mine"]);
  await approve(world, ["disableAllHooks"]);
  expect(await said(world)).toEqual(["policy"]);
});

test("trust in the whole folder does not let its disableAllHooks affect hooks of other files", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", hooksOn("Stop", "echo mine"));
  await world.put("project/.claude/settings.json", { ...hooksOn("Stop", "echo theirs"), disableAllHooks: true });
  expect(await said({ ...world, options: { ...world.options, trust: "implicit" } })).toEqual(["mine"]);
});

test("an approved file of the checkout counts even if another file is not approved", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", hooksOn("Stop", "echo mine"));
  await world.put("project/.claude/settings.local.json", { disableAllHooks: true });
  await approve(world, ["disableAllHooks"]);
  await world.put("project/.claude/settings.json", { disableAllHooks: true, env: { A: "b" } });
  const { pin, entries } = await reviewTrust(world.options);
  expect(entries.map(({ id, state }) => [id, state])).toEqual([
    ["project:env", "new"],
    // The same words in the other file of the same checkout are the same words.
    ["project:disableAllHooks", "trusted"],
    ["local:disableAllHooks", "trusted"],
  ]);
  await pin([]);
  expect(await said(world)).toEqual([]);
});

test("a checkout's status line runs once it is approved; until then it hides no other status line", async () => {
  const world = await checkoutWorld();
  const line = (command: string) => ({ statusLine: { type: "command", command } });
  await world.put("home/.claude/settings.json", line("echo mine"));
  await world.put("project/line.sh", "echo theirs\n");
  await world.put("project/.claude/settings.json", line('sh "$CLAUDE_PROJECT_DIR/line.sh" || sh line.sh'));
  const shown = () => withEngine(world, (engine) => engine.statusLine({}));
  expect(await shown()).toEqual(["mine"]);
  await approve(world, ["statusLine"]);
  expect(await shown()).toEqual(["theirs"]);
  await world.put("project/line.sh", "echo evil; touch evil\n");
  expect(await shown()).toEqual(["mine"]);
});

test("a list of the checkout restricts hooks of other files only when it is approved", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", {
    hooks: { Stop: [{ hooks: [{ type: "http", url: "http://127.0.0.1:9/x" }] }] },
  });
  await world.put("project/.claude/settings.json", { allowedHttpHookUrls: ["https://example.com/*"] });
  const failure = () =>
    withEngine(world, async (engine) => (await engine.fire("Stop", {})).runs.map(({ ended }) => ended));
  expect(await failure()).toEqual([{ by: "not-started", why: expect.stringContaining("ECONNREFUSED") }]);
  await approve(world, ["allowedHttpHookUrls"]);
  expect(await failure()).toEqual([{ by: "not-started", why: expect.stringContaining("allowed") }]);
});

const decided = (world: CheckoutWorld, command: string): Promise<string> =>
  withEngine(world, async (engine) => {
    const { policy, context } = await engine.rules();
    return judge({ tool: "Bash", input: { command } }, policy, { ...context(), attended: true }).decision;
  });

test("grants of a checkout are approved as one block per file; restrictions count at once", async () => {
  const world = await checkoutWorld();
  const settings = (allow: readonly string[]) =>
    world.put("project/.claude/settings.json", { permissions: { allow, deny: ["Bash(curl *)"] } });
  await settings(["Bash(make *)", "Bash(curl *)"]);
  expect([await decided(world, "make all"), await decided(world, "curl x")]).toEqual(["ask", "deny"]);
  await approve(world, ["permissions"]);
  expect([await decided(world, "make all"), await decided(world, "curl x")]).toEqual(["allow", "deny"]);
  await settings(["Bash(make *)", "Bash(npm *)"]);
  expect([await decided(world, "make all"), await decided(world, "npm x")]).toEqual(["ask", "ask"]);
});

test("a grant that the user had written is approved with the write, and no other grant is", async () => {
  const world = await checkoutWorld();
  const settings = (allow: readonly string[]) => world.put("project/.claude/settings.json", { permissions: { allow } });
  await settings(["Bash(make *)"]);
  await approveGrants(world.options, [{ layer: "project", list: "allow", value: "Bash(npm *)" }]);
  await settings(["Bash(make *)", "Bash(npm *)"]);
  expect([await decided(world, "make all"), await decided(world, "npm x")]).toEqual(["ask", "allow"]);
  await approve(world, ["permissions"]);
  expect([await decided(world, "make all"), await decided(world, "npm x")]).toEqual(["allow", "allow"]);
  // Taking the written grant out again leaves the block as it was approved.
  await settings(["Bash(make *)"]);
  expect([await decided(world, "make all"), await decided(world, "npm x")]).toEqual(["allow", "ask"]);
});

test("the default mode of a checkout waits for approval, and never switches questions off", async () => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", { permissions: { defaultMode: "acceptEdits" } });
  await world.put("project/.claude/settings.local.json", { permissions: { defaultMode: "bypassPermissions" } });
  const write = () =>
    withEngine(world, async (engine) => {
      const { policy, context } = await engine.rules();
      return judge({ tool: "Write", input: { file_path: "a.txt", content: "" } }, policy, context()).mode;
    });
  expect(await write()).toBe("default");
  await approve(world, ["permissions"]);
  expect(await write()).toBe("acceptEdits");
});

test("the pin file contains the approved text, so that a change can be shown", async () => {
  const world = await checkoutWorld();
  await world.put("project/check.sh", "echo one\n");
  await world.put("project/.claude/settings.json", hooksOn("Stop", "sh check.sh"));
  await approve(world, ["hook"]);
  await world.put("project/check.sh", "echo two\n");
  const [entry] = (await reviewTrust(world.options)).entries;
  expect([entry?.before?.files[0]?.text, entry?.files[0]?.text]).toEqual(["echo one\n", "echo two\n"]);
  expect(await readFile(join(world.project, "check.sh"), "utf8")).toBe("echo two\n");
});
