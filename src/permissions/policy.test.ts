import { expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import type { Mode, RuleLayer } from "./rule-layer.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };

function decide(layers: readonly RuleLayer[], tool: string, input: unknown, more: object = {}): string {
  return judge({ tool, input }, compileRules(layers), { ...context, ...more }).decision;
}

const bash = (layers: readonly RuleLayer[], command: string, more = {}) => decide(layers, "Bash", { command }, more);

test("a broken rule is disabled with a warning; under deny or ask its tool is asked about", () => {
  const layer: RuleLayer = {
    scope: "user",
    file: "/s.json",
    allow: ["Bash(npm *)", "Bash(x"],
    deny: ["Bash(rm *)", "Write(!x)"],
  };
  const policy = compileRules([layer]);
  expect(policy.warnings).toEqual([
    {
      code: "rule-invalid",
      message:
        '"Write(!x)" in /s.json, permissions.deny[1] is disabled: a path pattern cannot be negated; use the other list; every Write call is asked about until it is fixed',
      place: "/s.json, permissions.deny[1]",
    },
    {
      code: "rule-invalid",
      message: '"Bash(x" in /s.json, permissions.allow[1] is disabled: the rule does not end with ")"',
      place: "/s.json, permissions.allow[1]",
    },
  ]);
  expect(bash([layer], "npm x")).toBe("allow");
  expect(decide([layer], "Write", { file_path: "a" }, { mode: "bypassPermissions" })).toBe("ask");
});

test("tool names are case-sensitive, and an older name means the current tool", () => {
  const layers: RuleLayer[] = [{ scope: "user", allow: ["Task(Explore)"], deny: ["bash"] }];
  expect(decide(layers, "Agent", { subagent_type: "Explore" })).toBe("allow");
  expect(decide(layers, "Task", { subagent_type: "Explore" })).toBe("allow");
  expect(decide(layers, "Agent", {})).toBe("ask");
  // A tool in other letters is no Bash, and is reported: every Bash call is asked about.
  expect(bash(layers, "ls")).toBe("ask");
  expect(decide([{ scope: "user", deny: ["*"] }], "Anything", {})).toBe("deny");
  expect(decide([{ scope: "user", ask: ["mcp__*"] }], "mcp__a__b", {}, { mode: "bypassPermissions" })).toBe("ask");
  const policy = compileRules([{ scope: "user", allow: ["Old(a.ts)"] }], { aliases: { Old: "Read" } });
  expect(policy.allow[0]?.meaning.toolKind).toBe("read");
});

test("Edit covers all editing tools, Read all reading ones, a Read deny editing too", () => {
  const edit: RuleLayer[] = [{ scope: "user", allow: ["Edit(./a)"] }];
  expect(["Edit", "MultiEdit", "Write", "NotebookEdit"].map((tool) => decide(edit, tool, { file_path: "a" }))).toEqual(
    Array(4).fill("allow"),
  );
  const read: RuleLayer[] = [{ scope: "user", deny: ["Read(./a)"], allow: ["Edit"] }];
  expect(
    ["Read", "Grep", "Glob", "LS", "NotebookRead", "Edit", "Write"].map((tool) => decide(read, tool, { path: "a" })),
  ).toEqual(Array(7).fill("deny"));
  const write: RuleLayer[] = [{ scope: "user", deny: ["Write(./a)"], allow: ["Edit"] }];
  expect([decide(write, "Write", { file_path: "a" }), decide(write, "Edit", { file_path: "a" })]).toEqual([
    "deny",
    "allow",
  ]);
  const grep: RuleLayer[] = [{ scope: "user", deny: ["Grep(./a)"] }];
  expect([decide(grep, "Grep", { path: "a" }), decide(grep, "Read", { file_path: "a" })]).toEqual(["deny", "allow"]);
});

test("the name of a server ends at its underscores", () => {
  const layers: RuleLayer[] = [{ scope: "user", allow: ["mcp__srv"] }];
  expect(["mcp__srv__t", "mcp__srv2__t", "mcp__srv", "mcp__sr__v__t"].map((tool) => decide(layers, tool, {}))).toEqual([
    "allow",
    "ask",
    "ask",
    "ask",
  ]);
  const policy = compileRules(layers, { mcpServers: ["srv", "srv__x"] });
  expect(["mcp__srv__t", "mcp__srv__x__t"].map((tool) => judge({ tool, input: {} }, policy, context).decision)).toEqual(
    ["allow", "ask"],
  );
});

test("a parameter is compared as sent, absent never matches", () => {
  const layers: RuleLayer[] = [
    { scope: "user", allow: ["Deploy"], deny: ["Deploy(env:prod*)"], ask: ["Bash(run_in_background:true)"] },
  ];
  expect(
    [{ env: "prod" }, { env: "production" }, { env: "test" }, {}, { env: ["prod"] }].map((input) =>
      decide(layers, "Deploy", input),
    ),
  ).toEqual(["deny", "deny", "allow", "allow", "allow"]);
  expect(decide(layers, "Bash", { command: "ls", run_in_background: true })).toBe("ask");
  expect(decide(layers, "Bash", { command: "ls", run_in_background: false })).toBe("allow");
  expect(decide([], "Deploy", JSON.parse('{"__proto__":{"env":"prod"}}'))).toBe("ask");
});

test("a Skill rule covers a name and its arguments, and a PowerShell allow rule covers its exact text only", () => {
  const skills: RuleLayer[] = [{ scope: "user", allow: ["Skill(deploy)", "Skill(test *)"], deny: ["Skill(drop)"] }];
  const skill = (name: string, args?: string) => decide(skills, "Skill", { skill: name, ...(args ? { args } : {}) });
  expect([skill("deploy"), skill("deploy", "x"), skill("test"), skill("test", "x"), skill("drop", "x")]).toEqual([
    "allow",
    "ask",
    "allow",
    "allow",
    "deny",
  ]);
  const shell: RuleLayer[] = [
    { scope: "user", allow: ["PowerShell(Get-Item x)", "PowerShell(ls *)"], deny: ["PowerShell(Remove-Item *)"] },
  ];
  const power = (command: string) => decide(shell, "PowerShell", { command });
  expect([power("Get-Item x"), power("Get-Item x; y"), power("ls x"), power("cd x; Remove-Item y")]).toEqual([
    "allow",
    "ask",
    "ask",
    "deny",
  ]);
});

test("deny beats ask beats allow, whatever the scope; scope chooses which rule is named", () => {
  const layers: RuleLayer[] = [
    { scope: "session", deny: ["Bash(git push *)"] },
    { scope: "user", file: "u", deny: ["Bash(git push * main)"], ask: ["Bash(git *)"] },
    { scope: "managed", file: "m", allow: ["Bash(git *)"] },
    { scope: "project", file: "p", deny: ["Bash(git push o *)"] },
  ];
  expect([bash(layers, "git push o main"), bash(layers, "git log")]).toEqual(["deny", "ask"]);
  const { rule } = judge({ tool: "Bash", input: { command: "git push o main" } }, compileRules(layers), context);
  expect(rule).toEqual({ text: "Bash(git push o *)", list: "deny", scope: "project", file: "p" });
});

test("what a checkout grants needs trust, what it restricts never does", () => {
  const own = (trusted?: boolean): RuleLayer => ({
    scope: "project",
    allow: ["Bash(npm *)"],
    deny: ["Bash(rm *)"],
    additionalDirectories: ["/elsewhere"],
    defaultMode: "acceptEdits",
    ...(trusted === undefined ? {} : { trusted }),
  });
  const all = (layer: RuleLayer) => [
    bash([layer], "npm x"),
    bash([layer], "rm x"),
    decide([layer], "Read", { file_path: "/elsewhere/x" }),
    decide([layer], "Write", { file_path: "a" }),
  ];
  expect(all(own())).toEqual(["ask", "deny", "ask", "ask"]);
  expect(all(own(false))).toEqual(["ask", "deny", "ask", "ask"]);
  expect(all(own(true))).toEqual(["allow", "deny", "allow", "allow"]);
});

test("allowManagedPermissionRulesOnly drops foreign grants and keeps what restricts", () => {
  const layers: RuleLayer[] = [
    { scope: "managed", allowManagedPermissionRulesOnly: true, allow: ["Bash(git *)"] },
    { scope: "user", allow: ["Bash(npm *)"], deny: ["Bash(git push *)"], ask: ["Bash(git fetch *)"] },
  ];
  expect(["git log", "npm x", "git push x", "git fetch x"].map((command) => bash(layers, command))).toEqual([
    "allow",
    "ask",
    "deny",
    "ask",
  ]);
  expect(bash([{ scope: "user", allowManagedPermissionRulesOnly: true, allow: ["Bash(npm *)"] }], "npm x")).toBe(
    "allow",
  );
});

test("while a managed file cannot be read nothing settles below ask", () => {
  const layers: RuleLayer[] = [
    { scope: "managed", unreadable: true },
    { scope: "user", allow: ["Bash"], deny: ["Bash(rm *)"] },
  ];
  expect([bash(layers, "ls"), bash(layers, "ls", { mode: "bypassPermissions" }), bash(layers, "rm x")]).toEqual([
    "ask",
    "ask",
    "deny",
  ]);
  expect(bash([{ scope: "user", unreadable: true, deny: ["Bash(rm *)"] }], "rm x")).toBe("deny");
});

test("the mode is that of the host, then managed, flags, user; a checkout never switches questions off", () => {
  const mode = (layers: readonly RuleLayer[], said?: Mode | "manual") =>
    judge({ tool: "Bash", input: { command: "x" } }, compileRules(layers), {
      ...context,
      ...(said ? { mode: said } : {}),
    }).mode;
  expect(
    mode([
      { scope: "user", defaultMode: "plan" },
      { scope: "managed", defaultMode: "dontAsk" },
    ]),
  ).toBe("dontAsk");
  expect(
    mode([
      { scope: "user", defaultMode: "plan" },
      { scope: "flags", defaultMode: "acceptEdits" },
    ]),
  ).toBe("acceptEdits");
  expect(mode([{ scope: "user", defaultMode: "plan" }], "default")).toBe("default");
  expect(mode([{ scope: "local", trusted: true, defaultMode: "bypassPermissions" }])).toBe("default");
  expect(mode([{ scope: "project", trusted: true, defaultMode: "auto" }])).toBe("default");
  expect(mode([{ scope: "project", trusted: true, defaultMode: "plan" }])).toBe("plan");
  expect(mode([{ scope: "project", disableBypassPermissionsMode: "disable" }], "bypassPermissions")).toBe("default");
  expect(mode([], "manual")).toBe("default");
  expect(compileRules([{ scope: "user", defaultMode: "odd" }]).warnings).toMatchObject([{ code: "mode-unknown" }]);
});

test("when no rule decides, the mode decides", () => {
  const modes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"];
  const row = (tool: string, input: object, layer: Partial<RuleLayer> = {}) =>
    modes.map((mode) => decide([{ scope: "user", ...layer }], tool, input, { mode }));
  const command = (text: string, layer = {}) => row("Bash", { command: text }, layer);
  expect(row("Read", { file_path: "a" })).toEqual(["allow", "allow", "allow", "allow", "allow", "allow"]);
  expect(command("ls -l")).toEqual(["allow", "allow", "allow", "allow", "allow", "allow"]);
  expect(row("Read", { file_path: "/x/a" })).toEqual(["ask", "ask", "ask", "deny", "allow", "ask"]);
  expect(row("Write", { file_path: "a" })).toEqual(["ask", "allow", "deny", "deny", "allow", "ask"]);
  expect(row("Write", { file_path: "a" }, { allow: ["Write"] })).toEqual([
    "allow",
    "allow",
    "deny",
    "allow",
    "allow",
    "allow",
  ]);
  expect(command("echo x > a")).toEqual(["ask", "allow", "ask", "deny", "allow", "ask"]);
  expect(command("mkdir -p a/b")).toEqual(["ask", "allow", "ask", "deny", "allow", "ask"]);
  expect(command("cp a b")).toEqual(["ask", "allow", "ask", "deny", "allow", "ask"]);
  expect(row("Write", { file_path: "/x/a" })).toEqual(["ask", "ask", "deny", "deny", "allow", "ask"]);
  for (const text of ["echo x > /x/a", "mv a /x/b", "touch $x", "cp -r a b", "npm x"])
    expect(command(text)).toEqual(["ask", "ask", "ask", "deny", "allow", "ask"]);
  expect(row("WebFetch", { url: "https://a.io" })).toEqual(["ask", "ask", "ask", "deny", "allow", "ask"]);
  expect(row("mcp__a__b", {})).toEqual(["ask", "ask", "ask", "deny", "allow", "ask"]);
  expect(row("Write", { file_path: ".git/config" })).toEqual(["ask", "ask", "deny", "deny", "allow", "ask"]);
  expect(command("npm x", { ask: ["Bash(npm *)"] })).toEqual(["ask", "ask", "ask", "deny", "ask", "ask"]);
  expect(command("rm -rf /")).toEqual(["ask", "ask", "ask", "deny", "ask", "ask"]);
  expect(command('echo "x')).toEqual(["ask", "ask", "ask", "deny", "allow", "ask"]);
  expect(command('echo "x', { deny: ["Bash(rm *)"] })).toEqual(["ask", "ask", "ask", "deny", "ask", "ask"]);
});

test("what acceptEdits lets pass cannot plant configuration or follow a folder that moves", () => {
  const accept = (command: string) => bash([], command, { mode: "acceptEdits" });
  expect(
    [
      "cp x/.npmrc .",
      "cp -r x .",
      "cp x .git/hooks/y",
      "mv x/settings.json .claude",
      "mkdir .claude",
      "touch .git/x",
      "cp x ../y",
    ].map(accept),
  ).toEqual(Array(7).fill("ask"));
});

test("without a user every question becomes a denial that names the question", () => {
  const judged = judge({ tool: "Bash", input: { command: "npm x" } }, compileRules([]), {
    ...context,
    attended: false,
  });
  expect(judged).toMatchObject({
    decision: "deny",
    wouldAsk: true,
    by: "unattended",
    reason: "no user to ask: no rule",
  });
  expect(bash([], "ls", { attended: false })).toBe("allow");
});

test("the judged input is a frozen copy", () => {
  const input = { command: "ls", deep: { list: [1] } };
  const { input: judged } = judge({ tool: "Bash", input }, compileRules([]), context);
  input.command = "rm x";
  input.deep.list.push(2);
  expect(judged).toEqual({ command: "ls", deep: { list: [1] } });
  expect(Object.isFrozen(judged) && Object.isFrozen(judged["deep"])).toBe(true);
});

test("an input that holds itself is copied once", () => {
  const input: Record<string, unknown> = { command: "ls" };
  for (const name of ["a", "b", "c"]) input[name] = [input, input];
  const { input: judged, decision } = judge({ tool: "Bash", input }, compileRules([]), context);
  expect([decision, judged["command"], (judged["a"] as unknown[])[0] === judged]).toEqual(["allow", "ls", true]);
});

test("added directories count as inside, a tilde is home", () => {
  const layers: RuleLayer[] = [{ scope: "user", additionalDirectories: ["~/notes", "/more", 5] }];
  expect(
    ["/home/u/notes/a", "/more/b", "/home/u/a", "/mores/b"].map((path) => decide(layers, "Read", { file_path: path })),
  ).toEqual(["allow", "allow", "ask", "ask"]);
});

test("another shell gets exact allow rules only", () => {
  const layers: RuleLayer[] = [
    { scope: "user", allow: ["Bash(git log)", "Bash(git *)", "Bash"], deny: ["Bash(rm *)"] },
  ];
  expect(["git log", "git status", "ls", "x; rm y"].map((command) => bash(layers, command, { shell: "zsh" }))).toEqual([
    "allow",
    "ask",
    "ask",
    "deny",
  ]);
});
