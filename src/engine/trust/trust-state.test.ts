import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../fixtures/checkout.ts";
import { type EngineOptions, openEngine, reviewTrust } from "../internal.ts";

async function approveAll(options: EngineOptions): Promise<void> {
  const review = await reviewTrust(options);
  await review.pin(review.entries);
}

/** Fires Stop in a fresh engine: what the project's hooks left behind, or why they did not run. */
async function outcomeOf(options: EngineOptions, payload: object = {}): Promise<readonly string[]> {
  const engine = await openEngine(options);
  try {
    const { runs, skipped } = await engine.fire("Stop", { ...payload });
    return [
      ...runs.map(({ stdout, ended, answer }) => (ended.by === "exit" ? stdout.trim() : (answer?.failure ?? ended.by))),
      ...skipped.map(({ why, detail }) => `${why} ${detail.split("; run hookline")[0]}`),
    ];
  } finally {
    await engine.close();
  }
}

const bash = { tool_name: "Bash", tool_input: { command: "ls" } };
const guard = (command: string) => ({ type: "command", command, onFailure: "block" });
const says = (word: string): string => `#!/bin/sh\necho ${word}\n`;

test("a changed byte ends an approval, and restoring the byte restores it", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/check.sh", says("one"));
  await put("project/.claude/settings.json", hooksOn("Stop", "sh ./check.sh"));
  expect(await outcomeOf(options)).toEqual(["trust not approved yet"]);
  await approveAll(options);
  expect(await outcomeOf(options)).toEqual(["one"]);

  await put("project/check.sh", says("two"));
  expect(await outcomeOf(options)).toEqual(["trust check.sh has changed since it was approved"]);
  await put("project/check.sh", says("one"));
  expect(await outcomeOf(options)).toEqual(["one"]);

  await put("project/.claude/settings.json", hooksOn("Stop", "sh  ./check.sh"));
  expect(await outcomeOf(options)).toEqual(["trust it differs from the approved definition"]);
  await put("project/.claude/settings.json", hooksOn("Stop", "sh ./check.sh"));
  expect(await outcomeOf(options)).toEqual(["one"]);
});

test("hooks added to a checkout after the engine was opened need an approval, which counts as soon as it is given", async () => {
  const { options, put } = await checkoutWorld();
  const engine = await openEngine(options);
  try {
    await put("project/.claude/settings.json", hooksOn("Stop", "echo later"));
    await engine.reload();
    expect(engine.list().map(({ trust }) => trust)).toEqual(["new"]);
    expect((await engine.fire("Stop", {})).skipped.map(({ why }) => why)).toEqual(["trust"]);
    await approveAll(options);
    expect(engine.list().map(({ trust }) => trust)).toEqual(["trusted"]);
    expect((await engine.fire("Stop", {})).runs.map(({ stdout }) => stdout.trim())).toEqual(["later"]);
  } finally {
    await engine.close();
  }
});

test("a moved folder is not trusted, and moving it back restores the trust", async () => {
  const { options, root, project, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  await approveAll(options);
  const moved = join(root, "moved");
  await rename(project, moved);
  expect(await outcomeOf({ ...options, cwd: moved })).toEqual(["trust not approved yet"]);
  // A link with the old name leads to the new place, and the place is what counts.
  await symlink(moved, project);
  expect(await outcomeOf(options)).toEqual(["trust not approved yet"]);
  await unlink(project);
  await rename(moved, project);
  expect(await outcomeOf(options)).toEqual(["here"]);
});

test("a folder that is reached through a link has the approvals of its real path", async () => {
  const { options, root, project, put } = await checkoutWorld();
  await put("project/check.sh", says("one"));
  await put("project/.claude/settings.json", hooksOn("Stop", 'sh "$CLAUDE_PROJECT_DIR/check.sh"'));
  await approveAll(options);
  await symlink(project, join(root, "link"));
  expect(await outcomeOf({ ...options, cwd: join(root, "link") })).toEqual(["one"]);
});

test.each([
  ["the event", hooksOn("SubagentStop", "echo a")],
  ["the matcher", { hooks: { Stop: [{ matcher: "x", hooks: [{ type: "command", command: "echo a" }] }] } }],
  ["a field of the hook", hooksOn("Stop", "echo a", { timeout: 5 })],
  ["an unknown field of the hook", hooksOn("Stop", "echo a", { note: "hi" })],
  ["the group", { hooks: { Stop: [{ sequential: true, hooks: [{ type: "command", command: "echo a" }] }] } }],
  [
    "the failure policy of the group",
    { hooks: { Stop: [{ onFailure: "block", hooks: [{ type: "command", command: "echo a" }] }] } },
  ],
])("%s is part of what was approved", async (_, settings) => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo a"));
  await approveAll(options);
  await put("project/.claude/settings.json", settings);
  const review = await reviewTrust(options);
  expect(review.entries.map(({ state }) => state)).not.toContain("trusted");
});

