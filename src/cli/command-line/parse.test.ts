import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { commandHelp } from "./help.ts";
import { parseCall } from "./parse.ts";

const command: Command = {
  usage: "",
  about: "",
  options: {
    subagent: { value: "NAME", about: "one" },
    by: { value: "WHAT", multiple: true, about: "splits" },
    deep: { about: "all" },
  },
  aliases: { agent: "subagent", agents: "by=subagent", whole: "deep" },
  examples: [],
  run: async () => 0,
};

test("an alias sets its option, and the name of the option takes precedence", () => {
  const call = parseCall("x", command, ["--agent", "Explore", "--agents", "--by", "model", "--whole"]);
  expect([call.text("subagent"), call.texts("by"), call.flag("deep")]).toEqual([
    "Explore",
    ["subagent", "model"],
    true,
  ]);
  const both = parseCall("x", command, ["--subagent", "main", "--agent", "Explore"]);
  expect(both.text("subagent")).toBe("main");
});

test("help and suggestions leave aliases out, and no command can read one", () => {
  expect(commandHelp("x", command)).not.toMatch(/--agent|--whole/);
  expect(() => parseCall("x", command, ["--agentz", "a"])).toThrow(
    /Did you mean --subagent\?|has no option --agentz\. See/,
  );
  expect(() => parseCall("x", command, []).text("agent")).toThrow("does not declare");
});
