/**
 * An agent's whole loop around its tools, with a scripted model and user: prompt, decision, question, tool, end of the turn.
 * Run it with: node examples/hosts/whole-loop.mjs
 */
import { openEngine, wrapContext } from "hookline";
import { combine, judge } from "hookline/permissions";

const settings = [{ permissions: { ask: ["Bash(rm *)"], allow: ["Bash"] } }];
const engine = await openEngine({ interactive: true, canDefer: false, settings });
engine.on("PostToolUse", "Bash", () => ({
  hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "Remember the tests." },
}));
let ended = 0;
engine.on("Stop", () => (ended++ === 0 ? { decision: "block", reason: "Say what you changed." } : undefined));

const session = { session_id: "s-1", transcript_path: "", permission_mode: "default" };
const askUser = async (/** @type {string} */ question) => question.includes("dist");
const runTool = async (/** @type {string} */ command) => ({ stdout: `ran ${command}` });

const forModel = /** @type {string[]} */ ([]);
const stops = /** @type {string[]} */ ([]);

/** What every outcome may hold. @param {import("hookline").Outcome} outcome */
function heed(outcome) {
  for (const text of outcome.systemMessages) console.log("message:", text);
  for (const text of outcome.additionalContext) forModel.push(wrapContext(text, "hook"));
  const interrupts = outcome.output.permission?.interrupt === true;
  if (!outcome.continue || interrupts) stops.push(outcome.stopReason ?? outcome.reason ?? "stopped by a hook");
  return outcome;
}

/** @param {string} id @param {string} command */
async function callTool(id, command) {
  const call = { ...session, tool_name: "Bash", tool_input: { command }, tool_use_id: id };
  const before = heed(await engine.fire("PreToolUse", call));
  let input = before.updatedInput ?? call.tool_input;
  const { policy, context } = await engine.rules();
  let { decision, reason } = combine(before, judge({ tool: "Bash", input }, policy, context(call)));
  if (decision === "ask") {
    // Hooks may answer in the user's place, also with another input. It passes the guards that only match the new one.
    let answer = heed(await engine.fire("PermissionRequest", { ...call, tool_input: input }));
    if (answer.updatedInput !== undefined) {
      const rewritten = { ...call, tool_input: answer.updatedInput };
      const again = heed(await engine.fire("PreToolUse", rewritten, { rewrittenFrom: input }));
      if (again.decision === "deny" || again.decision === "ask") answer = again;
      input = rewritten.tool_input;
    }
    if (answer.decision === "allow" || answer.decision === "deny") ({ decision, reason = "" } = answer);
    else [decision, reason] = (await askUser(String(input.command))) ? ["allow", ""] : ["deny", "Denied by the user."];
  }
  if (decision !== "allow") return `denied: ${reason}`;
  const result = await runTool(String(input.command));
  const after = heed(await engine.fire("PostToolUse", { ...call, tool_input: input, tool_response: result }));
  // A hook may replace what the model sees with a value of the same shape, for instance without a secret.
  const { stdout } = /** @type {typeof result} */ (after.output.updatedToolOutput ?? result);
  return after.decision === "deny" ? `${stdout} (${after.reason})` : stdout;
}

/** @param {string} prompt */
async function runTurn(prompt) {
  const submitted = heed(await engine.fire("UserPromptSubmit", { ...session, prompt }));
  if (submitted.blocked) return `the prompt was blocked: ${submitted.reason}`;
  console.log("prompt:", prompt, ...forModel.splice(0));
  for (const [index, command] of ["ls", "rm -r dist", "rm -r src"].entries()) {
    console.log(`${command}:`, await callTool(`t-${index}`, command), ...forModel.splice(0));
    if (stops.length > 0) return `stopped: ${stops[0]}`;
  }
  for (;;) {
    // What background hooks answered since goes to the model with the next call.
    for (const { texts } of engine.background.take("s-1")) console.log("background:", texts);
    const stop = heed(await engine.fire("Stop", { ...session, last_assistant_message: "Done." }));
    if (!stop.blocked) return stops.length > 0 ? `stopped: ${stops[0]}` : "the turn is over";
    console.log("stop:", stop.reason, ...forModel.splice(0));
  }
}

console.log("end:", await runTurn("Clean up."));
await engine.fire("SessionEnd", { ...session, reason: "other" });
await engine.close({ waitMs: 1_000 });
