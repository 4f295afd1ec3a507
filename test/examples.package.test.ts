import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const hosts = resolve(import.meta.dirname, "../examples/hosts");

/** What each example prints, run as its header says. */
const prints: Record<string, string> = {
  "decide-a-tool-call.mjs": `\
git status           allow: Bash(git *) covers it
git reset --hard     ask: Bash(git reset *) asks about it
cd api && git push   deny: Pushing is for people.
`,
  "observe-runs.mjs": `\
{"notice":"run","event":"PreToolUse","hook":"echo 'Not on this machine.' >&2; exit 2","ended":{"by":"exit","code":2},"verdict":"deny"}
{"notice":"run","event":"PostToolUse","hook":"cat > /dev/null","ended":{"by":"background"},"verdict":"none"}
{"notice":"background-ended","event":"PostToolUse","hook":"cat > /dev/null","ended":{"by":"exit","code":0},"verdict":"none"}
`,
  "stream-progress.mjs": `\
… Formatting
✓ fine
… Running the tests
✗ said no
The agent continues: 2 tests fail.
`,
  "whole-loop.mjs": `\
prompt: Clean up.
ls: ran ls <hook>
Remember the tests.
</hook>
rm -r dist: ran rm -r dist <hook>
Remember the tests.
</hook>
rm -r src: denied: Denied by the user.
stop: Say what you changed.
end: the turn is over
`,
};

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "hookline-examples-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

test("every example is tried here", async () => {
  expect(Object.keys(prints)).toEqual((await readdir(hosts)).sort());
});

describe.concurrent("examples of hosts", () => {
  for (const [name, output] of Object.entries(prints)) {
    test(`${name} runs unchanged`, async () => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(hosts, name)], {
        env: { PATH: process.env["PATH"], HOME: home },
      });
      expect({ stdout, stderr }).toEqual({ stdout: output, stderr: "" });
    });

    test(`${name} says what it is and has at most 80 lines`, async () => {
      const text = await readFile(join(hosts, name), "utf8");
      expect(text).toContain(`Run it with: node examples/hosts/${name}\n`);
      expect(text.split("\n").length).toBeLessThanOrEqual(80);
    });
  }
});

describe.concurrent("whole-loop.mjs honors what hooks of the user answer", () => {
  const json = (value: object) => `echo '${JSON.stringify(value)}'`;
  const permission = (updatedInput: object) =>
    json({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow", updatedInput } },
    });

  /** What it prints with these commands, or hooks, as the user's hooks, by event, and these rules. */
  async function loopWith(
    commands: Readonly<Record<string, string | object>>,
    permissions: object = {},
  ): Promise<string[]> {
    const user = await mkdtemp(join(home, "user-"));
    await mkdir(join(user, ".claude"));
    const entries = Object.entries(commands).map(([event, command]) => [
      event,
      [{ hooks: [{ type: "command", ...(typeof command === "string" ? { command } : command) }] }],
    ]);
    const settings = { hooks: Object.fromEntries(entries), permissions };
    await writeFile(join(user, ".claude/settings.json"), JSON.stringify(settings));
    const { stdout } = await promisify(execFile)(process.execPath, [join(hosts, "whole-loop.mjs")], {
      env: { PATH: process.env["PATH"], HOME: user },
    });
    return stdout.replaceAll(" <hook>\nRemember the tests.\n</hook>", "").trimEnd().split("\n");
  }

  test("a prompt that a hook blocks starts no turn", async () => {
    const end = ["end: the prompt was blocked: No."];
    expect(await loopWith({ UserPromptSubmit: "echo No. >&2; exit 2" })).toEqual(end);
    expect(await loopWith({ UserPromptSubmit: json({ continue: false, stopReason: "No." }) })).toEqual(end);
  });

  test("continue: false ends the run after the tool", async () => {
    const stop = json({ continue: false, stopReason: "Enough." });
    const ran = ["prompt: Clean up.", "ls: ran ls", "end: stopped: Enough."];
    expect(await loopWith({ PreToolUse: stop })).toEqual(ran);
    expect(await loopWith({ PostToolUse: stop })).toEqual(ran);
    expect((await loopWith({ PermissionRequest: stop })).slice(2)).toEqual(["rm -r dist: ran rm -r dist", ran[2]]);
    expect((await loopWith({ Stop: stop })).at(-1)).toBe(ran[2]);
  });

  test("an output that a PostToolUse hook replaces is the one that the model sees", async () => {
    const updatedToolOutput = { stdout: "***" };
    const redact = json({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } });
    expect(await loopWith({ PostToolUse: redact })).toContain("ls: ***");
  });

  test("an input that a PermissionRequest hook rewrites is the one that runs, unless a rule or a guard refuses it", async () => {
    const rewrite = permission({ command: "mv src old" });
    expect(await loopWith({ PermissionRequest: rewrite })).toContain("rm -r src: ran mv src old");
    const guard = { command: "echo Keep it. >&2; exit 2", if: "Bash(mv *)" };
    expect(await loopWith({ PermissionRequest: rewrite, PreToolUse: guard })).toContain("rm -r src: denied: Keep it.");
    expect(await loopWith({ PermissionRequest: rewrite }, { deny: ["Bash(mv *)"] })).toContainEqual(
      expect.stringMatching(/^rm -r src: denied: Bash\(mv \*\) denies it/),
    );
  });

  test("messages go to the user, context to the model", async () => {
    const answer = (hookEventName: string) =>
      json({
        systemMessage: `seen ${hookEventName}`,
        hookSpecificOutput: { hookEventName, additionalContext: "Be brief." },
      });
    const printed = await loopWith({ UserPromptSubmit: answer("UserPromptSubmit"), PreToolUse: answer("PreToolUse") });
    expect(printed.slice(0, 8)).toEqual([
      "message: seen UserPromptSubmit",
      "prompt: Clean up. <hook>",
      "Be brief.",
      "</hook>",
      "message: seen PreToolUse",
      "ls: ran ls <hook>",
      "Be brief.",
      "</hook>",
    ]);
  });
});
