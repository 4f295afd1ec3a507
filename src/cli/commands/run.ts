import type { Command } from "../command-line/command.ts";

export const command: Command = {
  usage: "HOOKS_FILE [--on-failure block|continue] [--event NAME] [--record DIR]",
  about: `What settings.json calls: reads one event on standard input and prints the app's answer.

HOOKS_FILE is a .ts, .mts, .js or .mjs file that exports an app of hookline/sdk. TypeScript is built once per content; other files are
built ahead for their next start, unless HOOKLINE_BUILD_AHEAD=0 is in the environment. Nothing but the answer reaches standard output.
When the file does not load or the event cannot be read, --on-failure block is exit 2 with the reason on stderr; otherwise the user
gets a message and the exit status is 1. A payload of another agent (an event or a tool with a name of Gemini CLI, Cursor and others) and
an event that neither the catalog nor the app knows are failures too. HOOKLINE=0 switches all hooks off.`,
  options: {
    "on-failure": { type: "string", value: "block|continue", about: "what a failure of the whole app means" },
    event: { type: "string", value: "NAME", about: "the event of the entry, for when the payload cannot be read" },
    record: { type: "string", value: "DIR", about: "keep the payload there, secrets masked, as a fixture for tests" },
  },
  examples: [
    `echo '{"hook_event_name":"Stop"}' | hookline run .claude/hooks.ts`,
    "hookline run .claude/hooks.ts --on-failure block < event.json",
  ],
  // Reached when the program is called as a library; from the command line the call goes past this, straight to the same function.
  async run(call) {
    const { runHooks } = await import("../run/run-hooks.ts");
    const named = ["on-failure", "event", "record"].flatMap((name) => {
      const value = call.text(name);
      return value === undefined ? [] : [`--${name}`, value];
    });
    await runHooks([...call.words, ...named]);
    return 0;
  },
};
