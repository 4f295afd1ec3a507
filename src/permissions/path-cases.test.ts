import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import type { Judgement } from "./judge/judgement.ts";
import { resolveInside } from "./paths/path-fs.ts";
import { compileRules } from "./policy.ts";
import type { Mode, RuleLayer } from "./rule-layer.ts";

let base = "";
let proj = "";
let home = "";

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookline-paths-")));
  [proj, home] = [join(base, "proj"), join(base, "home")];
  for (const folder of ["proj/src/sub", "proj-evil", "home", "outside", "proj/secrets"])
    mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(proj, ".env"), "");
  writeFileSync(join(proj, "src/a.ts"), "");
  symlinkSync("../.env", join(proj, "src/env-link"));
  symlinkSync("/etc", join(proj, "src/l"));
  symlinkSync(join(base, "outside"), join(proj, "src/new"));
  symlinkSync(join(base, "outside/not-there"), join(proj, "src/dangling"));
  symlinkSync("src", join(proj, "srclink"));
  symlinkSync("loop", join(proj, "src/loop"));
  symlinkSync(join(proj, ".claude"), join(proj, "config"));
  execFileSync("mkfifo", [join(proj, "src/fifo")]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

type Rules = Pick<RuleLayer, "allow" | "ask" | "deny">;

function check(tool: string, input: unknown, rules: Rules, more: object = {}): Judgement {
  const context = { cwd: proj, home, projectRoot: proj, ...more };
  return judge({ tool, input }, compileRules([{ scope: "user", ...rules }]), context);
}

const read = (file_path: string, rules: Rules, more = {}) => check("Read", { file_path }, rules, more).decision;
const write = (file_path: string, rules: Rules, more = {}) => check("Write", { file_path }, rules, more).decision;

test("a path with dots is judged as the file that it leads to", () => {
  const rules = { allow: ["Read(./src/**)"], ask: ["Read(./.env)"] };
  const outside = [
    "src/../.env",
    "src//../.env",
    join(proj, "src/../.env"),
    "./src/./../.env",
    "src/sub/../../.env",
    "src/sub/../../.env/.",
    "src/l/../.env",
    "src/../src/../.env",
  ];
  expect(outside.filter((path) => read(path, rules, { mode: "dontAsk" }) === "allow")).toEqual([]);
  expect(
    [
      "src/a.ts",
      "src/./a.ts",
      "src/../src/a.ts",
      join(proj, "src/a.ts"),
      "src/sub/.",
      "./src/sub/../a.ts",
      "src/new-file",
    ].map((path) => read(path, rules)),
  ).toEqual(Array(7).fill("allow"));
  expect(["~", "~/x", "src/../../outside/x", "/etc/passwd", ".."].map((path) => read(path, rules))).toEqual(
    Array(5).fill("ask"),
  );
});

test("deny and allow rules check a link and its target, also when the last name does not exist", () => {
  expect(read("src/env-link", { deny: ["Read(./.env)"] })).toBe("deny");
  expect(read("srclink/env-link", { deny: ["Read(./.env)"] })).toBe("deny");
  expect(read("src/env-link", { deny: ["Read(./src/env-link)"] })).toBe("deny");
  expect(write("src/env-link", { deny: ["Read(./.env)"], allow: ["Edit"] })).toBe("deny");
  const rules = { allow: ["Read(src/**)", "Edit(src/**)"] };
  expect(
    ["src/l/passwd", "src/l", "src/new/x", "src/dangling", "src/loop", "src/loop/x"].map((path) => read(path, rules)),
  ).toEqual(Array(6).fill("ask"));
  expect(["src/new/x", "src/new/deep/x", "src/dangling", "src/l/x"].map((path) => write(path, rules))).toEqual(
    Array(4).fill("ask"),
  );
  expect(["src/new/x", "src/dangling", "src/l/x"].map((path) => write(path, {}, { mode: "acceptEdits" }))).toEqual(
    Array(3).fill("ask"),
  );
  // Deny looks at every name on the way, allow needs the first and the last.
  expect(
    read("srclink/a.ts", { allow: ["Read(./src/**)"] }, { projectRoot: "/none", cwd: proj, mode: "dontAsk" }),
  ).toBe("allow");
  expect(check("Bash", { command: "echo x > src/new/x" }, { allow: ["Bash(echo *)", "Edit(./src/**)"] }).decision).toBe(
    "ask",
  );
  expect(
    check("Bash", { command: "cat src/env-link" }, { allow: ["Bash(cat *)"], deny: ["Read(./.env)"] }).decision,
  ).toBe("deny");
});

test("a sibling with the same beginning is outside", () => {
  expect(check("Read", { file_path: join(base, "proj-evil/x") }, {}).paths).toEqual([
    {
      given: join(base, "proj-evil/x"),
      resolved: join(base, "proj-evil/x"),
      links: [],
      inside: false,
      protected: false,
      special: false,
    },
  ]);
  expect(read(join(base, "proj-evil/x"), {})).toBe("ask");
  expect(read(join(base, "proj-evil/x"), { allow: [`Read(//${proj.slice(1)}/**)`] })).toBe("ask");
  expect(() => resolveInside("../proj-evil/x", [proj], { cwd: proj })).toThrow(/not inside/);
  expect(resolveInside("src/../a", [proj], { cwd: proj })).toBe(join(proj, "a"));
  expect(() => resolveInside("src/l/passwd", [proj], { cwd: proj })).toThrow(
    expect.objectContaining({ code: "path/outside" }),
  );
  expect(() => resolveInside("src/loop", [proj], { cwd: proj })).toThrow(/cannot be followed/);
  expect(() => resolveInside("", [proj], { cwd: proj })).toThrow(/empty/);
});

test("special files are asked about, and an input that cannot be a path is denied", () => {
  const all = { allow: ["Read(//**)", "Read", "Edit(//**)"] };
  expect(
    ["/proc/self/environ", "/dev/tcp/evil/80", "/dev/zero", "/sys/kernel", "src/fifo"].map((path) => read(path, all)),
  ).toEqual(Array(5).fill("ask"));
  expect(read("src", { allow: ["Read(./src/**)"] })).toBe("allow");
  expect([`${"a/".repeat(2_500)}x`, "a\0b", ""].map((path) => read(path, all, { mode: "bypassPermissions" }))).toEqual([
    "deny",
    "deny",
    "deny",
  ]);
  expect([5, null, {}, ["x"]].map((file_path) => check("Read", { file_path }, all).decision)).toEqual(
    Array(4).fill("deny"),
  );
  expect(check("Write", {}, all).decision).toBe("deny");
  expect(check("Grep", { pattern: "x" }, {}).decision).toBe("allow");
  expect(check("Glob", { pattern: "/etc/**" }, {}).decision).toBe("ask");
  expect(check("Glob", { pattern: "../**" }, {}).decision).toBe("ask");
  expect(check("Glob", { pattern: "**/*.ts" }, {}).decision).toBe("allow");
});

test("own configuration is protected, also where it does not exist yet", () => {
  const rules = { allow: ["Edit", "Write", "Bash", "Edit(//**)", "Write(//**)"] };
  const pins = join(home, "state/pins.json");
  const files = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/x.sh",
    ".claude",
    "config/settings.json",
    ".CLAUDE/settings.json",
    ".claude/../.claude/settings.json",
    "src/../.claude/settings.json",
    ".git/config",
    ".git/hooks/pre-commit",
    "packages/a/.git/config",
    ".mcp.json",
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".npmrc",
    ".envrc",
    ".pre-commit-config.yaml",
    join(home, ".bashrc"),
    join(home, ".claude.json"),
    join(home, ".config/git/config"),
    pins,
    "hooks/guard.mjs",
  ];
  const context = { ownFiles: [pins], protectedFiles: [join(proj, "hooks/guard.mjs")] };
  for (const mode of ["default", "acceptEdits"]) {
    const decisions = files.flatMap((file) => [
      write(file, rules, { ...context, mode }),
      check("Edit", { file_path: file }, rules, { ...context, mode }).decision,
      check("Bash", { command: `echo x > ${file}` }, rules, { ...context, mode }).decision,
      check("Bash", { command: `tee ${file}` }, rules, { ...context, mode }).decision,
      check("Bash", { command: `cp a ${file}` }, rules, { ...context, mode }).decision,
    ]);
    expect(decisions).toEqual(decisions.map(() => "ask"));
  }
  expect(write(".claude/settings.json", rules, { mode: "plan" })).toBe("deny");
  expect(write(".claude/settings.json", rules, { mode: "bypassPermissions" })).toBe("allow");
  expect(write(pins, rules, { ...context, mode: "bypassPermissions" })).toBe("ask");
  expect(write(".claude/worktrees/a/src/x.ts", rules)).toBe("allow");
  expect(write(".claude/worktrees/a/.git/config", rules)).toBe("ask");
  expect(read(".claude/settings.json", {})).toBe("allow");
});