test("approving a hook that was inserted before an approved one does not change that approval", async () => {
  const { options, put } = await checkoutWorld();
  const settings = (...words: string[]) =>
    JSON.stringify({
      hooks: { Stop: words.map((word) => ({ hooks: [{ type: "command", command: `echo ${word}` }] })) },
    });
  const approveNew = async () => {
    const review = await reviewTrust(options);
    await review.pin(review.entries.filter(({ state }) => state !== "trusted"));
  };
  await put("project/.claude/settings.json", settings("guard"));
  await approveNew();
  await put("project/.claude/settings.json", settings("first", "guard"));
  await approveNew();
  expect(await outcomeOf(options)).toEqual(["first", "guard"]);
  // A removed item gives way to what was approved at its place.
  await put("project/.claude/settings.json", settings("first", "other"));
  await approveNew();
  await put("project/.claude/settings.json", settings("first", "guard"));
  expect(await outcomeOf(options)).toEqual(["first", expect.stringMatching(/^trust/)]);
});

test("formatting, key order and other hooks do not affect an approval", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo a", { timeout: 5 }));
  await approveAll(options);
  await put(
    "project/.claude/settings.json",
    `// moved down
     { "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "echo b" } ] },
                            { "hooks": [ { "timeout": 5, "command": "echo a", "type": "command", } ] } ] } }`,
  );
  expect(await outcomeOf(options)).toEqual(["a", "trust not approved yet"]);
});

/** Each names the file `hooks/x.sh` of the project. */
const namings: readonly [string, object][] = [
  ["a relative path", { command: "sh hooks/x.sh" }],
  ["a path with dots", { command: "sh ./hooks/../hooks/x.sh" }],
  ["the project's variable", { command: 'sh "$CLAUDE_PROJECT_DIR"/hooks/x.sh' }],
  ["the variable in braces", { command: "sh ${CLAUDE_PROJECT_DIR}/hooks/x.sh" }],
  ["the variable with a default", { command: "sh ${CLAUDE_PROJECT_DIR:-.}/hooks/x.sh" }],
  ["single quotes inside a nested shell", { command: "bash -c 'sh hooks/x.sh'" }],
  ["a substitution", { command: 'echo "$(sh hooks/x.sh)"' }],
  ["input from it", { command: "sh < hooks/x.sh" }],
  ["the folder it is in", { command: "cd hooks && sh x.sh" }],
  ["a variable of the shell", { command: 'D=$PWD; sh "$D/hooks/x.sh"' }],
  ["an unknown beginning", { command: "sh $(git rev-parse --show-toplevel)/hooks/x.sh" }],
  ["an argument", { command: "sh", args: ["hooks/x.sh"] }],
  ["an argument with a placeholder", { command: "sh", args: ["${CLAUDE_PROJECT_DIR}/hooks/x.sh"] }],
  ["the program itself", { command: "${CLAUDE_PROJECT_DIR}/hooks/x.sh", args: [] }],
  ["an option", { command: "bash --init-file=hooks/x.sh -c true" }],
  ["a link in the project", { command: "sh hooks/link.sh" }],
  ["a way back out of a link", { command: "sh far/../x.sh" }],
  ["the same from the project's variable", { command: 'sh "$CLAUDE_PROJECT_DIR/far/../x.sh"' }],
];

