import { expect, test } from "vitest";
import { compileRules } from "../policy.ts";
import { judge } from "./judge.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };

test("a judgement has one line per part, and the strictest part decides", () => {
  const policy = compileRules([{ scope: "user", file: "~/.claude/settings.json", allow: ["Bash(git *)"] }]);
  const judgement = judge({ tool: "Bash", input: { command: "git log > notes.txt && npm test" } }, policy, context);
  expect(judgement.decision).toBe("ask");
  expect(judgement.parts.map(({ kind, text, decision }) => [kind, text, decision])).toEqual([
    ["command", "git log", "allow"],
    ["write", "> notes.txt", "ask"],
    ["command", "npm test", "ask"],
  ]);
});

test("a program in a folder that is not known is met by its name; one that a glob names is asked about", () => {
  const policy = compileRules([
    { scope: "user", file: "~/.claude/settings.json", allow: ["Bash"], deny: ["Bash(rm *)"] },
  ]);
  const decide = (command: string) => judge({ tool: "Bash", input: { command } }, policy, context).decision;
  expect(["/bin/r* x", "/bin/?m x", "/bin/$X x", '"$DIR"/rm x'].map(decide)).toEqual(["ask", "ask", "ask", "deny"]);
});