test("deny rules match names and folders at any depth, allow rules match folders from the working directory, and / means the rule's source", () => {
  expect(read("deep/down/.env", { deny: ["Read(.env)"] })).toBe("deny");
  expect(read("deep/secrets/x", { deny: ["Read(secrets/**)"] })).toBe("deny");
  expect(write("deep/src/x", { allow: ["Edit(src/**)"] })).toBe("ask");
  expect(write("src/x", { allow: ["Edit(src/**)"] })).toBe("allow");
  expect(write("src/x", { allow: ["Edit(src)"] })).toBe("allow");
  expect(write("deep/x.ts", { allow: ["Write(*.ts)"] })).toBe("allow");
  expect(check("Edit", { file_path: "deep/x.ts" }, { allow: ["Write(*.ts)"] }).decision).toBe("ask");
  expect(write(join(base, "outside/x.ts"), { allow: ["Write(*.ts)"] })).toBe("ask");
  expect(check("LS", { path: "secrets" }, { deny: ["Read(secrets/**)"] }).decision).toBe("deny");
  expect(read("secrets/x", { deny: ["Read(!x)"] })).toBe("ask");
  const layered = (scope: RuleLayer["scope"], rule: string, file?: string) =>
    judge(
      { tool: "Write", input: { file_path: join(proj, "x") } },
      compileRules([{ scope, allow: [rule], trusted: true, ...(file ? { file } : {}) }]),
      {
        cwd: join(proj, "src"),
        home,
        projectRoot: proj,
      },
    ).decision;
  expect(layered("project", "Write(/x)")).toBe("allow");
  expect(layered("managed", "Write(/x)")).toBe("allow");
  expect(layered("user", "Write(/x)")).toBe("ask");
  expect(layered("flags", "Write(/x)")).toBe("ask");
  expect(layered("settings", "Write(/x)", join(proj, "extra.json"))).toBe("allow");
  expect(layered("user", `Write(//${proj.slice(1)}/x)`)).toBe("allow");
});

