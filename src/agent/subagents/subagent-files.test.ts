import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../fixtures/agent-run.ts";
import type { Tool } from "../tools/tool.ts";
import { allowedTools, loadSubagents } from "./subagent-definitions.ts";

/** Subagent files of the user and of the project, by name, and the warnings about them. */
async function load(files: { readonly person?: Record<string, string>; readonly checkout?: Record<string, string> }) {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  const told: string[] = [];
  for (const of of ["person", "checkout"] as const) {
    const folder = join(of === "person" ? world.home : world.project, ".claude/agents");
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files[of] ?? {})) writeFileSync(join(folder, `${name}.md`), text);
  }
  const places = { cwd: world.project, configFolder: join(world.home, ".claude"), reads: () => true };
  const agents = await loadSubagents(places, (text) => told.push(text.replace(`${world.project}/.claude/agents/`, "")));
  return { ...world, agents, told };
}

test("a project's Explore.md keeps the read-only limit of the built-in agent and is reported", async () => {
  const { run, project, agents, told } = await load({ checkout: { Explore: "---\ntools: Read, Bash\n---\nmine" } });
  expect(agents.find(({ type }) => type === "Explore")).toMatchObject({ readOnly: true, prompt: "mine" });
  expect(told).toEqual([expect.stringMatching(/^Explore\.md:1: .*the built-in "Explore"; it still only reads\. Give/)]);
  const input = { description: "d", prompt: "look", subagent_type: "Explore" };
  const { complaints, events } = await run(
    [
      { calls: [{ tool: "Agent", input }] },
      { when: { purpose: "subagent" }, text: "ok", expect: [{ in: "tools", contains: ["Read:"], lacks: ["Bash:"] }] },
      { text: "done" },
    ],
    { prompt: "go" },
  );
  expect(complaints).toEqual([]);
  const notice = { kind: "notice", text: expect.stringContaining(join(project, ".claude/agents/Explore.md:1")) };
  expect(events).toContainEqual(expect.objectContaining(notice));
});

test("a file of the user may replace a built-in subagent", async () => {
  const { agents, told } = await load({ person: { Explore: "mine" }, checkout: { Explore: "theirs" } });
  expect(agents.find(({ type }) => type === "Explore")).not.toHaveProperty("readOnly");
  expect(told).toHaveLength(1);
});

test("tools are read from a line, a list in brackets and a list below", async () => {
  const head = (tools: string) => `---\nname: x\n${tools}\nmodel: inherit # no\n---\nbody`;
  for (const tools of [
    "tools: Read, Grep",
    'tools: [Read, "Grep"]',
    "tools:\n  - Read\n  - Grep",
    "tools:\n- Read\n- Grep",
  ]) {
    const { agents, told } = await load({ checkout: { x: head(tools) } });
    expect([agents.at(-1)?.tools, agents.at(-1)?.model, told]).toEqual([["Read", "Grep"], undefined, []]);
  }
});

test("an unreadable agent file is not used and is reported", async () => {
  const checkout = {
    open: "---\ntools: Read\nNo end.",
    odd: "---\nname: odd\ntools Read\n---\nbody",
    empty: "---\nname: empty\ntools:\n---\nbody",
    half: "---\ntools: [Read,\n---\nbody",
    binary: "\0",
    fine: "---\ndescription: >\n  two\n  lines\nhooks:\n  Stop: []\n---\nbody",
  };
  const { agents, told } = await load({ checkout });
  expect(agents.slice(2)).toMatchObject([{ type: "fine", description: "two lines", prompt: "body" }]);
  expect(
    told.map((text) => text.slice(0, text.indexOf(". This subagent is not used; fix the file or remove it."))),
  ).toEqual([
    "binary.md:1: it is not a text file",
    'empty.md:3: "tools" names no tool; without the line the subagent has all of them',
    "half.md:2: Flow sequence in block collection must be sufficiently indented and end with a ]",
    "odd.md:3: Implicit map keys need to be followed by map values",
    'open.md:1: no line "---" ends what begins here',
  ]);
});

