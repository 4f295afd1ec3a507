import { expect, test } from "vitest";
import { isInvalid, parseRule } from "./rule.ts";
import { readRule } from "./rule-meaning.ts";

test("a rule is a tool, or a tool and a spec from the first bracket to the last", () => {
  expect(parseRule("  Bash(git *)  ")).toEqual({ text: "Bash(git *)", tool: "Bash", spec: "git *" });
  expect(parseRule("Bash")).toEqual({ text: "Bash", tool: "Bash" });
  expect(parseRule("Bash()")).toEqual({ text: "Bash()", tool: "Bash" });
  expect(parseRule("Bash(*)")).toEqual({ text: "Bash(*)", tool: "Bash" });
  expect(parseRule("Bash(echo (a) b)")).toEqual({ text: "Bash(echo (a) b)", tool: "Bash", spec: "echo (a) b" });
  expect(parseRule("mcp__srv__get_*")).toEqual({ text: "mcp__srv__get_*", tool: "mcp__srv__get_*" });
});

test("a text that is not a rule is refused with a reason", () => {
  const faults = [
    "",
    "   ",
    "Bash(",
    "Bash(x",
    "Bash(x)y",
    "Bash(x\\)",
    "(x)",
    "Bash|Write",
    "Bash Write",
    "Bash(a\nb)",
    "Bash(\u0000)",
    `Bash(${"x".repeat(4_100)})`,
    5,
    null,
  ];
  for (const text of faults) expect(isInvalid(parseRule(text)), JSON.stringify(text)).toBe(true);
});

test("the tool of a broken rule is still read where it can be", () => {
  expect(parseRule("Bash(x")).toMatchObject({ invalid: expect.any(String), tool: "Bash" });
  expect(parseRule("Bash Write")).toMatchObject({ tool: "Bash" });
  expect(parseRule("(x)")).not.toHaveProperty("tool");
});

test("an allow rule may be wide only behind a literal mcp__server__", () => {
  const allow = (text: string) => {
    const rule = readRule(text, "allow");
    return isInvalid(rule) ? (rule.tooWide ? "too wide" : "invalid") : "fine";
  };
  expect(["*", "mcp__*", "mcp__*__x", "Ba*", "mcp__srv*"].map(allow)).toEqual(Array(5).fill("too wide"));
  expect(["mcp__srv__*", "mcp__srv__get_*", "mcp__srv", "Bash"].map(allow)).toEqual(Array(4).fill("fine"));
  expect(["Agent(*x)", "PowerShell(ls *)"].map(allow)).toEqual(["too wide", "too wide"]);
});

test("a parameter can be denied or asked about, not allowed", () => {
  const meaning = (text: string, list: "allow" | "deny") => {
    const rule = readRule(text, list);
    return isInvalid(rule) ? rule : rule.meaning;
  };
  expect(meaning("Deploy(env:prod)", "deny")).toMatchObject({ target: { kind: "field", field: "env" } });
  expect(meaning("Deploy(env:prod)", "allow")).toHaveProperty("invalid");
  expect(meaning("Bash(command:rm)", "deny")).toHaveProperty("invalid");
  expect(meaning("Bash(run_in_background:true)", "deny")).toMatchObject({ target: { kind: "field" } });
  expect(meaning("Bash(timeout:*)", "deny")).toMatchObject({ target: { kind: "command" } });
  expect(meaning("Bash(npm run test:unit)", "allow")).toMatchObject({ target: { kind: "command" } });
  expect(meaning("Deploy(whatever)", "deny")).toMatchObject({ target: { kind: "all" } });
  expect(meaning("Deploy(whatever)", "allow")).toHaveProperty("invalid");
  expect(meaning("Agent(plugin:reviewer)", "allow")).toMatchObject({ target: { kind: "agent" } });
});
