import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../fixtures/agent-run.ts";
import { loadSubagents } from "../subagents/subagent-definitions.ts";

/** A checkout whose commands, skills and agents are links: to a user's key, and to a device that never ends. */
function checkout() {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  const { project, home } = world;
  writeFileSync(join(home, "id_key"), "PRIVATE KEY");
  const at = (...names: string[]) => join(project, ".claude", ...names);
  for (const name of ["commands", "skills/s", "agents"]) mkdirSync(at(name), { recursive: true });
  for (const link of [at("commands", "review.md"), at("skills", "s", "SKILL.md"), at("agents", "thief.md")])
    symlinkSync(join(home, "id_key"), link);
  for (const link of [at("commands", "zero.md"), at("agents", "zero.md")]) symlinkSync("/dev/zero", link);
  writeFileSync(join(home, "plan.md"), "the plan");
  writeFileSync(at("agents", "own.md"), "words of its own");
  return world;
}

test("a project command or skill that links outside the project is not loaded", async () => {
  const world = checkout();
  for (const prompt of ["/review", "/s", "/zero"]) {
    const { requests, events } = await world.run([{ text: "done" }], { prompt });
    expect(JSON.stringify(requests)).not.toContain("PRIVATE KEY");
    expect(events.some((event) => event.kind === "notice" && event.text.includes("is not used"))).toBe(true);
  }
});

function placesOf(home: string, cwd: string) {
  return { cwd, configFolder: join(home, ".claude"), reads: () => true };
}

test("an agent file that links to a device does not delay the start", async () => {
  const { project, home } = checkout();
  mkdirSync(join(home, ".claude/agents"));
  symlinkSync(join(home, "plan.md"), join(home, ".claude/agents/planner.md"));
  const warnings: string[] = [];
  const agents = await loadSubagents(placesOf(home, project), (text) => warnings.push(text));
  expect(agents.map(({ type, prompt }) => [type, prompt]).slice(2)).toEqual([
    ["planner", "the plan"],
    ["own", "words of its own"],
  ]);
  expect(warnings.join("\n")).toMatch(/\.claude\/agents\/\w+\.md:1: .*This subagent is not used; fix the file/);
});

test("neither a checkout's agent file nor the model can choose a script in the checkout or another provider", async () => {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  const [own, theirs] = [join(world.home, ".claude/agents"), join(world.project, ".claude/agents")];
  for (const folder of [own, theirs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(own, "mine.md"), "---\nmodel: openai:gpt\n---\nmine");
  writeFileSync(join(theirs, "a.md"), "---\nmodel: scripted:evil.json\n---\ntheirs");
  writeFileSync(join(theirs, "b.md"), "---\nmodel: claude-haiku-4-5\n---\ntheirs");
  const models = Object.fromEntries(
    (await loadSubagents(placesOf(world.home, world.project), () => undefined)).map(({ type, model }) => [type, model]),
  );
  expect(models).toMatchObject({ mine: "openai:gpt", a: undefined, b: "claude-haiku-4-5" });
  const opened: string[] = [];
  const call = { tool: "Agent", input: { description: "d", prompt: "p", model: "scripted:evil.json" } };
  const { requests } = await world.run([{ calls: [call] }, { text: "done" }], {
    prompt: "go",
    openModel: async (name) => {
      opened.push(name);
      throw new Error(name);
    },
  });
  expect(opened).toEqual([]);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("is not the name of a model");
});

test("a pipe in place of .git/HEAD does not delay the start", async () => {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  mkdirSync(join(world.project, ".git"));
  execFileSync("mkfifo", [join(world.project, ".git/HEAD")]);
  expect((await world.run([{ text: "done" }], { prompt: "go" })).result.result).toBe("done");
});
