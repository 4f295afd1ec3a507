import { expect, test } from "vitest";
import { compileCondition, conditionHolds } from "./condition/condition.ts";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import type { RuleLayer } from "./rule-layer.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj", pathCase: "sensitive" } as const;

function decide(tool: string, input: object, rules: Pick<RuleLayer, "allow" | "ask" | "deny">): string {
  return judge({ tool, input }, compileRules([{ scope: "user", ...rules }]), context).decision;
}

function held(rule: string, tool: string, input: object): boolean {
  const condition = compileCondition(rule);
  return !("invalid" in condition) && conditionHolds(condition, { tool, input }, context);
}

// Measured with 2.1.197 and 2.1.325: each of these starts the skill or the agent, or opens the file.
const skills = ["deploy", "/deploy", " deploy ", " /deploy"];
const agents = ["code-helper", "Code-Helper", "code_helper", "code helper", "CodeHelper", " code-helper "];

test("a deny or ask rule on a skill covers its name with a slash or blanks around it", () => {
  for (const rule of ["Skill(deploy)", "Skill(/deploy)", "Skill(deploy *)"]) {
    const decisions = (list: "deny" | "ask") =>
      skills.map((skill) => decide("Skill", { skill, args: "now" }, { allow: ["Skill"], [list]: [rule] }));
    expect([rule, decisions("deny")]).toEqual([rule, skills.map(() => "deny")]);
    expect([rule, decisions("ask")]).toEqual([rule, skills.map(() => "ask")]);
  }
  expect(decide("Skill", { skill: "deploy2" }, { allow: ["Skill"], deny: ["Skill(deploy)"] })).toBe("allow");
  expect(skills.filter((skill) => !held("Skill(deploy)", "Skill", { skill }))).toEqual([]);
});

// Measured with 2.1.325.
test("a deny or ask rule on a skill covers it with and without the name of its plugin, and `plugin:*` all that a plugin has", () => {
  const starts: [string, string[]][] = [
    ["Skill(deploy)", ["deploy", "shop:deploy"]],
    ["Skill(shop:deploy)", ["deploy", "shop:deploy"]],
    ["Skill(shop:deploy *)", ["deploy", "deploy-all", "shop:deploy"]],
    ["Skill(shop:*)", ["shop:deploy", "shop"]],
    ["Skill(shop *)", ["shop:deploy", "shop"]],
    ["Skill(deploy:*)", ["deploy", "deploy-all", "shop:deploy"]],
  ];
  for (const [rule, names] of starts) {
    const all = ["deploy", "shop:deploy", "shop", "deploy-all", "other", "a:other"];
    const decisions = all.filter((skill) => decide("Skill", { skill }, { allow: ["Skill"], deny: [rule] }) === "deny");
    expect([rule, decisions.sort()]).toEqual([rule, names.sort()]);
    expect([rule, all.filter((skill) => held(rule, "Skill", { skill, args: "now" })).sort()]).toEqual([rule, names]);
  }
  // Another plugin's skill of that name is another skill, and an allow rule covers the name as it is written.
  expect(decide("Skill", { skill: "my:deploy" }, { allow: ["Skill"], deny: ["Skill(shop:deploy)"] })).toBe("allow");
  expect(decide("Skill", { skill: "shop:deploy" }, { allow: ["Skill(deploy)"] })).toBe("ask");
});

test("a deny or ask rule on an agent covers its name in every spelling that starts it", () => {
  for (const rule of ["Agent(code-helper)", "Task(code-helper)", "Agent(code-*)"]) {
    const decisions = agents.map((type) =>
      decide("Agent", { subagent_type: type }, { allow: ["Agent"], deny: [rule] }),
    );
    expect([rule, decisions]).toEqual([rule, agents.map(() => "deny")]);
  }
  expect(agents.filter((type) => !held("Agent(code-helper)", "Agent", { subagent_type: type }))).toEqual([]);
  expect(decide("Agent", { subagent_type: "coder" }, { allow: ["Agent"], deny: ["Agent(code-helper)"] })).toBe("allow");
  expect(decide("Agent", { subagent_type: " " }, { allow: ["Agent"], deny: ["Agent(general-purpose)"] })).toBe("deny");
  // An allow rule covers the name as it is written.
  expect(decide("Agent", { subagent_type: "CodeHelper" }, { allow: ["Agent(code-helper)"] })).toBe("ask");
});

