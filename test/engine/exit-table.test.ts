import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bash, command, openIn } from "./world.ts";

const specific = (permissionDecision: string, permissionDecisionReason: string) =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } });

/** What a hook prints, and what of it counts. */
const outputs = {
  nothing: { text: "", holds: "nothing" },
  "a valid allow": { text: specific("allow", "fine"), holds: "allow" },
  "a valid deny": { text: specific("deny", "guarded"), holds: "deny" },
  "half an object": { text: '{"hookSpecificOutput":', holds: "rubbish" },
  "an allow beside a wrong type": { text: `{"continue":"no",${specific("allow", "fine").slice(1)}`, holds: "rubbish" },
  "a deny beside a wrong type": { text: `{"continue":"no",${specific("deny", "guarded").slice(1)}`, holds: "deny" },
  "an allow and more text": { text: `${specific("allow", "fine")}\ndone`, holds: "rubbish" },
  "a deny and more text": { text: `${specific("deny", "guarded")}\ndone`, holds: "deny" },
} as const;

/** How it ends, and what that is. */
const ends = {
  "exit 0": { does: "exit 0", is: "success" },
  "exit 1": { does: "echo broken >&2; exit 1", is: "other" },
  "exit 2": { does: "echo refused >&2; exit 2", is: "block" },
  "exit 2 without output": { does: "exit 2", is: "block" },
  "exit 126": { does: "exit 126", is: "other" },
  "exit 127": { does: "exit 127", is: "other" },
  SIGSEGV: { does: "kill -SEGV $$", is: "signal" },
  "a missing script": { does: "./missing.sh", is: "other" },
  "a missing interpreter": { does: "./no-interpreter.sh", is: "other" },
  "a bad shebang": { does: "./bad-shebang.sh", is: "other" },
  "a script that is not executable": { does: "./not-executable.sh", is: "other" },
} as const;

const rows = Object.entries(outputs);

type Holds = (typeof outputs)[keyof typeof outputs]["holds"];
type Is = (typeof ends)[keyof typeof ends]["is"];

/** The documented decision: exit 2 and a readable deny always count, only exact output of a hook that ended allows. */
function expected(holds: Holds, is: Is, onFailure: "continue" | "block") {
  const failed = is !== "block" && hasFailed(holds, is, onFailure);
  if (is === "block" || holds === "deny") return { decision: "deny", failed };
  if (failed) return { decision: onFailure === "block" ? "deny" : "none", failed };
  return { decision: holds === "allow" ? "allow" : "none", failed };
}

function hasFailed(holds: Holds, is: Is, onFailure: "continue" | "block"): boolean {
  if (is === "signal" || holds === "rubbish") return true;
  return is === "other" && (holds === "nothing" || (holds === "allow" && onFailure === "block"));
}

describe.each(["continue", "block"] as const)("with onFailure %s a hook counts as the exit table says", (onFailure) => {
  test.each(Object.keys(ends) as (keyof typeof ends)[])("%s counts as the table says", async (end) => {
    const { engine, project } = await openIn({});
    script(project, "no-interpreter.sh", "#!/no/such/interpreter\n");
    script(project, "bad-shebang.sh", "#!/dev/null\n");
    writeFileSync(join(project, "not-executable.sh"), "exit 0\n");
    const { does, is } = ends[end];
    const check = async ([printed, { text, holds }]: (typeof rows)[number], row: number) => {
      const id = `s-${row}`;
      writeFileSync(join(project, id), text);
      engine.session(id).register("PreToolUse", undefined, command(`cat ${id}; ${does}`, { onFailure }));
      const outcome = await engine.fire("PreToolUse", { ...bash, session_id: id });
      const { decision, failed } = expected(holds, is, onFailure);
      const codes = outcome.warnings.map(({ code }) => code);
      const found = {
        printed,
        decision: outcome.decision,
        blocked: outcome.blocked,
        failed: codes.includes("hook-failed"),
      };
      expect(found).toEqual({ printed, decision, blocked: decision === "deny", failed });
      if (decision === "deny") expect(outcome.reason).not.toBe("");
    };
    await Promise.all(rows.map(check));
  });
});

function script(project: string, name: string, text: string): void {
  writeFileSync(join(project, name), text);
  chmodSync(join(project, name), 0o755);
}