test("`./name` and `./folder/**` hold at any depth in deny and ask, and in the working directory alone in allow", () => {
  const nested = [
    ["deep/.env", "Read(./.env)"],
    ["deep/secrets/x", "Read(./secrets/**)"],
    ["deep/secrets/x", "Read(./secrets)"],
    ["deep/secrets/x", "Read(./secrets/)"],
    ["deep/a.key", "Read(./*.key)"],
  ] as const;
  expect(nested.map(([path, rule]) => read(path, { deny: [rule] }))).toEqual(Array(5).fill("deny"));
  expect(nested.map(([path, rule]) => read(path, { ask: [rule] }))).toEqual(Array(5).fill("ask"));
  expect(nested.map(([path, rule]) => write(path, { allow: [rule.replace("Read", "Edit")] }))).toEqual(
    Array(5).fill("ask"),
  );
  // Longer paths are anchored, as in Claude Code.
  expect(["Read(./secrets/x)", "Read(./secrets/*)"].map((rule) => read("deep/secrets/x", { deny: [rule] }))).toEqual([
    "allow",
    "allow",
  ]);
});

test("a session that has moved to another folder loses no deny or ask rule, and its allow rules count from there", () => {
  const moved = { cwd: join(proj, "src") };
  const rules = ["Read(./.env)", "Read(.env)", "Read(/.env)", "Read(./secrets/x)", "Read(secrets/**)", "Read(**/x)"];
  const path = (rule: string) => join(proj, rule.includes("env") ? ".env" : "secrets/x");
  for (const scope of ["project", "flags", "session"] as const) {
    const decide = (rule: string, list: "deny" | "ask") => {
      const policy = compileRules([{ scope, [list]: [rule], allow: ["Bash"], trusted: true }]);
      const context = { home, projectRoot: proj, ...moved };
      const shell = judge(
        { tool: "Bash", input: { command: `cat ../${path(rule).slice(proj.length + 1)}` } },
        policy,
        context,
      );
      return [judge({ tool: "Read", input: { file_path: path(rule) } }, policy, context).decision, shell.decision];
    };
    expect(rules.map((rule) => decide(rule, "deny"))).toEqual(rules.map(() => ["deny", "deny"]));
    expect(rules.map((rule) => decide(rule, "ask"))).toEqual(rules.map(() => ["ask", "ask"]));
  }
  expect(read(join(proj, "src/x"), { deny: ["Read(./x)"] }, moved)).toBe("deny");
  expect(write(join(proj, "src/x"), { allow: ["Edit(./x)"] }, moved)).toBe("allow");
  expect(write(join(proj, "x"), { allow: ["Edit(./x)"] }, moved)).toBe("ask");
});

