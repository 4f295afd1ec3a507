/** One stop of the tour: what the agent is about to do, in words, and the event it fires. */
export interface Stop {
  readonly says: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command }, tool_use_id: "toolu_demo" });
const wrote = (file: string) => ({
  tool_name: "Write",
  tool_input: { file_path: file, content: "…" },
  tool_use_id: "toolu_demo",
  tool_response: { type: "create", filePath: file },
});

/** A short session of a shop's agent. */
export function tour(folder: string): readonly Stop[] {
  return [
    {
      says: "A session begins. A hook tells the model something it should know.",
      event: "SessionStart",
      payload: { source: "startup" },
    },
    {
      says: "Somebody pastes a key into the prompt.",
      event: "UserPromptSubmit",
      payload: { prompt: "Use sk-live-123 to test the checkout" },
    },
    {
      says: "A harmless prompt passes.",
      event: "UserPromptSubmit",
      payload: { prompt: "Fix the price of the blue mug" },
    },
    { says: "The agent wants to look around.", event: "PreToolUse", payload: bash("ls src") },
    { says: "The agent wants to delete too much.", event: "PreToolUse", payload: bash("rm -rf /var/data") },
    {
      says: "The agent wants to deploy. A hook rewrites the call into a rehearsal.",
      event: "PreToolUse",
      payload: bash("deploy --now"),
    },
    {
      says: "The call is over. A background hook writes it down while the agent goes on.",
      event: "PostToolUse",
      payload: { ...bash("deploy --dry-run"), tool_response: { stdout: "ok", stderr: "", interrupted: false } },
    },
    {
      says: "The agent wrote a file. A hook with a condition has something to say about TypeScript.",
      event: "PostToolUse",
      payload: wrote(`${folder}/src/price.ts`),
    },
    {
      says: "The same hook has nothing to say about notes.",
      event: "PostToolUse",
      payload: wrote(`${folder}/notes.md`),
    },
    {
      says: "The agent wants to stop. A hook makes it go on.",
      event: "Stop",
      payload: { last_assistant_message: "Done." },
    },
    {
      says: "It ran the tests and wants to stop again. This time it may.",
      event: "Stop",
      payload: { last_assistant_message: "Tests pass." },
    },
    { says: "The session ends.", event: "SessionEnd", payload: { reason: "other" } },
  ];
}
