import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { UserAnswer, UserPort } from "../agent-ports.ts";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

function open(options: WorldOptions = {}): World {
  const world = makeWorld(options);
  onTestFinished(world.remove);
  return world;
}

const decision = (said: Record<string, unknown>) => ({
  print: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: said } },
});
const person = (answer: UserAnswer, asked: unknown[] = []): UserPort => ({
  permission: async ({ input }) => {
    asked.push(input);
    return answer;
  },
});
const touch = [{ calls: [{ tool: "Bash", input: { command: "touch made" } }] }, { text: "done" }];

test("an updated input that does not fit the tool's schema is refused", async () => {
  const { project, run } = open({ hooks: {} });
  const write = { calls: [{ tool: "Write", input: { file_path: "new.txt", content: "words" } }] };
  const given = { input: { file_path: join(project, "other.txt") } } as const;
  const { result } = await run([write, { text: "done" }], {
    prompt: "go",
    user: person({ behavior: "allow", ...given }),
  });
  expect(result.permission_denials).toHaveLength(1);
  expect([existsSync(join(project, "new.txt")), existsSync(join(project, "other.txt"))]).toEqual([false, false]);
  const hidden = { command: "touch a\u001b[2K\u0007" };
  await run(touch, { prompt: "go", user: person({ behavior: "allow", input: hidden }) });
  expect(existsSync(join(project, "a\u001b[2K\u0007"))).toBe(false);
});

test("the input of the answer replaces the input of the call", async () => {
  const { project, run } = open({ hooks: {} });
  await run(touch, { prompt: "go", user: person({ behavior: "allow", input: { command: "touch instead" } }) });
  expect([existsSync(join(project, "made")), existsSync(join(project, "instead"))]).toEqual([false, true]);
});

test("a PermissionRequest hook does not get past a rule that asks by rewriting the call; the user is asked", async () => {
  const rewrite = { behavior: "allow", updatedInput: { command: "touch precious" } };
  const { project, run } = open({
    hooks: { PermissionRequest: decision(rewrite) },
    settings: { permissions: { ask: ["Bash(touch precious)"] } },
  });
  await run(touch, { prompt: "go" });
  expect(existsSync(join(project, "precious"))).toBe(false);
  const asked: unknown[] = [];
  await run(touch, { prompt: "go", user: person({ behavior: "allow" }, asked) });
  expect([asked, existsSync(join(project, "precious"))]).toEqual([[{ command: "touch made" }], false]);
});

test("a rewritten input is shown to PreToolUse guards whose condition it meets", async () => {
  const guard = (verdict: string) => ({
    print: {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: verdict,
        permissionDecisionReason: "GUARD",
      },
    },
    hook: { if: "Bash(touch precious)" },
  });
  const updatedInput = { command: "touch precious" };
  const rewrite = decision({ behavior: "allow", updatedInput });
  for (const verdict of ["deny", "ask"]) {
    const { project, run, payloads } = open({
      hooks: { PreToolUse: [guard(verdict), { matcher: "Bash" }], PermissionRequest: rewrite },
    });
    const { requests } = await run(touch, { prompt: "go" });
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain("GUARD");
    expect(existsSync(join(project, "precious"))).toBe(false);
    // The guard is asked about the new input, the other hook not again.
    const seen = payloads("PreToolUse").map(({ tool_input: input }) => input);
    expect(seen).toEqual([{ command: "touch made" }, updatedInput]);
    const asked: unknown[] = [];
    await run(touch, { prompt: "go", user: person({ behavior: "allow" }, asked) });
    expect(asked).toEqual(verdict === "deny" ? [] : [{ command: "touch made" }]);
    expect([existsSync(join(project, "precious")), existsSync(join(project, "made"))]).toEqual([
      false,
      verdict === "ask",
    ]);
  }
  // The user has approved their own rewrite: a guard may refuse it, not ask again.
  for (const verdict of ["deny", "ask"]) {
    const { project, run } = open({ hooks: { PreToolUse: guard(verdict) } });
    await run(touch, { prompt: "go", user: person({ behavior: "allow", input: updatedInput }) });
    expect(existsSync(join(project, "precious"))).toBe(verdict === "ask");
  }
});

test("no directory is added for the session where only managed rules may grant", async () => {
  const { home, project, run } = open({ hooks: {} });
  const managed = join(dirname(project), "managed");
  mkdirSync(managed);
  const policy = { permissions: { allowManagedPermissionRulesOnly: true } };
  writeFileSync(join(managed, "managed-settings.json"), JSON.stringify(policy));
  const elsewhere = realpathSync(home);
  writeFileSync(join(elsewhere, "diary.txt"), "private words");
  const updates = [{ type: "addDirectories", directories: [elsewhere], destination: "session" }] as const;
  const answers: UserAnswer[] = [{ behavior: "allow", updates }, { behavior: "deny" }];
  const read = { calls: [{ tool: "Read", input: { file_path: join(elsewhere, "diary.txt") } }] };
  const { requests, events } = await run([touch[0] ?? {}, read, { text: "done" }], {
    prompt: "go",
    user: { permission: async () => answers.shift() ?? { behavior: "deny" } },
  });
  expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain("private words");
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "notice", text: expect.stringContaining("only managed settings may grant here") }),
  );
});

test("an added folder can be removed again, and only the requested change is written", async () => {
  const { home, project, run } = open({ hooks: {} });
  writeFileSync(join(home, "diary.txt"), "private words");
  const change = (type: "addDirectories" | "removeDirectories"): UserAnswer => ({
    behavior: "allow",
    updates: [{ type, directories: [home], destination: "session" }],
  });
  const answers = [change("addDirectories"), change("removeDirectories")];
  const asked: string[] = [];
  const read = { calls: [{ tool: "Read", input: { file_path: join(home, "diary.txt") } }] };
  const other = { calls: [{ tool: "Bash", input: { command: "touch other" } }] };
  await run([touch[0] ?? {}, read, other, read, { text: "done" }], {
    prompt: "go",
    user: {
      permission: async ({ tool }) => {
        asked.push(tool);
        return answers.shift() ?? { behavior: "deny" };
      },
    },
  });
  expect(asked).toEqual(["Bash", "Bash", "Read"]);
  expect(existsSync(join(project, ".claude"))).toBe(false);
  expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).not.toContain("additionalDirectories");
});

test("where only policy may grant, --add-dir grants nothing", async () => {
  const { home, project, run } = open({ hooks: {} });
  writeFileSync(join(home, "diary.txt"), "private words");
  const read = [{ calls: [{ tool: "Read", input: { file_path: join(home, "diary.txt") } }] }, { text: "done" }];
  const denials = async () =>
    (await run(read, { prompt: "go", addDirectories: [home] })).result.permission_denials.map((one) => one.tool_name);
  expect(await denials()).toEqual([]);
  const managed = join(dirname(project), "managed");
  mkdirSync(managed);
  const policy = { permissions: { allowManagedPermissionRulesOnly: true } };
  writeFileSync(join(managed, "managed-settings.json"), JSON.stringify(policy));
  expect(await denials()).toEqual(["Read"]);
});
