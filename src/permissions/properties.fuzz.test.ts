import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../test/size.ts";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import type { Mode, RuleLayer } from "./rule-layer.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };
const runs = sized(400, 4_000);

const strength = { allow: 0, ask: 1, deny: 2 };

const rule = fc.constantFrom(
  "Bash",
  "Bash(git *)",
  "Bash(rm *)",
  "Bash(* x)",
  "Bash(git push)",
  "Read(.env)",
  "Edit(./src/**)",
  "Write(*.ts)",
  "Edit",
  "Read(//etc/**)",
  "Bash(x",
  "*",
);
const rules = fc.array(rule, { maxLength: 3 });
const word = fc.constantFrom(
  "git",
  "rm",
  "ls",
  "cat",
  "x",
  "push",
  "$x",
  '"$y"',
  "*",
  "'a b'",
  ".env",
  "src/a.ts",
  "/etc/x",
  "~",
  "$(rm x)",
  "`git x`",
  "$'a'",
  "a=1",
  "> f",
  "> src/a.ts",
  "2>&1",
);
const operator = fc.constantFrom(" ", " ", " ", " ; ", " && ", " | ", "\n", " || ", " & ");
const command = fc
  .array(fc.tuple(word, operator), { minLength: 1, maxLength: 6 })
  .map((pairs) => pairs.flat().join(""));
const call = fc.oneof(
  command.map((text) => ({ tool: "Bash", input: { command: text } as unknown })),
  fc
    .constantFrom("a", ".env", "src/a.ts", "../x", "/etc/x", ".git/config")
    .chain((path) =>
      fc.constantFrom("Read", "Write", "Edit").map((tool) => ({ tool, input: { file_path: path } as unknown })),
    ),
);

function decide(
  one: { tool: string; input: unknown },
  layer: Partial<RuleLayer>,
  mode: Mode = "default",
): "allow" | "ask" | "deny" {
  return judge(one, compileRules([{ scope: "user", ...layer }]), { ...context, mode }).decision;
}

test("whatever the input, judging ends with a decision and a reason", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("Bash", "Read", "Write", "Glob", "WebFetch", "Agent", "Skill", "mcp__a__b", "Other"),
      fc.anything(),
      rules,
      (tool, input, list) => {
        const judgement = judge({ tool, input }, compileRules([{ scope: "user", allow: list, deny: list }]), context);
        return ["allow", "ask", "deny"].includes(judgement.decision) && judgement.reason !== "";
      },
    ),
    { numRuns: runs },
  );
  fc.assert(
    fc.property(
      fc.string(),
      (text) =>
        decide({ tool: "Bash", input: { command: text } }, { allow: ["Bash"], deny: ["Bash(rm *)"] }) in strength,
    ),
    { numRuns: runs },
  );
});

test("a further deny or ask rule never makes an answer milder", () => {
  fc.assert(
    fc.property(
      call,
      rules,
      rules,
      rules,
      rule,
      fc.constantFrom("default", "acceptEdits", "bypassPermissions", "plan"),
      (one, allow, ask, deny, more, mode) => {
        const before = strength[decide(one, { allow, ask, deny }, mode)];
        return (
          strength[decide(one, { allow, ask, deny: [...deny, more] }, mode)] >= before &&
          strength[decide(one, { allow, ask: [...ask, more], deny }, mode)] >= before
        );
      },
    ),
    { numRuns: runs },
  );
});

test("a further allow rule never makes an answer stricter", () => {
  fc.assert(
    fc.property(
      call,
      rules,
      rules,
      rule,
      (one, allow, deny, more) =>
        strength[decide(one, { allow: [...allow, more], deny })] <= strength[decide(one, { allow, deny })],
    ),
    { numRuns: runs },
  );
});

test("a command that no rule covers is not allowed by the text before or after it", () => {
  fc.assert(
    fc.property(command, fc.constantFrom(" ; ", " && ", " || ", " | ", "\n", " & "), (text, joint) => {
      const allow = ["Bash(git *)", "Bash(rm *)", "Bash(x *)", "Edit"];
      return (
        decide({ tool: "Bash", input: { command: `${text}${joint}zzz a` } }, { allow }) !== "allow" &&
        decide({ tool: "Bash", input: { command: `zzz a${joint}${text}` } }, { allow }) !== "allow"
      );
    }),
    { numRuns: runs },
  );
});

test("no bare Bash, no hook, no mode but bypass allows what cannot be analyzed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."ab $(){}[]'\"`\\;&|<>\n#!*?~="), maxLength: 24 }),
      fc.constantFrom("default", "acceptEdits", "plan", "dontAsk"),
      (text, mode) => {
        const judgement = judge(
          { tool: "Bash", input: { command: text } },
          compileRules([{ scope: "user", allow: ["Bash", "Edit", "Read"] }]),
          { ...context, mode },
        );
        return judgement.complete || judgement.decision !== "allow";
      },
    ),
    { numRuns: runs },
  );
});

let base = "";

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookline-properties-")));
  mkdirSync(join(base, "proj/src/a/b"), { recursive: true });
  mkdirSync(join(base, "out/a"), { recursive: true });
  writeFileSync(join(base, "proj/src/f"), "");
  for (const [name, target] of [
    ["src/up", ".."],
    ["src/out", "../../out"],
    ["src/a/back", "../.."],
    ["in", "src"],
    ["src/self", "self"],
    ["src/abs", join(base, "out")],
  ]) {
    symlinkSync(target ?? "", join(base, "proj", name ?? ""));
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("a path that a pattern allows is really where the pattern says, whatever links and dots are on the way", () => {
  const segment = fc.constantFrom("src", "a", "b", "..", ".", "up", "out", "back", "in", "self", "abs", "f", "new", "");
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
      const path = segments.join("/") || ".";
      const proj = join(base, "proj");
      const { decision, paths } = judge(
        { tool: "Write", input: { file_path: path } },
        compileRules([{ scope: "user", allow: ["Edit(./src/**)"] }]),
        { cwd: proj, home: join(base, "home"), projectRoot: proj, mode: "dontAsk" },
      );
      if (decision !== "allow") return true;
      return realOf(join(proj), path).startsWith(`${join(proj, "src")}/`) && paths[0]?.resolved === realOf(proj, path);
    }),
    { numRuns: runs },
  );
  expect(
    judge(
      { tool: "Write", input: { file_path: "src/new/x" } },
      compileRules([{ scope: "user", allow: ["Edit(./src/**)"] }]),
      { cwd: join(base, "proj"), home: base, projectRoot: base },
    ).decision,
  ).toBe("allow");
});

/** The kernel's answer: the real path of the longest part that exists, and the rest. */
function realOf(cwd: string, path: string): string {
  const segments = (path.startsWith("/") ? path : `${cwd}/${path}`)
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
  for (let count = segments.length; count > 0; count--) {
    try {
      const real = realpathSync(`/${segments.slice(0, count).join("/")}`);
      return join(real, ...segments.slice(count));
    } catch {
      // Not there: one segment less.
    }
  }
  return "/";
}