test("blanks around a path do not lead past a rule", () => {
  const paths = [" /t/proj/.env", "/t/proj/.env ", "\t.env", " ~/.env"];
  const rules = { allow: ["Read"], deny: ["Read(.env)", "Read(~/.env)"] };
  expect(paths.map((file_path) => decide("Read", { file_path }, rules))).toEqual(paths.map(() => "deny"));
  expect(paths.slice(0, 3).filter((file_path) => !held("Read(.env)", "Read", { file_path }))).toEqual([]);
});

test("a backslash in a path pattern takes the sign behind it literally", () => {
  const rules = { allow: ["Edit"], deny: ["Edit(app/\\[id\\]/page.tsx)", "Edit(a\\ b.txt)", "Edit(\\#c.txt)"] };
  const denied = ["app/[id]/page.tsx", "a b.txt", "#c.txt"];
  expect(denied.map((file_path) => decide("Edit", { file_path }, rules))).toEqual(denied.map(() => "deny"));
  expect(decide("Edit", { file_path: "app/i/page.tsx" }, rules)).toBe("allow");
});

test("a deny or ask rule that misspells its tool, or holds two rules, asks about every call of the tool and is reported", () => {
  const faulty = [
    "bash(rm *)",
    "BASH",
    "Bash:rm",
    "Bash(rm *),Bash(ls)",
    "Bash(rm *) Read(.env)",
    "Bash{rm *}",
    "Bash[rm *]",
  ];
  for (const list of ["deny", "ask"] as const) {
    const judged = faulty.map((rule) => {
      const policy = compileRules([{ scope: "user", allow: ["Bash"], [list]: [rule] }]);
      const { decision, warnings } = judge({ tool: "Bash", input: { command: "ls" } }, policy, context);
      return [rule, decision, warnings.map(({ code }) => code)];
    });
    expect(judged).toEqual(faulty.map((rule) => [rule, "ask", ["rule-invalid"]]));
  }
  // A host that has such a tool names it, and the rule applies to it.
  const own = compileRules([{ scope: "user", allow: ["Bash"], deny: ["bash(rm *)"] }], { kinds: { bash: "shell" } });
  const decide2 = (tool: string, command: string) => judge({ tool, input: { command } }, own, context).decision;
  expect([own.warnings, decide2("bash", "rm x"), decide2("Bash", "rm x")]).toEqual([[], "deny", "allow"]);
});

test("an unknown key below permissions and a value that is not a list are reported; one rule in place of a list restricts", () => {
  const told = (layer: object) => compileRules([{ scope: "user", ...layer }]).warnings.map(({ message }) => message);
  expect(told({ Deny: ["Bash(rm *)"] })).toEqual([
    'user, permissions.Deny is not a key of permissions, so the calls that it names are asked about; did you mean "deny"?',
  ]);
  expect(told({ permissions: { deny: ["Bash(rm *)"] } })).toEqual([expect.stringContaining("permissions.permissions")]);
  expect(told({ block: ["Bash(rm *)"], future: true }).length).toBe(2);
  expect(told({ deny: "Bash(rm *)" })).toEqual([
    "user, permissions.deny must be a list of rules; it is read as a list of one rule",
  ]);
  expect(told({ allow: "Bash" })).toEqual(["user, permissions.allow must be a list of rules; it has no effect"]);
  expect(told({ allow: ["Bash"], ask: [], deny: ["Bash(rm *)"], defaultMode: "plan" })).toEqual([]);
  const policy = compileRules([
    { scope: "user", allow: ["Bash"] },
    { scope: "project", deny: "Bash(rm *)" as never },
  ]);
  expect(judge({ tool: "Bash", input: { command: "rm x" } }, policy, context).decision).toBe("deny");
});

test.each<[string, object, readonly string[]]>([
  ["a list in a list", { deny: [["Bash(ls)"]] }, ["ask", "ask"]],
  ["an object in a list", { ask: [{ tool: "Bash" }] }, ["ask", "ask"]],
  ["an object in place of the list", { deny: { "Bash(ls)": true } }, ["ask", "ask"]],
  ["true in place of the list", { deny: true }, ["ask", "ask"]],
  ["a key in another case", { Deny: ["Bash(ls)"] }, ["ask", "allow"]],
  ["the key denied", { denied: ["Bash(ls)"] }, ["ask", "allow"]],
  ["the key denies", { denies: ["Bash(ls)"] }, ["ask", "allow"]],
  ["the key disallow", { disallow: ["Bash(ls)"] }, ["ask", "allow"]],
  ["a list below a misspelled permissions", { "Permissions.deny": ["Bash(ls)"] }, ["ask", "allow"]],
  ["an unreadable rule under a misspelled key", { aks: [5] }, ["ask", "ask"]],
  ["a text without a tool", { deny: ["(ls)"] }, ["ask", "ask"]],
  ["nothing", { deny: ["", null], ask: null, _deny: ["Bash(ls)"], Deny: [] }, ["allow", "allow"]],
])("%s under deny or ask is asked about: every call, or those of the tool that it names", (_, layer, decisions) => {
  const policy = compileRules([
    { scope: "user", allow: ["Bash(ls)", "WebSearch"] },
    { scope: "local", ...layer },
  ]);
  const decided = [
    judge({ tool: "Bash", input: { command: "ls" } }, policy, context),
    judge({ tool: "WebSearch", input: { query: "x" } }, policy, context),
  ];
  expect(decided.map(({ decision }) => decision)).toEqual(decisions);
});

