/**
 * A log of what hooks do: one line per run, with secrets and contents left out by the engine.
 * Run it with: node examples/hosts/observe-runs.mjs
 */
import { openEngine } from "hookline";

/** @type {import("hookline/protocol").Settings} */
const settings = {
  hooks: {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo 'Not on this machine.' >&2; exit 2" }] }],
    PostToolUse: [{ hooks: [{ type: "command", command: "cat > /dev/null", async: true }] }],
  },
};

const engine = await openEngine({
  settings: [settings],
  ports: {
    observe(notice) {
      if (notice.kind !== "run" && notice.kind !== "background-ended") return;
      const { hook, ended, verdict } = notice.record;
      console.log(
        JSON.stringify({ notice: notice.kind, event: hook.event, hook: hook.name, ended, verdict: verdict.kind }),
      );
    },
  },
});

const call = { tool_name: "Bash", tool_input: { command: "make deploy" } };
await engine.fire("PreToolUse", call);
await engine.fire("PostToolUse", { ...call, tool_response: { stdout: "done" } });
await engine.close({ waitMs: 5_000 });