test("disallowedTools and maxTurns of an agent file hold, and keys that are not honored are reported", async () => {
  const head =
    "---\nname: rev\ndisallowedTools: [Write, Bash(rm *), Task]\nmaxTurns: 1\npermissionMode: plan\nmcpServers:\n  - a\n---\nmine";
  const { run, agents, told } = await load({ checkout: { rev: head } });
  expect(agents.at(-1)).toMatchObject({ type: "rev", maxTurns: 1 });
  expect(told).toEqual([
    expect.stringMatching(/^rev\.md:5: this agent does not honor permissionMode, mcpServers of an/),
  ]);
  const input = { description: "d", prompt: "look", subagent_type: "rev" };
  const { complaints } = await run(
    [
      { calls: [{ tool: "Agent", input }] },
      {
        when: { purpose: "subagent" },
        calls: [{ tool: "Glob", input: { pattern: "*" } }],
        expect: [{ in: "tools", contains: ["Read:", "Edit:"], lacks: ["Bash:", "Write:", "Agent:"] }],
      },
      { text: "done", expect: [{ in: "last-message", contains: ["reached its limit of 1 turns"] }] },
    ],
    { prompt: "go" },
  );
  expect(complaints).toEqual([]);
  const odd = await load({ checkout: { odd: "---\nmaxTurns: few\n---\nx" } });
  expect(odd.told).toEqual([
    expect.stringMatching(/^odd\.md:2: "maxTurns" must be a whole number above 0\. This subagent is/),
  ]);
});

test("disallowedTools of an agent file take a whole server away", () => {
  const names = (disallowedTools: readonly string[]) =>
    allowedTools(
      ["Read", "mcp__a__x", "mcp__ab__y"].map((name) => ({ name, readOnly: true }) as Tool),
      { type: "t", description: "", prompt: "", disallowedTools },
    ).map(({ name }) => name);
  expect(names(["mcp__a"])).toEqual(["Read", "mcp__ab__y"]);
  expect(names(["mcp__ab__*"])).toEqual(["Read", "mcp__a__x"]);
  expect(names(["*"])).toEqual([]);
  expect(names(["mcp__*"])).toEqual(["Read"]);
  expect(names(["mcp__*__x", "read"])).toEqual(["mcp__ab__y"]);
});

test("disallowedTools of an agent file are split at blanks as well as commas, and a rule stays whole", async () => {
  const { agents, told } = await load({ checkout: { x: "---\ndisallowedTools: Bash(rm -r, x) Edit,Write\n---\nx" } });
  expect([agents.at(-1)?.disallowedTools, told]).toEqual([["Bash(rm -r, x)", "Edit", "Write"], []]);
});

test("an agent file whose tools are not names gives no agent", async () => {
  const checkout = {
    a: "---\ntools:\n  write: false\n  bash: false\n---\nx",
    b: "---\ndisallowedTools:\n  - Bash: true\n  - Edit\n---\nx",
  };
  const { agents, told } = await load({ checkout });
  expect(agents).toHaveLength(2);
  expect(told).toEqual([
    expect.stringMatching(
      /^a\.md:2: "tools" must be names of tools, in one line or as a list\. This subagent is not used/,
    ),
    expect.stringMatching(/^b\.md:2: "disallowedTools" must be names of tools/),
  ]);
});

