/** A hooks file of this body. */
export const app = (body: string, options = ""): string =>
  `import * as sdk from "hookline/sdk";\nconst app = sdk.createApp(${options});\n${body}\nexport default app;\n`;

/** Refuses every command. */
export const guard: string = app(`app.preTool("Bash", () => sdk.deny("no"));`);

/** What it is asked. */
export const event = (fields: object = {}): string =>
  JSON.stringify({
    session_id: "s",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    ...fields,
  });

/** What it answers. */
export const denial = (reason: string): string =>
  `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason } })}\n`;
