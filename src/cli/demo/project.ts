import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ModelScript, ScriptedAnswer, ScriptedCall } from "../../models/internal.ts";

/** The hooks of the demo project: ordinary scripts. */
const hook = (name: string) => ({
  type: "command",
  command: `${name.endsWith(".mjs") ? "node" : "sh"} "$CLAUDE_PROJECT_DIR/hooks/${name}"`,
  timeout: 10,
});

const demoSettings: object = {
  permissions: { allow: ["Bash(node --test *)", "Bash(cat *)"] },
  hooks: {
    SessionStart: [{ matcher: "startup", hooks: [hook("welcome.sh")] }],
    PreToolUse: [
      { matcher: "Bash", hooks: [hook("guard.sh"), hook("time-limit.sh")] },
      { matcher: "Edit|Write", hooks: [hook("look-first.sh")] },
    ],
    PostToolUse: [{ matcher: "Bash", hooks: [hook("redact.mjs")] }],
    SubagentStart: [{ hooks: [hook("brief.sh")] }],
    Stop: [{ hooks: [hook("tests-pass.sh")] }],
    PreCompact: [{ hooks: [hook("remember.sh")] }],
  },
};

const hookFiles: Readonly<Record<string, string>> = {
  "hooks/welcome.sh": `# The output of a SessionStart hook is context for the model.
echo "The main branch is frozen until Friday."
`,
  "hooks/guard.sh": `# Exit 2 denies the call; stderr is the reason.
if grep -q '"command":"rm -rf'; then
  echo "rm -rf is not allowed here." >&2
  exit 2
fi
`,
  "hooks/time-limit.sh": `# The hook replaces the input of the tool.
if grep -q '"command":"node --test"'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"node --test --test-timeout=5000"}}}'
fi
`,
  "hooks/look-first.sh": `# The user decides.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Edits need confirmation."}}'
`,
  "hooks/redact.mjs": `// Keys never reach the model: the hook replaces the output of the tool.
import { readFileSync } from "node:fs";

const { tool_response: response } = JSON.parse(readFileSync(0, "utf8"));
const stdout = response.stdout.replace(/sk_live_\\w+/g, "[redacted]");
if (stdout !== response.stdout) {
  const updatedToolOutput = { ...response, stdout };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } }));
}
`,
  "hooks/brief.sh": `# Context for a subagent when it starts.
echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Search only in src/."}}'
`,
  "hooks/tests-pass.sh": `# The agent can stop when the tests pass.
cd "$CLAUDE_PROJECT_DIR" || exit 0
if ! node --test > /dev/null 2>&1; then
  echo "The tests do not pass yet." >&2
  exit 2
fi
`,
  "hooks/remember.sh": `# The output of a PreCompact hook is added to the instructions for the summary.
echo "Keep in the summary: all prices are in cents."
`,
};

/** A small project with a bug, hooks and a secret, in a temporary directory. The settings of the user are neither read nor changed. */
export interface DemoProject {
  readonly root: string;
  readonly home: string;
  readonly folder: string;
  readonly store: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  remove(): Promise<void>;
}

export const secret = "sk_live_51Qx7TbVn9LmR4";

export async function makeDemoProject(path: string | undefined): Promise<DemoProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-demo-")));
  const [folder, home, store] = ["shop", "home", "store"].map((name) => join(root, name)) as [string, string, string];
  for (const [name, text] of Object.entries({ ...shop, ...hookFiles })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(home);
  // A git repository where git is installed; else a directory is enough.
  spawnSync("git", ["init", "-q"], { cwd: folder, env: { PATH: path, HOME: home }, stdio: "ignore" });
  return {
    root,
    home,
    folder,
    store,
    env: { PATH: path, HOME: home, TMPDIR: root, HOOKLINE_HOME: join(root, "state"), LANG: "C.UTF-8" },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const shop: Readonly<Record<string, string>> = {
  ".claude/settings.json": `${JSON.stringify(demoSettings, null, 2)}\n`,
  ".env": `PAYMENT_KEY=${secret}\n`,
  "README.md": "# Shop\n\nAll prices are in cents.\n",
  "package.json": `${JSON.stringify({ name: "shop", private: true, type: "module" }, null, 2)}\n`,
  "src/total.js": "export function total(prices) {\n  return prices.reduce((sum, price) => sum - price, 0);\n}\n",
  "test/total.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/total.js";

test("two mugs cost twice as much", () => assert.equal(total([450, 450]), 900));
`,
};

/** What the user types, in order. */
export const prompts: readonly string[] = [
  "The total of the basket is negative. Please fix it.",
  "/compact",
  "What do you know about prices?",
];

/** The answers of the scripted model. Their expectations check what the model receives; one that fails ends the demo with status 1. */
export function demoScript(folder: string, delayMs: number): ModelScript {
  const call = (tool: string, input: ScriptedCall["input"] = {}): ScriptedCall => ({ tool, input });
  const bash = (command: string) => call("Bash", { command, description: command });
  const file = `${folder}/src/total.js`;
  const answers: readonly ScriptedAnswer[] = [
    { text: "I will free some space first.", calls: [bash("rm -rf ~/shop-data")] },
    {
      text: "I will not do that, then. Let me read the configuration.",
      expect: [{ in: "last-message", contains: ["rm -rf is not allowed here."] }],
      calls: [bash("cat .env")],
    },
    {
      text: "A subagent can find the total.",
      expect: [{ lacks: [secret] }, { in: "last-message", contains: ["[redacted]"] }],
      calls: [
        call("Agent", { subagent_type: "Explore", description: "Find the total", prompt: "Where is the total?" }),
      ],
    },
    {
      when: { purpose: "subagent" },
      expect: [{ contains: ["Search only in src/."] }],
      calls: [call("Grep", { pattern: "total", path: `${folder}/src`, output_mode: "files_with_matches" })],
    },
    { when: { purpose: "subagent" }, text: "It is in src/total.js." },
    { text: "Found it: src/total.js. That should do.", expect: [{ in: "last-message", contains: ["src/total.js"] }] },
    {
      text: "Right, the tests.",
      expect: [{ contains: ["The tests do not pass yet."] }],
      calls: [bash("node --test"), call("Read", { file_path: file })],
    },
    {
      text: "A minus where a plus should be.",
      calls: [call("Edit", { file_path: file, old_string: "sum - price", new_string: "sum + price" })],
    },
    { text: "The total is a sum again, and the tests pass." },
    {
      when: { purpose: "compaction" },
      expect: [{ contains: ["all prices are in cents"] }],
      text: "A minus in src/total.js was fixed; the tests pass. All prices are in cents.",
    },
    { text: "That all prices are in cents.", expect: [{ contains: ["All prices are in cents."] }] },
  ];
  return {
    model: "claude-sonnet-5-5",
    ids: "counted",
    answers: [
      ...answers.map((answer) => ({ ...answer, delayMs })),
      { when: { purpose: "title" }, times: "any", text: "A negative total" },
    ],
  };
}
