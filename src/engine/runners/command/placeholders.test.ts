import { expect, test } from "vitest";
import type { CommandHook } from "../../../protocol/internal.ts";
import { fillPlaceholders, placeholderVariables } from "./command-env.ts";

const plain = { root: "/opt/guard", data: "/home/me/data", options: { level: "high", "api.url": "https://x.io/a" } };
const odd = {
  root: "/opt/my guard",
  data: "/home/$me",
  options: { level: "high; rm -r x", text: "${user_config.level}" },
};

function shell(command: string, plugin: typeof plain | typeof odd = plain) {
  return fillPlaceholders({ type: "command", command }, { projectDir: "/srv/x", plugin });
}

function exec(args: readonly string[], plugin: typeof plain | typeof odd = odd) {
  const hook: CommandHook = { type: "command", command: "${CLAUDE_PLUGIN_ROOT}/run", args };
  return fillPlaceholders(hook, { projectDir: "/srv/x", plugin });
}

test("in shell form root, data and options are filled in, the project folder is the shell's to expand", () => {
  expect(
    shell("${CLAUDE_PLUGIN_ROOT}/run ${CLAUDE_PLUGIN_DATA} ${user_config.level} ${CLAUDE_PROJECT_DIR} $HOME"),
  ).toEqual({
    command: "/opt/guard/run /home/me/data high ${CLAUDE_PROJECT_DIR} $HOME",
  });
});

test("in exec form all of them are filled in, once", () => {
  expect(exec(["${CLAUDE_PROJECT_DIR}", "${CLAUDE_PLUGIN_DATA}/a", "${user_config.text}", "${OTHER}"])).toEqual({
    command: "/opt/my guard/run",
    args: ["/srv/x", "/home/$me/a", "${user_config.level}", "${OTHER}"],
  });
});

test("a path with characters of a shell is left to the shell, and an option with them refuses the hook", () => {
  expect(shell('"${CLAUDE_PLUGIN_ROOT}/run" "${CLAUDE_PLUGIN_DATA}"', odd)).toEqual({
    command: '"${CLAUDE_PLUGIN_ROOT}/run" "${CLAUDE_PLUGIN_DATA}"',
  });
  expect(shell("run ${user_config.level}", odd)).toEqual({
    refused: '${user_config.level} holds characters a shell would read; use "$CLAUDE_PLUGIN_OPTION_LEVEL" instead',
  });
});

test("an option that is not set refuses the hook before a shell could call it a syntax error", () => {
  expect(shell("run ${user_config.colour}")).toEqual({
    refused:
      "${user_config.colour} is not set; set it in pluginConfigs of your settings (sensitive options are kept where only Claude Code reads them)",
  });
});

test("without a plugin only the project folder is a placeholder", () => {
  const hook: CommandHook = { type: "command", command: "run ${CLAUDE_PLUGIN_ROOT}" };
  expect(fillPlaceholders(hook, { projectDir: "/srv/x", plugin: undefined })).toEqual({ command: hook.command });
});

test("all are exported as variables too", () => {
  expect(placeholderVariables({ projectDir: "/srv/x", plugin: plain })).toEqual({
    CLAUDE_PROJECT_DIR: "/srv/x",
    CLAUDE_PLUGIN_ROOT: "/opt/guard",
    CLAUDE_PLUGIN_DATA: "/home/me/data",
    CLAUDE_PLUGIN_OPTION_LEVEL: "high",
    CLAUDE_PLUGIN_OPTION_API_URL: "https://x.io/a",
  });
});

test("in exec form an option without a value refuses the hook, and what objects inherit is not a value", () => {
  for (const name of ["gone", "constructor", "toString"]) {
    expect(exec([`--x=\${user_config.${name}}`])).toEqual({ refused: expect.stringContaining(`${name}} is not set`) });
    expect(shell(`run \${user_config.${name}}`)).toEqual({ refused: expect.stringContaining("is not set") });
  }
});
