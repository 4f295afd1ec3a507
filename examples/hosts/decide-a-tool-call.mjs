/**
 * Before a tool runs: ask the hooks, then the permission rules, and do what they say together.
 * Run it with: node examples/hosts/decide-a-tool-call.mjs
 */
import { fileURLToPath } from "node:url";
import { openEngine } from "hookline";
import { combine, judge } from "hookline/permissions";

const guard = fileURLToPath(new URL("../settings/guard.json", import.meta.url));
const engine = await openEngine({ interactive: true, settings: [guard] });

/**
 * @param {string} tool
 * @param {Record<string, unknown>} input
 */
async function decide(tool, input) {
  const outcome = await engine.fire("PreToolUse", { tool_name: tool, tool_input: input });
  // A hook may have rewritten the call: what is judged is what will run.
  const effective = outcome.updatedInput ?? input;
  const { policy, context } = await engine.rules();
  const judgement = judge({ tool, input: effective }, policy, context());
  const { decision, reason } = combine(outcome, judgement);
  return { decision, reason, input: effective };
}

for (const command of ["git status", "git reset --hard", "cd api && git push"]) {
  const { decision, reason } = await decide("Bash", { command });
  console.log(`${command.padEnd(20)} ${decision}: ${reason}`);
}
await engine.close();
