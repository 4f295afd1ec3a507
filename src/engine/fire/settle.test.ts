import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventName, RunRecord, Verdict } from "../../protocol/internal.ts";
import { eventOf, record } from "../fixtures/answers.ts";
import { settle, strongest } from "./settle.ts";

/** The arguments of `settle`: an event and the runs of its hooks. */
function settling(
  name: EventName,
  records: readonly RunRecord[],
  more: Parameters<typeof eventOf>[1] & { readonly chain?: string } = {},
): Parameters<typeof settle> {
  const { chain = null, ...fields } = more;
  const runs = records.map((record) => ({ record, chain, warnings: [] }));
  return [eventOf(name, { payload: {}, ...fields }), { runs, skipped: [], warnings: [] }];
}

const quiet = {
  decision: "none",
  blocked: false,
  continue: true,
  additionalContext: [],
  systemMessages: [],
  output: {},
  skipped: [],
  warnings: [],
} as const;

const none: Verdict = { kind: "none" };
const allow: Verdict = { kind: "allow" };
const ask: Verdict = { kind: "ask", reason: "sure?" };
const deny = (reason: string): Verdict => ({ kind: "deny", reason });

describe("verdicts", () => {
  test("deny beats allow, whichever answers first", () => {
    for (const runs of [
      [record("a", allow), record("b", deny("no network"))],
      [record("b", deny("no network")), record("a", allow)],
    ]) {
      expect(settle(...settling("PreToolUse", runs))).toEqual({
        ...quiet,
        event: "PreToolUse",
        decision: "deny",
        blocked: true,
        reason: "no network",
        runs,
      });
    }
  });

  test("of two denials the first configured gives the reason", () => {
    expect(settle(...settling("PreToolUse", [record("a", deny("one")), record("b", deny("two"))])).reason).toBe("one");
  });

  test("the strongest verdict does not depend on order, and combining is associative", () => {
    const verdict = fc.constantFrom<Verdict>(none, allow, ask, { kind: "defer" }, deny("x"));
    fc.assert(
      fc.property(fc.array(verdict), fc.array(verdict), (a, b) => {
        const all = strongest([...a, ...b]).kind;
        expect(strongest([...b, ...a]).kind).toBe(all);
        expect(strongest([strongest(a), strongest(b)]).kind).toBe(all);
      }),
    );
  });

  test("defer becomes ask where the host cannot defer", () => {
    const outcome = settle(
      ...settling("PreToolUse", [record("a", { kind: "defer" })], { options: { canDefer: false } }),
    );
    expect([outcome.decision, outcome.warnings.map(({ code }) => code)]).toEqual(["ask", ["defer-unsupported"]]);
    expect(outcome.reason).toBeTruthy();
  });

  test("on PostToolUse a denial is feedback, not a block", () => {
    const outcome = settle(...settling("PostToolUse", [record("a", deny("look again"))]));
    expect([outcome.decision, outcome.blocked, outcome.reason]).toEqual(["deny", false, "look again"]);
  });

  test("a hook cannot keep a policy from taking effect", () => {
    const blockedFor = (source: string) =>
      settle(...settling("ConfigChange", [record("a", deny("no"))], { payload: { source } })).blocked;
    expect([blockedFor("user_settings"), blockedFor("policy_settings")]).toEqual([true, false]);
  });
});