test.each(namings)("a file named by %s is part of what was approved", async (_, hook) => {
  const { options, project, put } = await checkoutWorld();
  const file = await put("project/hooks/x.sh", says("one"));
  await chmod(file, 0o755);
  await symlink("x.sh", join(project, "hooks/link.sh"));
  await mkdir(join(project, "hooks/deep"));
  await symlink("hooks/deep", join(project, "far"));
  await put("project/.claude/settings.json", { hooks: { Stop: [{ hooks: [{ type: "command", ...hook }] }] } });
  await approveAll(options);
  expect((await reviewTrust(options)).entries.map(({ state }) => state)).toEqual(["trusted"]);
  await writeFile(file, says("two"));
  expect((await reviewTrust(options)).entries.map(({ state }) => state)).toEqual(["changed"]);
});

test("a file that did not exist at the approval counts as a change", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "sh ./later.sh || echo none"));
  await approveAll(options);
  expect(await outcomeOf(options)).toEqual(["none"]);
  await put("project/later.sh", says("later"));
  expect(await outcomeOf(options)).toEqual(["trust later.sh has changed since it was approved"]);
});

test("a file that a hook writes is not covered", async () => {
  const { options, put, project } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "touch mark; echo ran >> log.txt"));
  await approveAll(options);
  await outcomeOf(options);
  await outcomeOf(options);
  expect(await readFile(join(project, "log.txt"), "utf8")).toBe("ran\nran\n");
});

test("in another folder the same command names other files, which are not approved", async () => {
  const { options, project, put } = await checkoutWorld();
  await put("project/check.sh", says("one"));
  await put("project/sub/check.sh", says("evil"));
  await mkdir(join(project, "empty"));
  await put("project/.claude/settings.json", hooksOn("Stop", "sh ./check.sh 2>/dev/null || echo absent"));
  await approveAll(options);
  const sub = join(project, "sub");
  expect(await outcomeOf(options, { cwd: sub })).toEqual([
    `trust in ${sub} it names sub/check.sh, which was not approved with it; write it so that it uses the same files in every directory, for example with \${CLAUDE_PROJECT_DIR}/ before a path. Claude Code runs it anyway`,
  ]);
  expect(await outcomeOf(options, { cwd: join(project, "empty") })).toEqual(["absent"]);
  const guard = { type: "command", command: "sh ./check.sh", onFailure: "block" };
  await put("project/.claude/settings.json", { hooks: { Stop: [{ hooks: [guard] }] } });
  await approveAll(options);
  expect(await outcomeOf(options, { cwd: sub })).toEqual([
    expect.stringMatching(/names sub\/check\.sh, .*; write it so that it uses the same files in every directory, /),
  ]);
  await put("project/.claude/settings.json", hooksOn("Stop", 'sh "${CLAUDE_PROJECT_DIR}/check.sh"'));
  await approveAll(options);
  expect(await outcomeOf(options, { cwd: sub })).toEqual(["one"]);
});

test("files are compared again immediately before the start", async () => {
  const { options, project, put } = await checkoutWorld();
  await put("project/check.sh", says("one"));
  await put("project/.claude/settings.json", {
    hooks: {
      Stop: [
        {
          sequential: true,
          hooks: [
            { type: "command", command: "echo 'echo evil' > check.sh" },
            { type: "command", command: "sh check.sh" },
          ],
        },
      ],
    },
  });
  await approveAll(options);
  expect(await outcomeOf(options)).toEqual(["", "check.sh has changed since it was approved"]);
  expect(await readFile(join(project, "check.sh"), "utf8")).toBe("echo evil\n");
});

test("a command whose files cannot be read before every run cannot be approved", async () => {
  const { options, project, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "sh ./device"));
  await symlink("/dev/zero", join(project, "device"));
  const review = await reviewTrust(options);
  expect(review.entries.map(({ digest, unusable }) => ({ digest, unusable }))).toEqual([
    { digest: undefined, unusable: "device is not a regular file" },
  ]);
  await review.pin(review.entries);
  expect(await outcomeOf(options)).toEqual(["trust not approved yet"]);
});