test("a deny or ask rule that misspells a tool of MCP or WebSearch asks and is reported; one on a field it lacks covers all of it", () => {
  const push = "mcp__github__push";
  const judged = (tool: string, rule: string) => {
    const policy = compileRules([{ scope: "user", allow: ["mcp__github", "WebSearch", "SlashCommand"], deny: [rule] }]);
    const { decision, warnings } = judge({ tool, input: { query: "x", command: "/deploy" } }, policy, context);
    return [rule, decision, warnings.map(({ code }) => code)];
  };
  const faulty = ["mcp_github", "MCP__github", "mcp:github", "mcp-github", "mcp__github:*", "mcp__github__push:*"];
  expect(faulty.map((rule) => judged(push, rule))).toEqual(faulty.map((rule) => [rule, "ask", ["rule-invalid"]]));
  expect(judged("WebSearch", "websearch")).toEqual(["websearch", "ask", ["rule-invalid"]]);
  const wide = "WebSearch(domain:evil.com)";
  expect(judged("WebSearch", wide)).toEqual([wide, "deny", []]);
  expect(judged("SlashCommand", "SlashCommand(deploy:*)")).toEqual(["SlashCommand(deploy:*)", "deny", []]);
  expect(judged("WebSearch", "WebSearch(query:y)")).toEqual(["WebSearch(query:y)", "allow", []]);
  expect(judged(push, "mcp__gitlab")).toEqual(["mcp__gitlab", "allow", []]);
});

test("a deny or ask rule in the syntax of something else asks about every call of its tool and is reported", () => {
  const judged = (tool: string, input: object, rule: string) => {
    const policy = compileRules([{ scope: "user", allow: ["Bash", "Read"], deny: [rule] }]);
    const { decision, warnings } = judge({ tool, input }, policy, context);
    return [rule, decision, warnings.map(({ code }) => code)];
  };
  const paths = ["**/*.{pem,key}", '".env"', "$HOME/.ssh/**", "${HOME}/.ssh", ".env:*", ".env, .envrc"];
  for (const rule of paths.map((path) => `Read(${path})`)) {
    expect(judged("Read", { file_path: "a" }, rule)).toEqual([rule, "ask", ["rule-invalid"]]);
  }
  for (const rule of ['Bash("rm *")', "Bash(rm\u00a0*)", "Bash(\u200brm *)"]) {
    expect(judged("Bash", { command: "rm x" }, rule)).toEqual([rule, "ask", ["rule-invalid"]]);
  }
  for (const rule of ["Read(app/$id.tsx)", "Read(a{b}c)", "Read(a,b)", "Read(\u202fx)", "Read(\\{a,b\\})"]) {
    expect(judged("Read", { file_path: "a" }, rule)).toEqual([rule, "allow", []]);
  }
  for (const rule of ['Bash("my tool" *)', "Bash(echo {a,b})", "Bash(echo $HOME)"]) {
    expect(judged("Bash", { command: "ls" }, rule)).toEqual([rule, "allow", []]);
  }
});

test("a deny or ask rule on a folder of the file system's root with one slash is reported", () => {
  const told = (rule: string, list: "allow" | "deny" | "ask" = "deny") =>
    compileRules([{ scope: "user", [list]: [rule] }]).warnings.map(({ message }) => message);
  expect(told("Read(/etc/passwd)")).toEqual([
    '"Read(/etc/passwd)" in user, permissions.deny[0] is not relative to the root of the file system; write Read(//etc/passwd) for that',
  ]);
  expect(told("Edit(/home/ana/.ssh/**)", "ask").length).toBe(1);
  expect([...told("Read(//etc/passwd)"), ...told("Read(/src/**)"), ...told("Read(/etc/**)", "allow")]).toEqual([]);
});
