import { expect, test } from "vitest";
import { compileRules } from "../permissions/internal.ts";
import { agentPort, mcpConnector, modelPort, runBounded } from "./index.ts";

const model = { stream: () => undefined };
const policy = compileRules([{ scope: "user" }]);

test.each<[string, () => unknown, string]>([
  ["a model port without a model", () => modelPort({} as never), "modelPort needs the option model."],
  [
    "a model port with a text for a model",
    () => modelPort({ model: "small" } as never),
    "must be a model, or a function",
  ],
  ["a misspelled option of a model port", () => modelPort({ model, openmodel: 1 } as never), "Did you mean openModel?"],
  ["an agent port without tools", () => agentPort({ model } as never), "agentPort needs the option tools."],
  [
    "a limit that is not a number",
    () => agentPort({ model, maxTurns: "3" } as never),
    "must be a whole number above 0",
  ],
  [
    "a misspelled limit of a command",
    () => runBounded("ls", { policy, cwd: "/", timeout: 1 } as never),
    "Did you mean timeoutMs?",
  ],
  ["a command without rules", () => runBounded("ls", { cwd: "/" } as never), "runBounded needs the option policy."],
  ["a misspelled policy of servers", () => mcpConnector()({ polcy: 1 } as never), "Did you mean policy?"],
  ["servers without a folder", () => mcpConnector()({} as never), "mcpConnector needs the option cwd."],
])("%s is refused, and the message names it", async (_, wrong, message) => {
  const refused = expect((async () => wrong())()).rejects;
  await refused.toMatchObject({ name: "Problem", code: "host/bad-option", message: expect.stringContaining(message) });
});
