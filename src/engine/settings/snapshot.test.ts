import { expect, test } from "vitest";
import { catalog, type EventRow, eventNames, type LayerKind } from "../../protocol/internal.ts";
import { loadConditionCompiler } from "../match/conditions.ts";
import { matches } from "../match/matcher.ts";
import type { Layer } from "./layer.ts";
import { type LayerSource, readLayer } from "./read-layer.ts";
import { takeSnapshot } from "./snapshot.ts";

const compileCondition = await loadConditionCompiler();
const run = (command: string, more: object = {}) => ({ type: "command", command, ...more });

function layer(kind: LayerKind, settings: object, more: Partial<LayerSource> = {}): Layer {
  return readLayer({ kind, file: `/${kind}.json`, ...more }, Buffer.from(JSON.stringify(settings)));
}

function hooks(event: string, group: object): object {
  return { hooks: { [event]: [group] } };
}

function codes(settings: object, kind: LayerKind = "user"): string[] {
  return takeSnapshot([layer(kind, settings)], { compileCondition }).warnings.map(({ code }) => code);
}

test("hooks of all layers are in configured order, each with a stable id that names its file", () => {
  const layers = () => [
    layer("user", hooks("PreToolUse", { matcher: "Bash", hooks: [run("a"), run("b")] })),
    layer("project", {
      hooks: { PreToolUse: [{ hooks: [run("c")] }, { hooks: [run("d")] }], Stop: [{ hooks: [run("e")] }] },
    }),
  ];
  const snapshot = takeSnapshot(layers());
  const found = snapshot.byEvent.get("PreToolUse") ?? [];
  expect(found.map(({ ref, order, group }) => [ref.name, ref.file, ref.matcher, order, group.key])).toEqual([
    ["a", "/user.json", "Bash", 0, "user:PreToolUse:0"],
    ["b", "/user.json", "Bash", 1, "user:PreToolUse:0"],
    ["c", "/project.json", undefined, 2, "project:PreToolUse:0"],
    ["d", "/project.json", undefined, 3, "project:PreToolUse:1"],
  ]);
  expect(found.map(({ ref }) => ref.id)).toEqual([
    expect.stringMatching(/^user:PreToolUse:0\.0:[0-9a-f]{8}$/),
    expect.stringMatching(/^user:PreToolUse:0\.1:[0-9a-f]{8}$/),
    expect.stringMatching(/^project:PreToolUse:0\.0:[0-9a-f]{8}$/),
    expect.stringMatching(/^project:PreToolUse:1\.0:[0-9a-f]{8}$/),
  ]);
  expect([...snapshot.byEvent.keys()]).toEqual(["PreToolUse", "Stop"]);
  const again = takeSnapshot(layers());
  expect([...again.byEvent.values()].flat().map(({ ref }) => ref)).toEqual(
    [...snapshot.byEvent.values()].flat().map(({ ref }) => ref),
  );
});

