import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A project with hooks, in a temporary folder; nothing of the person's own settings is read or touched. */
export interface DemoProject {
  readonly root: string;
  readonly home: string;
  readonly folder: string;
  readonly settings: string;
  remove(): Promise<void>;
}

export async function makeDemoProject(): Promise<DemoProject> {
  const root = await mkdtemp(join(tmpdir(), "hookline-demo-"));
  const folder = join(root, "shop");
  const settings = join(folder, ".claude", "settings.json");
  const files: Record<string, string> = {
    [settings]: `${JSON.stringify(hooks, null, 2)}\n`,
    [join(folder, "hooks", "guard.sh")]: guard,
    [join(folder, "hooks", "secrets.sh")]: secrets,
    [join(folder, "hooks", "dry-run.sh")]: dryRun,
    [join(folder, "hooks", "tests-first.sh")]: testsFirst,
    [join(folder, "README.md")]: "# Shop\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const home = join(root, "home");
  await mkdir(home);
  return { root, home, folder, settings, remove: () => rm(root, { recursive: true, force: true }) };
}

const sh = (name: string) => ({ type: "command", command: `sh "$CLAUDE_PROJECT_DIR/hooks/${name}"`, timeout: 10 });

const hooks = {
  hooks: {
    SessionStart: [{ hooks: [{ type: "command", command: "echo The main branch is frozen until Friday." }] }],
    UserPromptSubmit: [{ hooks: [sh("secrets.sh")] }],
    PreToolUse: [
      { matcher: "Bash", hooks: [sh("guard.sh"), sh("dry-run.sh")] },
      { matcher: "Write|Edit", hooks: [{ type: "command", command: "exit 0", statusMessage: "Looking at the edit" }] },
    ],
    PostToolUse: [
      { matcher: "Bash", hooks: [{ type: "command", command: "cat >> tool-calls.log", async: true }] },
      {
        matcher: "Write",
        hooks: [
          {
            type: "command",
            if: "Write(*.ts)",
            command: `echo '{"decision":"block","reason":"src/price.ts has no test yet."}'`,
          },
        ],
      },
    ],
    Stop: [{ hooks: [sh("tests-first.sh")] }],
    SessionEnd: [{ hooks: [{ type: "command", command: "exit 0" }] }],
  },
};

const guard = `# Deletes nothing outside the project: exit 2 refuses the call, stderr is the reason.
if grep -q 'rm -rf /'; then
  echo "This would delete files outside the project." >&2
  exit 2
fi
`;

const secrets = `# Keeps keys out of prompts.
if grep -q 'sk-live'; then
  echo '{"decision":"block","reason":"The prompt holds a live key."}'
fi
`;

const dryRun = `# Turns a deployment into a rehearsal: the tool gets another input.
if grep -q 'deploy --now'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"deploy --dry-run"}}}'
fi
`;

const testsFirst = `# Lets the agent stop only after it was reminded once.
if grep -q '"stop_hook_active":false'; then
  echo "Run the tests before you finish." >&2
  exit 2
fi
`;
