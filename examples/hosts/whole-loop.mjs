/**
 * An agent's whole loop around its tools, with a scripted model and user: prompt, decision, question, tool, end of the turn.
 * Run it with: node examples/hosts/whole-loop.mjs
 */
import { openEngine, wrapContext } from "hookline";
import { combine, judge } from "hookline/permissions";

const engine = await openEngine({
  interactive: true,
  settings: [{ permissions: { ask: ["Bash(rm *)"], allow: ["Bash"] } }],
});
engine.on("PostToolUse", "Bash", () => ({
  hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "Remember the tests." },
}));
let ended = 0;
engine.on("Stop", () => (ended++ === 0 ? { decision: "block", reason: "Say what you changed." } : undefined));

const session = { session_id: "s-1", transcript_path: "", permission_mode: "default" };
const askUser = async (/** @type {string} */ question) => question.includes("dist");
const runTool = async (/** @type {string} */ command) => ({ stdout: `ran ${command}` });

/** @param {string} id @param {string} command */
async function callTool(id, command) {
  const call = { ...session, tool_name: "Bash", tool_input: { command }, tool_use_id: id };
  const outcome = await engine.fire("PreToolUse", call);
  const input = outcome.updatedInput ?? call.tool_input;
  const { policy, context } = await engine.rules();
  let { decision, reason } = combine(
    outcome,
    judge({ tool: "Bash", input }, policy, { ...context(call), attended: true }),
  );
  if (decision === "ask") {
    // Hooks may answer in the user's place.
    const asked = await engine.fire("PermissionRequest", { ...call, tool_input: input });
    const allowed = asked.decision === "none" ? await askUser(String(input.command)) : asked.decision === "allow";
    [decision, reason] = allowed ? ["allow", "allowed"] : ["deny", asked.reason ?? "Denied by the user."];
  }
  if (decision !== "allow") return `denied: ${reason}`;
  const result = await runTool(String(input.command));
  const after = await engine.fire("PostToolUse", { ...call, tool_input: input, tool_response: result });
  return [result.stdout, ...after.additionalContext.map((text) => wrapContext(text, "hook"))].join(" ");
}

const prompt = "Clean up.";
const submitted = await engine.fire("UserPromptSubmit", { ...session, prompt });
console.log("prompt:", submitted.blocked ? submitted.reason : prompt);
for (const [index, command] of ["ls", "rm -r dist", "rm -r src"].entries()) {
  console.log(`${command}:`, await callTool(`t-${index}`, command));
}
for (;;) {
  // What background hooks answered since goes to the model with the next call.
  for (const { texts } of engine.background.take("s-1")) console.log("background:", texts);
  const stop = await engine.fire("Stop", { ...session, last_assistant_message: "Done." });
  console.log("stop:", stop.blocked ? stop.reason : "the turn is over");
  if (!stop.blocked) break;
}
await engine.fire("SessionEnd", { ...session, reason: "other" });
await engine.close({ waitMs: 1_000 });
