/** The hooks of the demo's project: programs as anybody would write them. */
const hook = (name: string) => ({
  type: "command",
  command: `${name.endsWith(".mjs") ? "node" : "sh"} "$CLAUDE_PROJECT_DIR/hooks/${name}"`,
  timeout: 10,
});

export const demoSettings: object = {
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

export const hookFiles: Readonly<Record<string, string>> = {
  "hooks/welcome.sh": `# What a hook of SessionStart prints is context for the model.
echo "The main branch is frozen until Friday."
`,
  "hooks/guard.sh": `# Exit 2 refuses the call; stderr is the reason.
if grep -q '"command":"rm -rf'; then
  echo "Nothing is deleted by force here." >&2
  exit 2
fi
`,
  "hooks/time-limit.sh": `# The tool gets another input than the model asked for.
if grep -q '"command":"node --test"'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"node --test --test-timeout=5000"}}}'
fi
`,
  "hooks/look-first.sh": `# A person decides.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Edits are looked at first."}}'
`,
  "hooks/redact.mjs": `// Keys never reach the model: the tool's output is replaced.
import { readFileSync } from "node:fs";

const { tool_response: response } = JSON.parse(readFileSync(0, "utf8"));
const stdout = response.stdout.replace(/sk_live_\\w+/g, "[redacted]");
if (stdout !== response.stdout) {
  const updatedToolOutput = { ...response, stdout };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } }));
}
`,
  "hooks/brief.sh": `# What a subagent should know before it begins.
echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Look only below src/."}}'
`,
  "hooks/tests-pass.sh": `# The agent may stop when the tests pass.
cd "$CLAUDE_PROJECT_DIR" || exit 0
if ! node --test > /dev/null 2>&1; then
  echo "The tests do not pass yet." >&2
  exit 2
fi
`,
  "hooks/remember.sh": `# What a hook of PreCompact prints joins the instructions for the summary.
echo "Keep in the summary: all prices are in cents."
`,
};
