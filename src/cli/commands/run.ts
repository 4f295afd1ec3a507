import type { Command } from "../command-line/command.ts";

export const command: Command = {
  usage: "HOOKS_FILE [--on-failure block|continue] [--event NAME] [--record DIR]",
  about: `Reads one event from standard input and prints the app's answer. Entries in settings.json call this.

HOOKS_FILE is a .ts, .mts, .js or .mjs file that exports an app of hookline/sdk. TypeScript is compiled once per version of the file;
JavaScript is prepared for its next start, unless HOOKLINE_BUILD_AHEAD=0 is set. Standard output contains only the answer. When the file
does not load or the event cannot be read, --on-failure block exits with 2 and the reason on stderr; otherwise the user gets a message and
the exit status is 1. Once the file is loaded, onFailure "block" of the app, or of a handler of the event, counts like --on-failure block.
A payload of another agent (Gemini CLI, Cursor, …) is a failure. So is an event that neither the catalog nor the app knows. HOOKLINE=0
turns all hooks off.`,
  mostArguments: 1,
  options: {
    "on-failure": { value: "block|continue", about: "what to do when the whole app fails" },
    event: { value: "NAME", about: "event of the entry, used when the payload cannot be read" },
    record: { value: "DIR", about: "save the payload as a test fixture, with secrets masked" },
  },
  examples: [
    `echo '{"hook_event_name":"Stop"}' | hookline run .claude/hooks.ts`,
    "hookline run .claude/hooks.ts --on-failure block < event.json",
  ],
  // Used by tests and by callers of main. On the command line, bin.ts calls runHooks directly.
  async run(call) {
    const { runHooks } = await import("../run/run-hooks.ts");
    const options = ["on-failure", "event", "record"].flatMap((name) => {
      const value = call.text(name);
      return value === undefined ? [] : [`--${name}`, value];
    });
    await runHooks([...call.operands, ...options]);
    return 0;
  },
};
