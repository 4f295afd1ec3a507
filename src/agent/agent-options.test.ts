import { afterEach, expect, test } from "vitest";
import { runSession, runSessions, type SessionCall } from "../runner/internal.ts";
import { makeWorld, type World } from "./fixtures/agent-run.ts";
import { type RunAgentOptions, runAgent } from "./internal.ts";

let world: World | undefined;
afterEach(() => world?.remove());

const ok = [{ text: "ok", times: "any" as const }];

test.each([
  [{ permissionMode: "bogus" }, "The option permissionMode of runAgent must be a permission mode"],
  [{ disallowedTool: ["Bash"] }, 'runAgent has no option "disallowedTool". Did you mean disallowedTools?'],
  [{ disallowedTools: "Bash" }, 'must be a list of texts, not "Bash"'],
  [{ allowedTools: "Bash" }, "must be a list of texts"],
  [{ tools: [5] }, "The option tools of runAgent must be a list of texts, not [5]"],
  [{ maxTurns: "3" }, 'must be a whole number above 0, not "3"'],
  [{ maxTurns: Number.NaN }, "must be a whole number above 0, not NaN"],
  [{ maxBudgetUsd: "1" }, "must be a number above 0"],
  [{ compactAt: 0 }, "The option compactAt of runAgent must be a number above 0, not 0"],
  [{ addDirectories: ["/nowhere"] }, "/nowhere is not a directory"],
  [{ setup: "bogus" }, 'one of "init", "init-only", "maintenance"'],
  [{ prompt: 5 }, "The option prompt of runAgent must be a string, not 5"],
  [{ env: null }, "The option env of runAgent must be an object, not null"],
  [{ clock: {} }, "an object with now()"],
  [{ signal: {} }, "The option signal of runAgent must be an AbortSignal"],
])("an option of runAgent that could not be kept is refused by name: %j", async (options, says) => {
  world = makeWorld({ hooks: {} });
  await expect(world.run(ok, { prompt: "go", ...(options as Partial<RunAgentOptions>) })).rejects.toThrow(says);
});

test("runAgent without a model names the entry point of models", async () => {
  await expect(runAgent({ prompt: "go" } as unknown as RunAgentOptions)).rejects.toThrow("runAgent needs a model");
});

test.each([
  [{ maxBudget: 1 }, 'runSession has no option "maxBudget". Did you mean maxBudgetUsd?'],
  [{ agent: "claud" }, 'The option agent of runSession must be "claude", "hookline" or an object with the file of'],
  [{ signal: {} }, "The option signal of runSession must be an AbortSignal"],
  [{ maxTurns: 0 }, "The option maxTurns of runSession must be a whole number above 0, not 0"],
  [{ timeoutMs: "5" }, "a number of milliseconds above 0"],
  [{ allowedTools: "Read" }, "must be a list of texts"],
])("an option of runSession that could not be kept is refused by name: %j", async (options, says) => {
  const call = { agent: "hookline", prompt: "go", ...options } as unknown as SessionCall;
  await expect(runSession(call)).rejects.toThrow(says);
});

test.each([
  [{ limits: 2 }, 'runSessions has no option "limits". Did you mean limit?'],
  [{ limit: Number.NaN }, "The option limit of runSessions must be a whole number above 0, not NaN"],
])("an option of runSessions that could not be kept is refused by name: %j", async (options, says) => {
  await expect(runSessions([{ prompt: "x", agent: { file: "/nowhere" } }], options as object)).rejects.toThrow(says);
});
