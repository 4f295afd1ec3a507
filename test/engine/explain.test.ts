import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Engine } from "../../src/engine/internal.ts";
import type { Hook } from "../../src/protocol/internal.ts";
import { bash, command, on, openIn } from "./world.ts";

/** Everything that keeps a hook from running, in one place. */
const hooks: readonly Hook[] = [
  command(": 1"),
  command(": 1"),
  command(": 2", { if: "Bash(ls *)" }),
  command(": 3", { if: "Bash(git *)" }),
  command(": 4", { if: "(" }),
  { type: "prompt", prompt: "Is it safe?" },
  { type: "agent", prompt: "Look.", onFailure: "block" },
];
const groups = ["*", "Write|Edit", "B.*", "(Bash", "Bash|"].map((matcher, index) => ({
  matcher,
  hooks: index === 0 ? hooks : [command(`: group ${index}`)],
}));
const settings = {
  hooks: { PreToolUse: groups, Stop: [{ hooks: [command(": stop"), command(": never", { if: "Bash" })] }] },
};
const project = { hooks: { PreToolUse: [{ hooks: [command(": project")] }] } };

const payloads = [
  ["PreToolUse", bash],
  ["PreToolUse", { tool_name: "Write", tool_input: { file_path: "/x", content: "" } }],
  ["PreToolUse", { tool_name: "Bash", tool_input: { command: "cd . && git push" }, session_id: "s-1" }],
  ["Stop", {}],
  ["SessionStart", { source: "startup" }],
] as const;

async function openWith(options: Parameters<typeof openIn>[1]): Promise<Engine> {
  const world = await openIn(settings, options);
  writeFileSync(join(world.project, ".claude/settings.json"), JSON.stringify(project));
  await world.engine.reload();
  world.engine.on("PreToolUse", "Bash", () => undefined);
  world.engine.session("s-1").register("PreToolUse", "Bash", command(": session", { once: true }));
  return world.engine;
}

test.each([
  ["implicit trust", { trust: "implicit" }],
  ["pinned trust", { trust: "pinned" }],
  ["a model", { ports: { model: async () => ({ ok: true }) } }],
  ["hooks switched off", { settings: ['{"disableAllHooks":true}'] }],
  ["a hook three deep", { env: { HOOKLINE_DEPTH: "3" } }],
] as const)("fire runs and skips exactly what explain says, with %s", async (_, options) => {
  const engine = await openWith(options);
  for (const [event, payload] of [...payloads, ...payloads]) {
    const explained = engine.explain(event, payload).hooks.map((one) => [one.hook.id, one.runs ? "runs" : one.why]);
    const { runs, skipped } = await engine.fire(event, payload);
    const fired = [...runs.map(({ hook }) => [hook.id, "runs"]), ...skipped.map(({ hook, why }) => [hook.id, why])];
    expect(fired.sort()).toEqual(explained.sort());
    const configured = engine.list().filter(({ hook }) => hook.event === event && hook.source !== "session");
    const named = explained.filter(([id]) => !id?.startsWith("session"));
    expect(named.map(([id]) => id).sort()).toEqual(configured.map(({ hook }) => hook.id).sort());
  }
});

test("each explanation holds the detail that decided", async () => {
  const engine = await openWith({ trust: "pinned" });
  const { hooks: explained } = engine.explain("PreToolUse", bash);
  const details = explained.map((one) => `${one.hook.name} ${one.runs ? "runs" : one.why}: ${one.detail}`);
  expect(details).toEqual([
    expect.stringMatching(/^: 1 runs/),
    expect.stringMatching(/^: 1 duplicate: equal to user:PreToolUse:0\.0/),
    expect.stringMatching(/^: 2 runs: .*if "Bash\(ls \*\)" holds/),
    expect.stringMatching(/^: 3 if: "Bash\(git \*\)" does not match "ls/),
    expect.stringMatching(/^: 4 if: .*"\("/),
    expect.stringMatching(/^Is it safe\? unsupported: .*model/),
    expect.stringMatching(/^Look\. runs/),
    expect.stringMatching(/^: group 1 matcher: .*Bash.*Write\|Edit|Write\|Edit.*Bash/),
    expect.stringMatching(/^: group 2 runs/),
    expect.stringMatching(/^: group 3 matcher: .*\(Bash/),
    expect.stringMatching(/^: group 4 runs/),
    expect.stringMatching(/^: project trust: not approved yet; run hookline trust/),
    expect.stringMatching(/^callback on PreToolUse \[Bash\] runs/),
  ]);
});

test("an entry that cannot be used and denies on failure is explained as one that runs and fails", async () => {
  const entry = { type: "comand", command: "true", onFailure: "block" } as unknown as Hook;
  const { engine } = await openIn({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [entry] }] } });
  const { hooks: explained } = await engine.explain("PreToolUse", bash);
  expect(explained).toMatchObject([
    {
      hook: { type: "comand", name: "true" },
      runs: true,
      detail: expect.stringContaining("it is not started and denies"),
    },
  ]);
});

test("explaining starts nothing and writes nothing", async () => {
  const { engine, project, home } = await openIn({
    hooks: {
      ...on("SessionStart", "touch made").hooks,
      ...on("PreToolUse", command("touch made", { inputFile: true })).hooks,
    },
  });
  const before = [readdirSync(project), readdirSync(home, { recursive: true })];
  engine.explain("SessionStart", { source: "startup" });
  engine.explain("PreToolUse", bash);
  expect([readdirSync(project), readdirSync(home, { recursive: true })]).toEqual(before);
});

test("hasHookFor never says false for a hook that would run", async () => {
  const engine = await openWith({});
  const events = ["PreToolUse", "Stop", "SessionStart"] as const;
  expect(events.map((event) => engine.hasHookFor(event))).toEqual([true, true, false]);
  const off = engine.on("SessionStart", () => undefined);
  expect(engine.hasHookFor("SessionStart")).toBe(true);
  off();
  expect(engine.hasHookFor("SessionStart")).toBe(false);
});

test("an event without hooks does not serialize its payload", async () => {
  const { engine } = await openIn(on("PreToolUse", "true"));
  const payload = {
    tool_name: "Write",
    tool_input: {
      toJSON(): never {
        throw new Error("serialised");
      },
    },
  };
  await expect(engine.fire("PostToolUse", payload)).resolves.toMatchObject({ decision: "none", runs: [] });
  await expect(engine.fire("PreToolUse", payload)).rejects.toMatchObject({
    code: "event/bad-payload",
    message: "The payload of PreToolUse cannot be written as JSON: serialised.",
  });
});

test("list gives layer, file, matcher, type, trust state and problems", async () => {
  const engine = await openWith({ trust: "pinned" });
  const listed = engine.list();
  expect(listed[0]).toMatchObject({
    hook: { source: "user", matcher: "*", type: "command", file: expect.stringContaining("settings.json") },
    trust: "trusted",
    problems: [],
  });
  expect(listed.find(({ hook }) => hook.source === "project")).toMatchObject({ trust: "new" });
  expect(listed.find(({ hook }) => hook.name === ": 4")?.problems).toMatchObject([{ code: "if-invalid" }]);
});