test("hooks in the frontmatter of the project need approval, the user's own do not", async () => {
  const { options, put } = await checkoutWorld();
  const agent = (word: string) =>
    `---\nname: helper\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: echo ${word}\n---\n`;
  await put("project/.claude/agents/helper.md", agent("theirs"));
  await put("home/.claude/agents/helper.md", agent("mine"));
  const inside = { tool_name: "Bash", tool_input: {}, agent_id: "a1", agent_type: "helper" };
  const engine = await openEngine(options);
  const { runs, skipped } = await engine.fire("PreToolUse", inside);
  expect(runs.map(({ stdout }) => stdout.trim())).toEqual(["mine"]);
  expect(skipped.map(({ why, hook }) => [why, hook.source])).toEqual([["trust", "agent"]]);
  await approveAll(options);
  expect((await engine.fire("PreToolUse", inside)).runs.map(({ stdout }) => stdout.trim())).toEqual(["mine", "theirs"]);
  await engine.close();
});

test("in mode workspace no hook of any layer runs until the folder or a parent is accepted", async () => {
  const { options, root, put } = await checkoutWorld();
  await put("home/.claude/settings.json", hooksOn("Stop", "echo mine"));
  await put("project/.claude/settings.json", hooksOn("Stop", "echo theirs"));
  const workspace = { ...options, trust: "workspace" as const };
  expect(await outcomeOf(workspace)).toEqual([
    `trust the directory ${options.cwd} has not been accepted yet`,
    `trust the directory ${options.cwd} has not been accepted yet`,
  ]);
  await (await reviewTrust({ ...options, cwd: root })).accept();
  expect(await outcomeOf(workspace)).toEqual(["mine", "theirs"]);
  expect(await outcomeOf(options)).toEqual(["mine", "trust not approved yet"]);
});

test("in mode implicit everything runs", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo theirs"));
  expect(await outcomeOf({ ...options, trust: "implicit" })).toEqual(["theirs"]);
});

test("approvals are kept outside the folder, readable by this user only", async () => {
  const { options, root, project, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  await approveAll(options);
  const folder = join(root, "state", "trust");
  const [name = ""] = await readdir(folder);
  expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, name))).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(await readdir(project)).toEqual([".claude"]);
});

async function onlyPinFile({ root }: CheckoutWorld): Promise<string> {
  const folder = join(root, "state", "trust");
  return join(folder, (await readdir(folder)).find((name) => name.endsWith(".json")) ?? "");
}

test.each([
  ["others may write it", (file: string) => chmod(file, 0o622)],
  ["others may write its folder", (file: string) => chmod(join(file, ".."), 0o777)],
  [
    "it is a link",
    async (file: string) => {
      await rename(file, `${file}.moved`);
      await symlink(`${file}.moved`, file);
    },
  ],
  ["it is cut off", async (file: string) => writeFile(file, (await readFile(file)).subarray(0, 40))],
  [
    "it is of another folder",
    async (file: string) =>
      writeFile(file, (await readFile(file, "utf8")).replace(/"project": "[^"]*"/, '"project": "/elsewhere"')),
  ],
  [
    "it is of another version",
    async (file: string) => writeFile(file, (await readFile(file, "utf8")).replace('"version": 2', '"version": 3')),
  ],
])("the pin file is ignored when %s", async (_, spoil) => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  await approveAll(world.options);
  await spoil(await onlyPinFile(world));
  expect(await outcomeOf(world.options)).toEqual(["trust not approved yet"]);
  const engine = await openEngine(world.options);
  expect(engine.warnings.map(({ code }) => code)).toEqual(["trust-store-refused"]);
  await engine.close();
  const review = await reviewTrust(world.options);
  expect(review.refused).toMatch(/is not safe to use|cannot be used/);
  await expect(review.pin(review.entries)).rejects.toMatchObject({
    code: expect.stringMatching(/^(trust\/store-refused|file\/unsafe)$/),
  });
});

test("a folder that contains the state directory cannot approve itself", async () => {
  const { options, project, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  const inside = { ...options, env: { ...options.env, HOOKLINE_HOME: join(project, "state") } };
  await expect(approveAll(inside)).rejects.toMatchObject({ code: "trust/store-refused" });
  expect(existsSync(join(project, "state"))).toBe(false);
  expect(await outcomeOf(inside)).toEqual(["trust not approved yet"]);
});

test("an approval is of the reviewed content, even if the files have changed since", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/check.sh", says("shown"));
  await put("project/.claude/settings.json", hooksOn("Stop", "sh check.sh"));
  const review = await reviewTrust(options);
  await put("project/check.sh", says("swapped"));
  await review.pin(review.entries);
  expect(await outcomeOf(options)).toEqual(["trust check.sh has changed since it was approved"]);
});