describe("rewritten input", () => {
  const to = (command: string) => ({ input: { command } });
  const onConflict = (decision: "ask" | "deny") => {
    const { settings } = eventOf("PreToolUse");
    return { settings: { ...settings, merged: { ...settings.merged, onConflict: decision } } };
  };

  test("the last configured of two rewrites wins, and both are named", () => {
    const outcome = settle(...settling("PreToolUse", [record("a", none, to("1")), record("b", none, to("2"))]));
    expect(outcome.updatedInput).toEqual({ command: "2" });
    expect(outcome.warnings.map(({ code, place }) => [code, place])).toEqual([["input-conflict", "a, b"]]);
  });

  test("a conflict may be a verdict by policy", () => {
    const runs = [record("a", allow, to("1")), record("b", allow, to("2"))];
    const asked = settle(...settling("PreToolUse", runs, onConflict("ask")));
    expect([asked.decision, asked.updatedInput]).toEqual(["ask", { command: "2" }]);
    const denied = settle(...settling("PreToolUse", runs, onConflict("deny")));
    expect([denied.decision, denied.blocked, denied.updatedInput]).toEqual(["deny", true, undefined]);
  });

  test("when ask wins, the rewrite of a hook that allowed is kept", () => {
    for (const runs of [
      [record("a", allow, to("1")), record("b", ask)],
      [record("b", ask), record("a", allow, to("1"))],
    ]) {
      const outcome = settle(...settling("PreToolUse", runs));
      expect([outcome.decision, outcome.updatedInput, outcome.warnings]).toEqual(["ask", { command: "1" }, []]);
    }
  });

  test("the last configured rewrite wins whatever the hooks decided, and each dropped one is named", () => {
    const runs = [record("a", allow, to("1")), record("b", ask, to("2")), record("c", none, to("3"))];
    const { updatedInput, warnings } = settle(...settling("PreToolUse", runs));
    expect(updatedInput).toEqual({ command: "3" });
    expect(warnings).toMatchObject([{ code: "input-conflict", place: "a, b, c" }]);
    expect(warnings[0]?.message).toContain(
      "Hooks a and b and c rewrote the input differently; the value from c is used.",
    );
  });

  test("a chain has one rewrite: its last", () => {
    const runs = [record("a", allow, to("1")), record("b", none, to("2"))];
    const outcome = settle(...settling("PreToolUse", runs, { chain: "g" }));
    expect([outcome.decision, outcome.updatedInput, outcome.warnings]).toEqual(["allow", { command: "2" }, []]);
  });

  test("what is denied or deferred has no input", () => {
    for (const verdict of [deny("no"), { kind: "defer" } as const]) {
      expect(settle(...settling("PreToolUse", [record("a", verdict, to("1"))])).updatedInput).toBeUndefined();
    }
  });
});

describe("continue: false", () => {
  const stop = { stop: { reason: "enough" } };

  test("does not stop the tool of PreToolUse, with a warning", () => {
    const outcome = settle(...settling("PreToolUse", [record("a", none, stop)]));
    expect([outcome.continue, outcome.stopReason, outcome.blocked]).toEqual([false, "enough", false]);
    expect(outcome.warnings.map(({ code }) => code)).toEqual(["stop-is-not-deny"]);
  });

  test("stops the turn next to a deny", () => {
    const outcome = settle(...settling("PreToolUse", [record("a", deny("no"), stop)]));
    expect([outcome.continue, outcome.stopReason, outcome.blocked]).toEqual([false, "enough", true]);
    expect(outcome.warnings).toEqual([]);
  });

  test("is dropped with a warning next to a question that no user can answer", () => {
    const unattended = settle(...settling("PreToolUse", [record("a", ask, stop)], { options: { interactive: false } }));
    expect(unattended.continue).toBe(true);
    expect(unattended.warnings.map(({ code }) => code)).toEqual(["continue-ignored"]);
    expect(settle(...settling("PreToolUse", [record("a", ask, stop)])).continue).toBe(false);
  });

  test("drops a prompt and ends a batch as a block", () => {
    for (const event of ["UserPromptSubmit", "UserPromptExpansion", "PostToolBatch"] as const) {
      const outcome = settle(...settling(event, [record("a", none, stop)]));
      expect([outcome.blocked, outcome.reason, outcome.continue, outcome.decision]).toEqual([
        true,
        "enough",
        false,
        "none",
      ]);
    }
  });

  test("has no effect on an event marked no stop", () => {
    const outcome = settle(...settling("SessionStart", [record("a", none, stop)]));
    expect([outcome.continue, outcome.warnings.map(({ code }) => code)]).toEqual([true, ["continue-ignored"]]);
  });

  test("wins over any block at the end of a turn", () => {
    const outcome = settle(...settling("Stop", [record("a", deny("go on")), record("b", none, stop)]));
    expect([outcome.blocked, outcome.continue, outcome.stopReason]).toEqual([false, false, "enough"]);
  });
});

