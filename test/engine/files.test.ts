import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { bash, command, on, openIn } from "./world.ts";

test("the input file is private and is removed when the hook has ended", async () => {
  const { engine, project } = await openIn(
    on("PreToolUse", 'echo "$HOOK_INPUT_FILE" > path; cp "$HOOK_INPUT_FILE" copy'),
  );
  await engine.fire("PreToolUse", bash);
  const path = readFileSync(join(project, "path"), "utf8").trim();
  expect(JSON.parse(readFileSync(join(project, "copy"), "utf8"))).toMatchObject(bash);
  expect(path).not.toContain(project);
  expect(existsSync(path)).toBe(false);
});

test.each([{}, { async: true }])("no input file stays of a hook that never began (%j)", async (more) => {
  const waits = Array.from({ length: 9 }, (_, index) => command(`sleep 60; : ${index}`, { ...more, inputFile: true }));
  const { engine, home } = await openIn(on("PreToolUse", ...waits), { concurrency: 1 });
  const spill = join(home, "..", "state", "spill");
  const files = () => (existsSync(spill) ? readdirSync(spill, { recursive: true }).filter(isInput) : []);
  const fired = engine.fire("PreToolUse", bash).catch(() => undefined);
  await until("all of them are prepared", () => files().length === waits.length);
  await engine.close();
  await fired;
  expect(files()).toEqual([]);
});

function isInput(name: string | Buffer): boolean {
  return String(name).endsWith(".json");
}

test("a hook may remove its input file itself", async () => {
  const { engine } = await openIn(on("PreToolUse", 'rm "$HOOK_INPUT_FILE"'));
  expect((await engine.fire("PreToolUse", bash)).runs).toMatchObject([{ ended: { by: "exit", code: 0 } }]);
});

test("env files are in a private folder of the session, under the root that the host names", async () => {
  const settings = on("SessionStart", 'echo "export A=1" > "$CLAUDE_ENV_FILE"');
  const { engine, home } = await openIn(settings);
  const { output } = await engine.fire("SessionStart", { source: "startup", session_id: "s-1" });
  const folder = join(home, ".claude/session-env/s-1");
  expect(output.envFiles).toEqual([join(folder, "sessionstart-hook-0.sh")]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);

  const other = await openIn({}, { claudeHome: join(home, "client"), settings: [JSON.stringify(settings)] });
  const started = await other.engine.fire("SessionStart", { source: "startup", session_id: "../../x" });
  expect(started.output.envFiles?.[0]).toMatch(new RegExp(`^${join(home, "client/session-env")}/[0-9a-f]{32}/`));
});

test("a plugin hook whose folder no longer exists fails before a shell could report a block", async () => {
  const { engine: probe, project } = await openIn({});
  await probe.close();
  const plugin = join(project, "plugin");
  mkdirSync(join(plugin, "hooks"), { recursive: true });
  const hook = command("${CLAUDE_PLUGIN_ROOT}/guard.sh; exit 2", { onFailure: "block" });
  writeFileSync(
    join(plugin, "hooks/hooks.json"),
    JSON.stringify({ description: "a guard", ...on("PreToolUse", hook) }),
  );
  const { engine } = await openIn({}, { plugins: [plugin] });
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({ decision: "deny", runs: [{ ended: { code: 2 } }] });
  renameSync(plugin, `${plugin}-gone`);
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining(plugin),
    runs: [{ ended: { by: "not-started" } }],
  });
});