test("approvals given at the same time are all kept", async () => {
  const { options, put } = await checkoutWorld();
  const hooks = Array.from({ length: 8 }, (_, index) => ({ type: "command", command: `echo ${index}` }));
  await put("project/.claude/settings.json", { hooks: { Stop: [{ hooks }] } });
  const reviews = await Promise.all(hooks.map(() => reviewTrust(options)));
  await Promise.all(reviews.map((review, index) => review.pin(review.entries.slice(index, index + 1))));
  expect((await outcomeOf(options)).toSorted()).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
});

test("revoking deletes a damaged pin file", async () => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  await approveAll(world.options);
  await writeFile(await onlyPinFile(world), "{");
  expect(await (await reviewTrust(world.options)).revoke()).toBe(true);
  await approveAll(world.options);
  expect(await outcomeOf(world.options)).toEqual(["here"]);
});

test("revoking deletes every approval of the folder", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  await approveAll(options);
  expect(await (await reviewTrust(options)).revoke()).toBe(true);
  expect(await outcomeOf(options)).toEqual(["trust not approved yet"]);
  expect(await (await reviewTrust(options)).revoke()).toBe(false);
});

test("revoking an entry deletes its approval, also that of what was in its place before, and no other", async () => {
  const { options, put } = await checkoutWorld();
  const commands = (...all: readonly string[]) =>
    put("project/.claude/settings.json", {
      hooks: { Stop: [{ hooks: all.map((command) => ({ type: "command", command })) }] },
    });
  const states = async () => (await reviewTrust(options)).entries.map(({ state }) => state);
  await commands("echo a", "echo b", "echo c");
  await approveAll(options);
  await commands("echo a", "echo other", "echo c");
  expect(await states()).toEqual(["trusted", "changed", "trusted"]);
  const review = await reviewTrust(options);
  expect(await review.revoke([])).toBe(false);
  expect(await review.revoke(review.entries.slice(1))).toBe(true);
  expect(await states()).toEqual(["trusted", "new", "new"]);
});

test("an approval updates a watching engine", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  const engine = await openEngine(options);
  const stop = engine.watch();
  await approveAll(options);
  await expect.poll(() => engine.list().map(({ trust }) => trust)).toEqual(["trusted"]);
  stop();
  await engine.close();
});

test("explaining, listing and reviewing create no files", async () => {
  const { options, root, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  const engine = await openEngine(options);
  engine.explain("Stop", {});
  engine.list();
  await engine.close();
  await reviewTrust(options);
  expect((await readdir(root)).sort()).toEqual(["home", "managed", "project"]);
});

test("an approval or a revocation takes effect with the next event", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  const engine = await openEngine(options);
  const fired = async () => (await engine.fire("Stop", {})).runs.map(({ stdout }) => stdout.trim());
  expect(await fired()).toEqual([]);
  const review = await reviewTrust(options);
  await review.pin(review.entries);
  expect(engine.list().map(({ trust }) => trust)).toEqual(["trusted"]);
  expect(engine.explain("Stop", {}).hooks.map(({ runs }) => runs)).toEqual([true]);
  expect(await fired()).toEqual(["here"]);
  await review.revoke();
  expect(await fired()).toEqual([]);
  await engine.close();
});

test("an approval or revocation by another process counts for the next event of an open engine", async () => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  await approveAll(world.options);
  const file = await onlyPinFile(world);
  const text = await readFile(file, "utf8");
  await unlink(file);
  const engine = await openEngine(world.options);
  const fired = async () => (await engine.fire("Stop", {})).runs.map(({ stdout }) => stdout.trim());
  expect(await fired()).toEqual([]);
  await writeFile(file, text, { mode: 0o600 });
  expect(await fired()).toEqual(["here"]);
  await unlink(file);
  expect(await fired()).toEqual([]);
  await engine.close();
});

