/**
 * Shows the user what hooks are doing while they run, and lets Ctrl-C end them.
 * Run it with: node examples/hosts/stream-progress.mjs
 */
import { openEngine } from "hookline";

/** @type {import("hookline/protocol").Settings} */
const settings = {
  hooks: {
    Stop: [
      {
        sequential: true,
        hooks: [
          { type: "command", command: "sleep 0.2", statusMessage: "Formatting" },
          { type: "command", command: "echo '2 tests fail.' >&2; exit 2", statusMessage: "Running the tests" },
        ],
      },
    ],
  },
};

const ctrlC = new AbortController();
process.once("SIGINT", () => ctrlC.abort(new Error("interrupted")));
const engine = await openEngine({ settings: [settings] });

const end = { last_assistant_message: "All done." };
for await (const step of engine.stream("Stop", end, { signal: ctrlC.signal })) {
  if (step.kind === "started") console.log(`… ${step.statusMessage ?? step.hook.name}`);
  if (step.kind === "ended") console.log(step.record.verdict.kind === "deny" ? "✗ said no" : "✓ fine");
  if (step.kind === "outcome" && step.outcome.blocked) console.log(`The agent continues: ${step.outcome.reason}`);
}
await engine.close();
