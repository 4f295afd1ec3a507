import { describe, expect, test } from "vitest";
import type { Verdict } from "../protocol/internal.ts";
import { combine } from "./combine.ts";
import { judge } from "./judge/judge.ts";
import { resolveInside } from "./paths/path-fs.ts";
import { compileRules } from "./policy.ts";
import type { RuleLayer } from "./rule-layer.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };
const verdicts: Verdict[] = [
  { kind: "deny", reason: "no" },
  { kind: "defer" },
  { kind: "ask", reason: "well?" },
  { kind: "allow" },
  { kind: "none" },
];

function row(command: string, rules: Partial<RuleLayer>, more: object = {}): string[] {
  const judgement = judge({ tool: "Bash", input: { command } }, compileRules([{ scope: "user", ...rules }]), {
    ...context,
    ...more,
  });
  return verdicts.map((verdict) => combine(verdict, judgement).decision);
}

test("a hook's deny, defer or ask counts before an allow of rules; its allow counts only where no rule denies or asks", () => {
  expect(row("npm x", { deny: ["Bash(npm *)"] })).toEqual(["deny", "deny", "deny", "deny", "deny"]);
  expect(row("npm x", { ask: ["Bash(npm *)"] })).toEqual(["deny", "defer", "ask", "ask", "ask"]);
  expect(row("echo x > .git/config", {})).toEqual(["deny", "defer", "ask", "ask", "ask"]);
  expect(row("rm -rf /", {})).toEqual(["deny", "defer", "ask", "ask", "ask"]);
  expect(row("npm x", { allow: ["Bash(npm *)"] })).toEqual(["deny", "defer", "ask", "allow", "allow"]);
  expect(row("npm x", {})).toEqual(["deny", "defer", "ask", "allow", "ask"]);
  expect(row("npm x", {}, { mode: "bypassPermissions" })).toEqual(["deny", "defer", "ask", "allow", "allow"]);
});

test("an ask rule on one part of a command keeps a hook's allow from allowing the command", () => {
  // One part no rule covers, another that an ask rule names: a hook's allow does not settle the second.
  expect(row("zzz; npm x", { ask: ["Bash(npm *)"] })).toEqual(["deny", "defer", "ask", "ask", "ask"]);
  expect(row("zzz; npm x", { ask: ["Bash(npm *)"] }, { mode: "dontAsk" })).toEqual([
    "deny",
    "defer",
    "deny",
    "deny",
    "deny",
  ]);
});

test("where the call cannot be analyzed and a deny or ask rule names the tool, a hook's allow stays ask", () => {
  expect(row('echo "x', { deny: ["Bash(rm *)"] })).toEqual(["deny", "defer", "ask", "ask", "ask"]);
  expect(row('echo "x', {})).toEqual(["deny", "defer", "ask", "allow", "ask"]);
  expect(row("$x y", { deny: ["Bash(rm *)"] })).toEqual(["deny", "defer", "ask", "ask", "ask"]);
});

test("without a user a question is a denial, also one of a hook", () => {
  expect(row("npm x", { allow: ["Bash(npm *)"] }, { attended: false })).toEqual([
    "deny",
    "defer",
    "deny",
    "allow",
    "allow",
  ]);
  expect(row("npm x", {}, { attended: false })).toEqual(["deny", "defer", "deny", "allow", "deny"]);
});

test("all reasons are kept, the deciding one first", () => {
  const judgement = judge(
    { tool: "Bash", input: { command: "npm x" } },
    compileRules([{ scope: "user", deny: ["Bash(npm *)"] }]),
    context,
  );
  expect(combine({ kind: "allow", reason: "looks fine" }, judgement)).toEqual({
    decision: "deny",
    reason: "Bash(npm *) denies it",
    reasons: ["Bash(npm *) denies it", "looks fine"],
    by: "rules",
    wouldAsk: false,
  });
});

test("an outcome is combined like its verdict", () => {
  const judgement = judge({ tool: "Bash", input: { command: "ls" } }, compileRules([]), context);
  expect(combine({ decision: "deny", reason: "no", blocked: true }, judgement)).toEqual(
    combine({ kind: "deny", reason: "no" }, judgement),
  );
  expect(combine({ decision: "allow" }, judgement)).toEqual(combine({ kind: "allow" }, judgement));
  expect(combine({ decision: "none" }, judgement)).toEqual(combine({ kind: "none" }, judgement));
  expect(combine({ decision: "ask" }, judgement).decision).toBe("ask");
  expect(combine({ decision: "none", blocked: true }, judgement).decision).toBe("deny");
});