test("an approval or revocation by another process counts for an event that is streamed, and for one that is notified", async () => {
  const world = await checkoutWorld();
  await world.put("project/.claude/settings.json", hooksOn("Stop", "echo here >> ran.log"));
  await approveAll(world.options);
  const file = await onlyPinFile(world);
  const text = await readFile(file, "utf8");
  const engine = await openEngine(world.options);
  const streamed = async () => {
    const started: string[] = [];
    for await (const { kind } of engine.stream("Stop", {})) started.push(kind);
    return started.filter((kind) => kind === "started").length;
  };
  expect(await streamed()).toBe(1);
  await unlink(file);
  expect(await streamed()).toBe(0);
  await writeFile(file, text, { mode: 0o600 });
  expect(await streamed()).toBe(1);
  await unlink(file);
  engine.notify("Stop", {});
  await engine.close({ waitMs: 5_000 });
  expect(await readFile(join(world.options.cwd, "ran.log"), "utf8")).toBe("here\nhere\n");
});

test.each([
  ["project", { hooks: { PreToolUs: [{ hooks: [guard("exit 0")] }] } }],
  ["project", { hooks: { PreToolUse: [{ matcher: "(", hooks: [guard("exit 0")] }] } }],
])(
  "a warning about a guard of a %s that cannot be used says that it denies once it is approved",
  async (_, settings) => {
    const { options, put } = await checkoutWorld();
    await put("project/.claude/settings.json", settings);
    const engine = await openEngine(options);
    try {
      expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
      expect(engine.warnings.filter(({ message }) => message.includes("denied")).map(({ message }) => message)).toEqual(
        [expect.stringContaining("once it is approved, what it matches is denied")],
      );
      await approveAll(options);
      expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
    } finally {
      await engine.close();
    }
  },
);

const approvedGuard = { matcher: "Bash", hooks: [guard("sh ./check.sh")] };
const { onFailure: _, ...lax } = guard("sh ./check.sh");

test.each([
  ["another matcher", [{ ...approvedGuard, matcher: "Write" }], "deny"],
  ["no failure policy", [{ matcher: "Bash", hooks: [lax] }], "deny"],
  ["async", [{ matcher: "Bash", hooks: [{ ...guard("sh ./check.sh"), async: true }] }], "deny"],
  ["a condition", [{ matcher: "Bash", hooks: [{ ...guard("sh ./check.sh"), if: "Bash(rm *)" }] }], "deny"],
  ["an unknown type", [{ matcher: "Bash", hooks: [{ ...lax, type: "comand" }] }], "deny"],
  ["no list of hooks", [{ matcher: "Bash" }], "deny"],
  ["another hook in its place", [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 0" }] }], "deny"],
  ["itself after a new group", [{ hooks: [{ type: "command", command: "exit 0" }] }, approvedGuard], "none"],
  ["nothing", [], "none"],
])(
  "an approved guard denies until it is approved again, unless it was moved or deleted: replaced by %s",
  async (_, now, decision) => {
    const { options, put } = await checkoutWorld();
    await put("project/check.sh", "exit 0");
    await put("project/.claude/settings.json", { hooks: { PreToolUse: [approvedGuard] } });
    await approveAll(options);
    await put("project/.claude/settings.json", { hooks: { PreToolUse: now } });
    const engine = await openEngine(options);
    try {
      expect((await engine.fire("PreToolUse", bash)).decision).toBe(decision);
      expect((await engine.fire("PreToolUse", { ...bash, tool_name: "Read" })).decision).toBe("none");
      const denying = decision === "deny" ? [{ trust: "changed", denies: true }] : [];
      expect(engine.list().filter(({ denies }) => denies)).toMatchObject(denying);
      const explained = engine.explain("PreToolUse", bash).hooks.filter(({ detail }) => detail.includes("denies"));
      expect(explained).toHaveLength(denying.length);
      const review = await reviewTrust(options);
      await review.revoke();
      expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
      await review.pin(review.entries);
      expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
    } finally {
      await engine.close();
    }
  },
);

test("an acceptance takes effect at once in mode workspace", async () => {
  const { options, put } = await checkoutWorld();
  await put("project/.claude/settings.json", hooksOn("Stop", "echo here"));
  const engine = await openEngine({ ...options, trust: "workspace" });
  expect((await engine.fire("Stop", {})).runs).toEqual([]);
  await (await reviewTrust(options)).accept();
  expect((await engine.fire("Stop", {})).runs.map(({ stdout }) => stdout.trim())).toEqual(["here"]);
  await engine.close();
});