describe("the end of a turn", () => {
  test("context alone makes the agent continue, without a decision", () => {
    const outcome = settle(
      ...settling("Stop", [record("a", none, { context: ["run the tests"] })], { stopBlocks: { count: 0, cap: 8 } }),
    );
    expect([outcome.blocked, outcome.decision, outcome.output]).toEqual([
      true,
      "none",
      { stopBlocks: { count: 1, cap: 8 } },
    ]);
    expect(outcome.reason).toBeTruthy();
  });

  test("after the cap the block is dropped with a warning", () => {
    const outcome = settle(...settling("Stop", [record("a", deny("again"))], { stopBlocks: { count: 8, cap: 8 } }));
    expect([outcome.blocked, outcome.decision, outcome.output.stopBlocks]).toEqual([
      false,
      "none",
      { count: 8, cap: 8 },
    ]);
    expect(outcome.warnings[0]).toMatchObject({ code: "stop-cap", message: expect.stringContaining("again") });
  });

  test("a cap of 0 is no limit", () => {
    expect(
      settle(...settling("Stop", [record("a", deny("again"))], { stopBlocks: { count: 99, cap: 0 } })).blocked,
    ).toBe(true);
  });
});

describe("event-specific answers", () => {
  test("lists are joined, flags are combined with OR, and a single value is that of the last configured hook, with a warning", () => {
    const outcome = settle(
      ...settling("SessionStart", [
        record("a", none, { output: { watchPaths: ["/x", "/y"], sessionTitle: "one", reloadSkills: false } }),
        record("b", none, { output: { watchPaths: ["/y", "/z"], sessionTitle: "two", reloadSkills: true } }),
      ]),
    );
    expect(outcome.output).toEqual({ watchPaths: ["/x", "/y", "/z"], sessionTitle: "two", reloadSkills: true });
    expect(outcome.warnings.map(({ code }) => code)).toEqual(["output-conflict"]);
  });

  test("PermissionRequest: any deny wins, and interrupt also stops", () => {
    const outcome = settle(
      ...settling("PermissionRequest", [
        record("a", allow, { output: { permission: { behavior: "allow" } } }),
        record("b", deny("never"), {
          stop: {},
          output: { permission: { behavior: "deny", message: "never", interrupt: true } },
        }),
      ]),
    );
    expect([outcome.decision, outcome.blocked, outcome.continue]).toEqual(["deny", true, false]);
    expect(outcome.output).toEqual({ permission: { behavior: "deny", message: "never", interrupt: true } });
  });

  test("an elicitation is declined before it is cancelled before it is accepted", () => {
    const answers = (["accept", "cancel"] as const).map((action) =>
      record(action, none, { output: { action, content: { a: 1 } } }),
    );
    expect(settle(...settling("Elicitation", answers)).output).toEqual({ action: "cancel" });
    expect(settle(...settling("Elicitation", [...answers, record("d", deny("no"))])).output).toEqual({
      action: "decline",
    });
    expect(settle(...settling("Elicitation", answers.slice(0, 1))).output).toEqual({
      action: "accept",
      content: { a: 1 },
    });
  });

  test("instructions for a compaction come after the user's own", () => {
    const runs = [record("a", none, { output: { customInstructions: "keep names" } })];
    expect(settle(...settling("PreCompact", runs, { payload: { custom_instructions: "be brief" } })).output).toEqual({
      customInstructions: "be brief\n\nkeep names",
    });
  });
});

test("texts keep configured order, one element per hook and text", () => {
  const runs = [
    record("a", none, { context: ["1", "2"], messages: ["m"] }),
    { ...record("b", deny("late"), { context: ["x"] }), background: true },
    record("c", none, { context: ["3"] }),
  ];
  const outcome = settle(...settling("UserPromptSubmit", runs));
  expect([outcome.additionalContext, outcome.systemMessages, outcome.decision]).toEqual([
    ["1", "2", "3"],
    ["m"],
    "none",
  ]);
});

test("a rewrite of a call that another hook defers is dropped with a warning that names the hook", () => {
  const runs = [record("a", none, { input: { command: "ls" } }), record("b", { kind: "defer" })];
  const outcome = settle(...settling("PreToolUse", runs));
  expect([outcome.decision, outcome.updatedInput]).toEqual(["defer", undefined]);
  expect(outcome.warnings).toMatchObject([{ code: "rewrite-ignored", message: expect.stringContaining("Hook a ") }]);
});