test("a search through a folder is asked about where a rule restricts a file in it, and only there", () => {
  const folder = join(base, "search");
  for (const path of ["app/conf", "docs", "links", "keys"]) mkdirSync(join(folder, path), { recursive: true });
  for (const path of ["app/conf/.env", "docs/a.md", "keys/x"]) writeFileSync(join(folder, path), "x");
  symlinkSync("../app", join(folder, "links/app"));
  const search = (command: string, ...deny: string[]) => {
    const policy = compileRules([{ scope: "user", deny }]);
    return judge({ tool: "Bash", input: { command } }, policy, { cwd: folder, home, projectRoot: folder }).decision;
  };
  const rules = ["Read(.env)", "Read(./.env)", "Read(conf/**)", "Read(./conf/**)"];
  for (const command of ["grep -rn x app", "grep -rn x", "diff -r app docs", "grep -R x links"]) {
    expect(rules.map((rule) => [command, search(command, rule)])).toEqual(rules.map(() => [command, "ask"]));
  }
  for (const command of ["grep -rn x docs", "grep -n x docs/a.md", "ls -R app", "cat docs/a.md"]) {
    expect(rules.map((rule) => [command, search(command, rule)])).toEqual(rules.map(() => [command, "allow"]));
  }
  expect(search("grep -rn x docs", "Read(./keys/x)", "Read(~/.ssh/**)")).toBe("allow");
  expect(search("grep -rn x", "Read(./keys/x)")).toBe("ask");
  expect(search("grep -R x /home", "Read(~/.ssh/**)")).toBe("ask");
});

test("a deny rule ignores letter case, unless the volume is case-sensitive", () => {
  expect(read(".ENV", { deny: ["Read(./.env)"] }, { pathCase: "insensitive" })).toBe("deny");
  expect(read(".ENV", { deny: ["Read(./.env)"] }, { pathCase: "sensitive" })).toBe("allow");
  expect(read("caf\u0065\u0301", { deny: ["Read(./caf\u00e9)"] }, { pathCase: "insensitive" })).toBe("deny");
});

test("deny and ask rules hold in directories that were added, by the session or by settings, and in no others", () => {
  const added = join(base, "outside");
  const rules = ["Read(./.env)", "Read(.env)", "Read(**/.env)", "Read(./conf/**)", "Read(conf/.env)"];
  const decide = (rule: string, list: "deny" | "ask", folders: readonly string[], directories: readonly string[]) => {
    const policy = compileRules([
      { scope: "user", allow: ["Read", "Bash"], [list]: [rule], additionalDirectories: folders },
    ]);
    const context = { cwd: proj, home, projectRoot: proj, directories };
    const path = join(added, "conf/.env");
    const shell = judge({ tool: "Bash", input: { command: `cat ${path}` } }, policy, context);
    return [judge({ tool: "Read", input: { file_path: path } }, policy, context).decision, shell.decision];
  };
  for (const list of ["deny", "ask"] as const) {
    expect(rules.map((rule) => decide(rule, list, [], [added]))).toEqual(rules.map(() => [list, list]));
    expect(rules.map((rule) => decide(rule, list, [added], []))).toEqual(rules.map(() => [list, list]));
    expect(rules.map((rule) => decide(rule, list, [], []))).toEqual(rules.map(() => ["allow", "allow"]));
  }
  const grant = { allow: ["Edit(./x)"] };
  expect(write(join(added, "x"), grant, { directories: [added] })).toBe("ask");
});

test("a relative additional directory counts from the project, also after the session has moved to another folder", () => {
  const added = join(base, "outside");
  const layer = { scope: "user", additionalDirectories: ["../outside"], deny: ["Read(.env)"] } as const;
  const decide = (cwd: string, path: string, mode: Mode) =>
    judge({ tool: "Read", input: { file_path: path } }, compileRules([layer]), { cwd, home, projectRoot: proj, mode })
      .decision;
  for (const cwd of [proj, join(proj, "src")]) {
    expect(decide(cwd, join(added, "conf/.env"), "bypassPermissions")).toBe("deny");
    expect(decide(cwd, join(added, "notes.txt"), "default")).toBe("allow");
    expect(decide(cwd, join(base, "other/notes.txt"), "default")).toBe("ask");
  }
});

test("a deny or ask rule on /x of the project covers x of its worktrees, from any folder; an allow rule does not", () => {
  const tree = join(proj, ".claude/worktrees/one");
  const key = join(tree, "secrets/key");
  for (const cwd of [proj, tree, join(tree, "src")])
    for (const scope of ["project", "managed"] as const) {
      const place = { cwd, home, projectRoot: proj, mode: "bypassPermissions" } as const;
      const decide = (rules: Rules, tool: string, input: object) =>
        judge({ tool, input }, compileRules([{ scope, trusted: true, ...rules }]), place).decision;
      for (const list of ["deny", "ask"] as const) {
        const rules = { [list]: ["Read(/secrets/**)"] };
        expect(decide(rules, "Read", { file_path: key })).toBe(list);
        expect(decide({ ...rules, allow: ["Bash"] }, "Bash", { command: `cat ${key}` })).toBe(list);
        expect(decide(rules, "Read", { file_path: join(tree, "src/secrets/key") })).toBe("allow");
      }
    }
  const context = { cwd: tree, home, projectRoot: proj };
  const allow = compileRules([{ scope: "project", trusted: true, allow: ["Edit(/secrets/**)"] }]);
  expect(judge({ tool: "Write", input: { file_path: key, content: "" } }, allow, context).decision).toBe("ask");
});