test("no two hooks of a snapshot have one id, even in layers of one kind", () => {
  const same = hooks("Stop", { hooks: [run("a"), run("a")] });
  const snapshot = takeSnapshot([
    layer("managed", same, { file: "/etc/managed-settings.json" }),
    layer("managed", same, { file: "/etc/managed-settings.d/a.json" }),
    layer("flag", same),
    layer("flag", same),
    layer("plugin", same, { plugin: { root: "/p/one" } }),
    layer("plugin", same, { plugin: { root: "/q/one" } }),
    layer("skill", same, { frontmatter: { of: "skill", name: "x", from: "user" } }),
    layer("skill", same, { frontmatter: { of: "skill", name: "x", from: "project" } }),
  ]);
  const ids = (snapshot.byEvent.get("Stop") ?? []).map(({ ref }) => ref.id.replace(/:[0-9a-f]+$/, ""));
  expect(ids.filter((id) => id.endsWith("0.0"))).toEqual(
    [
      "managed",
      "managed/a.json",
      "flag",
      "flag#2",
      "plugin/one",
      "plugin/one#2",
      "skill/user/x",
      "skill/project/x",
    ].map((label) => `${label}:Stop:0.0`),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test("the fingerprint changes exactly when settings do", () => {
  const of = (text: string) => takeSnapshot([readLayer({ kind: "user", file: "/u" }, Buffer.from(text))]).fingerprint;
  const first = of('{"env": {"A": "1"}}');
  expect(of('{ "env": {"A": "1"}, } // the same')).toBe(first);
  expect(of('{"env": {"A": "2"}}')).not.toBe(first);
  expect(of("{")).not.toBe(first);
});

test("a snapshot is frozen", () => {
  const snapshot = takeSnapshot([layer("user", { ...hooks("Stop", { hooks: [run("a")] }), env: { A: "1" } })]);
  const [hook] = snapshot.byEvent.get("Stop") ?? [];
  for (const part of [
    snapshot,
    snapshot.layers,
    snapshot.layers[0]?.settings.env,
    hook,
    hook?.hook,
    snapshot.merged.env,
  ]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
  expect(Object.isFrozen(snapshot.byEvent.get("Stop"))).toBe(true);
});

test("matcher, condition, chain and failure policy are computed in advance", () => {
  const snapshot = takeSnapshot(
    [
      layer("user", {
        hooks: {
          PreToolUse: [
            {
              matcher: "Ba.*",
              sequential: true,
              onFailure: "block",
              hooks: [run("a", { if: "Bash(git *)" }), run("b", { onFailure: "continue", if: "" })],
            },
            { failClosed: true, hooks: [run("c", { if: "Bash(" }), run("d", { failClosed: false })] },
          ],
        },
      }),
    ],
    { compileCondition },
  );
  const found = snapshot.byEvent.get("PreToolUse") ?? [];
  expect(
    found.map(({ matcher, condition, group, onFailure }) => [
      matches(matcher, "Bash"),
      matches(matcher, "Read"),
      condition === null || condition === "never" ? condition : "compiled",
      group.sequential,
      onFailure,
    ]),
  ).toEqual([
    [true, false, "compiled", true, "block"],
    [true, false, null, true, "continue"],
    [true, true, null, false, "block"],
    [true, true, null, false, "continue"],
  ]);
});

test("a host's aliases count for matchers and conditions", () => {
  const snapshot = takeSnapshot([layer("user", hooks("PreToolUse", { matcher: "RunShell", hooks: [run("a")] }))], {
    aliases: { RunShell: "Bash" },
  });
  const [hook] = snapshot.byEvent.get("PreToolUse") ?? [];
  expect(hook && matches(hook.matcher, "Bash")).toBe(true);
});

test.each([
  ["a matcher on an event without one", hooks("Stop", { matcher: "Bash", hooks: [run("a")] }), "matcher-ignored"],
  ["a pattern that is none", hooks("PreToolUse", { matcher: "(Bash", hooks: [run("a")] }), "matcher-invalid"],
  ["an unsafe pattern", hooks("PreToolUse", { matcher: "(a+)+$", hooks: [run("a")] }), "matcher-unsafe"],
  ["a rule as matcher", hooks("PreToolUse", { matcher: "Bash(git *)", hooks: [run("a")] }), "matcher-is-rule"],
  ["a condition off tool events", hooks("Stop", { hooks: [run("a", { if: "Bash(git *)" })] }), "if-ignored"],
  ["a condition on a misspelled tool", hooks("PreToolUse", { hooks: [run("a", { if: "bash(ls)" })] }), "matcher-never"],
  ["a condition with an expression", hooks("PreToolUse", { hooks: [run("a", { if: "Bash.*" })] }), "matcher-never"],
  ["a rule as an alternative", hooks("PreToolUse", { matcher: "Edit|Bash(rm)", hooks: [run("a")] }), "matcher-is-rule"],
  ["a misspelled alternative", hooks("PreToolUse", { matcher: "^bash$|Edit", hooks: [run("a")] }), "matcher-never"],
  ["a typo in an expression", hooks("PreToolUse", { matcher: "Edti|Bash.*", hooks: [run("a")] }), "matcher-never"],
  ["a blank in an alternative", hooks("PreToolUse", { matcher: "Bash\t|Edit", hooks: [run("a")] }), "matcher-never"],
  ["a letter of another alphabet", hooks("PreToolUse", { matcher: "Ba\u0455h", hooks: [run("a")] }), "matcher-never"],
  ["an unknown value", hooks("SessionStart", { matcher: "^foo$|startup", hooks: [run("a")] }), "matcher-never"],
  ["a condition on a server", hooks("PreToolUse", { hooks: [run("a", { if: "mcp__git" })] }), "matcher-never"],
  ["a condition that is not a rule", hooks("PreToolUse", { hooks: [run("a", { if: "Bash(git" })] }), "if-invalid"],
  [
    "a type the event does not take",
    hooks("SessionStart", { hooks: [{ type: "http", url: "http://x" }] }),
    "type-unsupported",
  ],
  ["once where it is ignored", hooks("Stop", { hooks: [run("a", { once: true })] }), "once-ignored"],
  [
    "onFailure block on an open event",
    hooks("Stop", { hooks: [run("a", { onFailure: "block" })] }),
    "on-failure-ignored",
  ],
  [
    "failClosed of a group on an open event",
    hooks("Stop", { failClosed: true, hooks: [run("a")] }),
    "on-failure-ignored",
  ],
  [
    "a bare name with blanks in exec form",
    hooks("Stop", { hooks: [run("npm test", { args: [] })] }),
    "command-has-blanks",
  ],
  [
    "seconds that look like milliseconds",
    hooks("Stop", { hooks: [run("a", { timeout: 5_000 })] }),
    "timeout-suspicious",
  ],
  ["an unknown event", hooks("PreTool", { hooks: [run("a")] }), "unknown-event"],
])("loading warns of %s", (_, settings, code) => {
  expect(codes(settings)).toEqual([code]);
});

test.each<[string, object]>([
  ["a matcher of * on Stop", hooks("Stop", { matcher: "*", hooks: [run("a")] })],
  ["once false", hooks("Stop", { hooks: [run("a", { once: false })] })],
  ["onFailure continue on an open event", hooks("Stop", { hooks: [run("a", { onFailure: "continue" })] })],
  ["a shell command with blanks", hooks("Stop", { hooks: [run("npm test")] })],
  ["a path with blanks in exec form", hooks("Stop", { hooks: [run("/opt/my tools/x", { args: [] })] })],
  ...[
    "mcp__fs__(read|write)|Edit",
    "Task(Create|Update)|Edit",
    "Bash(?!Output)|Edit",
    "Notebook(Edit)|Bash",
    "^(?!Bash|Edit)",
    "^(Bash|Edit)$",
    "(Bash)|(Edit)",
    "(Multi|Notebook)Edit|Write",
    "Edit.*|mcp__memory",
    "^bash$|^Bash$",
    "(read|write)_file|Read",
    "Bash.|Edit",
    "Ba[s|]h|Edit",
  ].map(
    (matcher) => [`the matcher ${matcher}`, hooks("PreToolUse", { matcher, hooks: [run("a")] })] as [string, object],
  ),
  ...["mcp__*", "mcp__fs*", "*Edit", "Bash*"].map(
    (text) => [`the condition ${text}`, hooks("PreToolUse", { hooks: [run("a", { if: text })] })] as [string, object],
  ),
  ["an hour", hooks("Stop", { hooks: [run("a", { timeout: 3_600 })] })],
])("loading does not warn of %s", (_, settings) => {
  expect(codes(settings)).toEqual([]);
});

test("of a matcher with very many alternatives only some are checked", () => {
  const matcher = Array.from({ length: 100 }, (_, n) => `^bash${n}$|^Bash:${n}$`)
    .join("|")
    .slice(0, 999);
  expect(codes(hooks("PreToolUse", { matcher, hooks: [run("a")] })).length).toBeLessThanOrEqual(50);
});

test("once counts in a skill, not in an agent", () => {
  const once = hooks("Stop", { hooks: [run("a", { once: true })] });
  expect(
    takeSnapshot([layer("skill", once, { frontmatter: { of: "skill", name: "s", from: "user" } })]).warnings,
  ).toEqual([]);
  expect(codes(once, "agent")).toEqual(["once-ignored"]);
});

test("every type an event does not take is warned of, and no other", () => {
  const entries = [
    run("a"),
    { type: "http", url: "x" },
    { type: "prompt", prompt: "x" },
    { type: "agent", prompt: "x" },
    { type: "mcp_tool", server: "s", tool: "t" },
  ];
  for (const name of eventNames) {
    const row: EventRow = catalog[name];
    const found = takeSnapshot([layer("user", hooks(name, { hooks: entries }))]).warnings;
    expect(found.map(({ code, place }) => [code, place])).toEqual(
      entries.flatMap(({ type }, index) =>
        row.types.some((taken) => taken === type)
          ? []
          : [["type-unsupported", `/user.json: hooks.${name}[0].hooks[${index}]`]],
      ),
    );
  }
});

test("a warning about a group is reported once, and each hook of the group has it", () => {
  const snapshot = takeSnapshot([
    layer("user", hooks("PreToolUse", { matcher: "(Bash", hooks: [run("a"), run("b")] })),
  ]);
  expect(snapshot.warnings.map(({ code }) => code)).toEqual(["matcher-invalid"]);
  expect((snapshot.byEvent.get("PreToolUse") ?? []).map(({ problems }) => problems.map(({ code }) => code))).toEqual([
    ["matcher-invalid"],
    ["matcher-invalid"],
  ]);
});

test("Stop in an agent's file means SubagentStop", () => {
  const source = { frontmatter: { of: "agent", name: "reviewer", from: "project" } } as const;
  const snapshot = takeSnapshot([layer("agent", hooks("Stop", { hooks: [run("a")] }), source)]);
  expect([...snapshot.byEvent.keys()]).toEqual(["SubagentStop"]);
  const [hook] = snapshot.byEvent.get("SubagentStop") ?? [];
  expect(hook?.ref).toMatchObject({
    id: expect.stringContaining("agent/project/reviewer:SubagentStop:0.0"),
    event: "SubagentStop",
    source: "agent",
  });
});

test("a host's own events have hooks like any other", () => {
  const rows = { ...catalog, Deployed: { ...catalog.Notification, name: "Deployed" } };
  const read = readLayer(
    { kind: "user", file: "/u" },
    Buffer.from(JSON.stringify(hooks("Deployed", { hooks: [run("a")] }))),
    rows,
  );
  expect([...takeSnapshot([read], { rows }).byEvent.keys()]).toEqual(["Deployed"]);
});

test("managed hooks block on failure when policy requires it, unless they set another policy", () => {
  const snapshot = takeSnapshot([
    layer("managed", {
      ...hooks("PreToolUse", { hooks: [run("a"), run("b", { onFailure: "continue" })] }),
      managedHooksOnFailure: "block",
    }),
    layer("user", hooks("PreToolUse", { hooks: [run("c")] })),
  ]);
  expect((snapshot.byEvent.get("PreToolUse") ?? []).map(({ onFailure }) => onFailure)).toEqual([
    "block",
    "continue",
    "continue",
  ]);
});