test("a limit of tools that an agent file spells in a way that has no effect is reported", async () => {
  const checkout = {
    a: "---\nallowed-tools: Read\n---\nx",
    b: "---\nname: b\ndisallowed_tools: Bash\n---\nx",
    c: "---\nallowedTools: Read\n---\nx",
    d: "---\ntools: Read, Bash(git log *), Task\ncolor: red\nmode: all\n---\nx",
  };
  const { agents, told } = await load({ checkout });
  expect(told).toEqual([
    expect.stringMatching(/^a\.md:2: "allowed-tools" is not a key of a subagent file, .* Use "tools" instead\.$/),
    expect.stringMatching(/^b\.md:3: "disallowed_tools" is not a key .* Use "disallowedTools" instead\.$/),
    expect.stringMatching(/^c\.md:2: "allowedTools" is not a key .* Use "tools" instead\.$/),
    expect.stringMatching(
      /^d\.md:2: "Bash\(git log \*\)" is a rule and not a tool, so the subagent does not get that tool\./,
    ),
  ]);
  const all = ["Read", "Bash", "Agent"].map((name) => ({ name, readOnly: true }) as Tool);
  expect(allowedTools(all, agents.at(-1)).map(({ name }) => name)).toEqual(["Read", "Agent"]);
});

const guard = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: echo not that >&2; exit 2
`;

test("the hooks in an agent file guard a teammate of that kind, and a session that was started as it, its other agents included", async () => {
  const { run, project } = await load({ person: { guarded: `---\nname: guarded\n${guard}---\nbody` } });
  const touch = { calls: [{ tool: "Bash", input: { command: "touch made" } }] };
  const refused = { in: "messages" as const, contains: ["not that"] };
  const agent = (more: object) => ({ calls: [{ tool: "Agent", input: { description: "d", prompt: "x", ...more } }] });
  const sub = [
    { when: { purpose: "subagent" as const }, ...touch },
    { when: { purpose: "subagent" as const }, text: "sub", expect: [refused] },
  ];
  const main = (text: string) => ({ when: { purpose: "main" as const }, text });
  const allowedTools = ["Bash"];
  for (const [script, more] of [
    [[agent({ subagent_type: "guarded", name: "bob" }), ...sub, main("wait"), main("done")], {}],
    [[touch, { text: "done", expect: [refused] }], { subagent: "guarded" }],
    [[agent({ subagent_type: "general-purpose" }), ...sub, main("done")], { subagent: "guarded" }],
  ] as const) {
    const { complaints } = await run(script, { prompt: "go", allowedTools, ...more });
    expect([complaints, existsSync(join(project, "made"))]).toEqual([[], false]);
  }
});

test("the payloads of a session that was started as an agent name it", async () => {
  const { run, payloads } = await makeStarted();
  await run([{ calls: [{ tool: "Read", input: { file_path: "/nope" } }] }, { text: "done" }], {
    prompt: "go",
    subagent: "Explore",
  });
  const seen = payloads().map(({ hook_event_name: event, agent_type, agent_id }) => [event, agent_type, agent_id]);
  expect(seen).toEqual(
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"].map((event) => [
      event,
      "Explore",
      undefined,
    ]),
  );
});

async function makeStarted() {
  const hooks = { SessionStart: {}, UserPromptSubmit: {}, PreToolUse: {}, Stop: {}, SessionEnd: {} };
  const world = makeWorld({ hooks });
  onTestFinished(world.remove);
  return world;
}

test("a checkout's agent that takes the place of the user's own is reported", async () => {
  const { agents, told, home } = await load({
    person: { rev: "---\ntools: Read\n---\nmine" },
    checkout: { rev: "theirs" },
  });
  expect(agents.at(-1)).toMatchObject({ type: "rev", prompt: "theirs" });
  const file = join(home, ".claude/agents/rev.md");
  expect(told).toEqual([`rev.md:1: this folder's subagent "rev" replaces yours, ${file}.`]);
});

test("a checkout's agent that names a provider in its model has the session's model, and that is reported", async () => {
  const { agents, told } = await load({ checkout: { rev: "---\nmodel: openai:x\n---\nbody" } });
  expect(agents.at(-1)).not.toHaveProperty("model");
  expect(told).toEqual([
    'rev.md: "model" is openai:x, which a project may not choose; the subagent has the session\'s model.',
  ]);
});