describe("a rewritten input", () => {
  const policy = compileRules([{ scope: "user", allow: ["Bash"] }]);
  const rewritten = { command: "rm -rf x", options: { quiet: true } };
  const of = (input: object, more: object = {}) => judge({ tool: "Bash", input }, policy, { ...context, ...more });
  const reason = "a hook rewrote the input, and another input was judged; judge the rewritten one";

  test("is not allowed by the judgment of another input", () => {
    const other = of({ command: "ls x", options: { quiet: true } });
    expect(combine({ decision: "allow", updatedInput: rewritten }, other)).toEqual({
      decision: "ask",
      reason,
      reasons: [reason, "a hook allowed it", "Bash covers it"],
      by: "rules",
      wouldAsk: false,
    });
    expect(combine({ decision: "none", updatedInput: rewritten }, other).decision).toBe("ask");
    expect(combine({ decision: "ask", reason: "well?", updatedInput: rewritten }, other).reason).toBe(reason);
    expect(combine({ kind: "allow", input: rewritten }, other).decision).toBe("ask");
  });

  test("is allowed by its own judgment", () => {
    const copy = structuredClone(rewritten);
    expect(combine({ decision: "allow", updatedInput: copy }, of(rewritten)).decision).toBe("allow");
  });

  test("is allowed by its own judgment when it holds values that JSON cannot", () => {
    class Input {
      command = "rm -rf x";
    }
    const inputs = [
      new Input(),
      Object.assign(Object.create(null), rewritten),
      ...[new Date(0), new Map([[1, 2]]), Buffer.from("x"), () => undefined].map((more) => ({ ...rewritten, more })),
    ];
    for (const updatedInput of inputs)
      expect(combine({ decision: "allow", updatedInput }, of(updatedInput)).decision).toBe("allow");
  });

  test("is not allowed by another judgment when only one of its two names has a value", () => {
    const other = of({ command: "ls" });
    const verdict = { kind: "allow", input: rewritten, updatedInput: undefined } as const;
    expect(combine(verdict, other).decision).toBe("ask");
    expect(combine({ decision: "allow", updatedInput: "ls" } as never, other).decision).toBe("ask");
  });

  test("is denied with another judgment where there is no user to ask, and where a hook denies", () => {
    const unattended = of({ command: "ls" }, { attended: false });
    expect(combine({ decision: "none", updatedInput: rewritten }, unattended)).toMatchObject({
      decision: "deny",
      reason: `no user to ask: ${reason}`,
    });
    const denied = combine({ decision: "deny", reason: "no", updatedInput: rewritten }, of({ command: "ls" }));
    expect(denied).toMatchObject({ decision: "deny", reason: "no" });
  });
});

test("a decision word that does not exist asks", () => {
  const judgement = judge({ tool: "Bash", input: { command: "make" } }, compileRules([]), context);
  for (const outcome of [{ kind: "block" }, { decision: "DENY" }]) {
    expect(combine(outcome as never, judgement).decision).toBe("ask");
  }
});

describe("a wrong call without types", () => {
  const policy = compileRules([]);
  const place = { cwd: "/home/ana/app", projectRoot: "/home/ana/app", home: "/home/ana" };
  const badCall = expect.objectContaining({ code: "permissions/bad-call" });
  const call = { tool: "Write", input: { file_path: "/etc/passwd" } };

  test.each([[{ decision: "deny", reason: "no" }], [Promise.resolve(judge(call, policy, place))], [undefined]])(
    "combine refuses a judgement that judge did not make: %o",
    (judgement) => {
      expect(() => combine({ kind: "allow" }, judgement as never)).toThrow(badCall);
    },
  );

  test("combine refuses to go without an outcome or a verdict", () => {
    expect(() => combine(undefined as never, judge(call, policy, place))).toThrow(badCall);
  });

  test.each(["cwd", "projectRoot", "home"])("judge refuses a context whose %s is missing or relative", (name) => {
    for (const folder of [undefined, "", ".", "app", 5]) {
      const context = { ...place, mode: "acceptEdits", [name]: folder };
      expect(() => judge(call, policy, context as never)).toThrow(
        new RegExp(`${name} (is missing in its context; it|of its context) must be an absolute path`),
      );
    }
  });

  test.each([{ cwd: "." }, { cwd: "" }, {}, undefined])("resolveInside refuses the context %o", (context) => {
    expect(() => resolveInside("/etc/passwd", ["."], context as never)).toThrow(badCall);
  });

  test("compileRules names a missing scope", () => {
    expect(() => compileRules([{ deny: ["Bash"] }] as never)).toThrow("layer 0 has no scope; give it one of managed,");
  });

  test("judge and compileRules name an argument that is missing", () => {
    expect(() => judge(call, [{ scope: "user" }] as never, place)).toThrow(badCall);
    expect(() => judge(undefined as never, policy, place)).toThrow(badCall);
    expect(() => judge(call, policy, undefined as never)).toThrow(badCall);
    expect(() => compileRules({ scope: "user", deny: ["Bash"] } as never)).toThrow(badCall);
  });
});
