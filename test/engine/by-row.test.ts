import { describe, expect, test } from "vitest";
import { catalog, type EventName, type EventRow, eventNames, type HookOutput } from "../../src/protocol/internal.ts";
import { openIn } from "./world.ts";

/** Everything an answer can hold, all of it well-formed. */
const everything = {
  additionalContext: "context",
  updatedInput: { command: "ls -l" },
  updatedToolOutput: { stdout: "" },
  classifierContext: "harmless",
  initialUserMessage: "hello",
  sessionTitle: "title",
  watchPaths: ["/x"],
  reloadSkills: true,
  suppressOriginalPrompt: true,
  displayContent: "shown",
  retry: true,
  worktreePath: process.cwd(),
  action: "accept" as const,
  content: { a: 1 },
};

const payload = {
  ...{ tool_name: "Bash", tool_input: { command: "ls" }, source: "startup", trigger: "init", reason: "other" },
  ...{ load_reason: "include", command_name: "deploy", agent_type: "Explore", agent_id: "a-1", error: "rate_limit" },
  ...{ to_model: "large-1", file_path: "/x/y", mcp_server_name: "srv", notification_type: "idle_prompt" },
};

/** Where an answer of that name shows up in `output`; the others have a place of their own in the outcome. */
const elsewhere: Readonly<Record<string, string>> = {
  updatedMCPToolOutput: "updatedToolOutput",
  decision: "permission",
};
const besideOutput = ["additionalContext", "permissionDecision", "updatedInput"];

function allowedIn({ answers, special }: EventRow): ReadonlySet<string> {
  const named = answers.filter((name) => !besideOutput.includes(name)).map((name) => elsewhere[name] ?? name);
  return new Set([...named, "terminalSequence", ...(special.endsTurn ? ["stopBlocks"] : [])]);
}

describe.each(eventNames.map((name): EventRow => catalog[name]))("$name", (row) => {
  test("output holds all answers that its row honors, and only those", async () => {
    const { engine } = await openIn({});
    const said: HookOutput = {
      terminalSequence: "\u0007",
      hookSpecificOutput: { hookEventName: row.name, ...everything },
    };
    engine.on(row.name as EventName, () => said as never);
    const outcome = await engine.fireUnknown(row.name, payload);
    const allowed = allowedIn(row);
    const keys = Object.keys(outcome.output);
    expect(keys.filter((key) => !allowed.has(key))).toEqual([]);
    const due = Object.keys(everything).filter((key) => allowed.has(key));
    expect(due.filter((key) => !keys.includes(key))).toEqual([]);
    expect(keys).toContain("terminalSequence");
    expect(outcome.additionalContext).toEqual(row.answers.includes("additionalContext") ? ["context"] : []);
    expect(outcome.updatedInput !== undefined).toBe(row.answers.includes("updatedInput"));
    const dropped = outcome.warnings.filter(({ code }) => code === "output-ignored");
    const unknown = Object.keys(everything).filter((name) => !row.answers.some((answer) => answer === name));
    expect(dropped.map(({ message }) => message.split(" ")[0]).sort()).toEqual(unknown.sort());
  });

  test("a denial in every spelling is one verdict, and blocks only where the row allows it", async () => {
    const { engine } = await openIn({});
    let said: HookOutput = {};
    engine.on(row.name as EventName, () => said as never);
    const spellings: HookOutput[] = [
      { decision: "block", reason: "no" },
      { decision: "deny", reason: "no" },
      { hookSpecificOutput: { hookEventName: row.name, permissionDecision: "deny", permissionDecisionReason: "no" } },
    ];
    for (const spelling of spellings) {
      said = spelling;
      const { decision, blocked, reason } = await engine.fireUnknown(row.name, {
        ...payload,
        session_id: JSON.stringify(said),
      });
      const denied = row.decisions.includes("deny");
      expect({ spelling, decision }).toEqual({ spelling, decision: denied ? "deny" : "none" });
      const policy = row.special.blocksWhen?.(payload) ?? true;
      expect(blocked).toBe(denied && row.blocks !== null && policy);
      expect(reason).toBe(denied ? "no" : undefined);
    }
  });
});
