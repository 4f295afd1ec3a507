import { packageVersion } from "../files/internal.ts";
import { closestName, didYouMean, escapeLines, Problem, systemErrorMessage } from "../protocol/internal.ts";
import type { Command, CommandGroup, Io } from "./command-line/command.ts";
import { commandHelp, programHelp, verbsHelp } from "./command-line/help.ts";
import { asksForHelp, parseCall } from "./command-line/parse.ts";

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<{ command: Command } | { group: CommandGroup }>;
}

function entry(summary: string, load: CommandEntry["load"]): CommandEntry {
  return { summary, load };
}

/** Every command under its heading of `hookline --help`. Only the command that is called is loaded. */
const sections: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  "Write hooks": {
    init: entry("Create a typed hooks file with a test", () => import("./commands/init.ts")),
    test: entry("Run the tests of your hooks, or show what one event does", () => import("./commands/test.ts")),
    replay: entry("Show what your hooks would have done in past sessions", () => import("./commands/replay.ts")),
  },
  Install: {
    install: entry("Add your hooks to an agent's settings", () => import("./commands/install.ts")),
    uninstall: entry(
      "Remove them and restore the settings file byte for byte",
      () => import("./commands/uninstall.ts"),
    ),
    status: entry("Show what is installed and what has changed since", () => import("./commands/status.ts")),
    serve: entry("Run your hooks in a local daemon that answers in 1 to 3 ms", () => import("./commands/serve.ts")),
    run: entry("Answer one event; settings files call this", () => import("./commands/run.ts")),
  },
  Inspect: {
    list: entry("List every configured hook with its source, trust and problems", () => import("./commands/list.ts")),
    explain: entry(
      "Explain which hooks would run for an event, and why the others would not",
      () => import("./commands/explain.ts"),
    ),
    fire: entry("Send one event through the hooks and print the outcome", () => import("./commands/fire.ts")),
    check: entry("Check one tool call against the permission rules", () => import("./commands/check.ts")),
    trust: entry("Review and approve the hooks of a directory", () => import("./commands/trust.ts")),
    doctor: entry("Find problems with the hooks on this machine", () => import("./commands/doctor.ts")),
    log: entry("Show what hooks did", () => import("./commands/log.ts")),
  },
  Sessions: {
    sessions: entry("Read, search, repair and archive transcripts", () => import("./commands/sessions.ts")),
    usage: entry("Report tokens and cost by day, session, model or project", () => import("./commands/usage.ts")),
    statusline: entry("Print a status line for an agent", () => import("./commands/statusline.ts")),
  },
  Agent: {
    agent: entry("Run the reference agent, which fires every event", () => import("./commands/agent.ts")),
    ask: entry("Run an agent session and return its answer as data", () => import("./commands/ask.ts")),
  },
  More: {
    demo: entry("Run an offline demo with real hooks and events", () => import("./commands/demo.ts")),
  },
};

const commands: Readonly<Record<string, CommandEntry>> = Object.assign({}, ...Object.values(sections));

/** Runs one call of the program and resolves with its exit status. Never throws: errors are printed on stderr. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    if (io.signal.aborted && error === io.signal.reason) return 130;
    const message = error instanceof Problem ? error.message : (systemErrorMessage(error) ?? bugReport(error));
    // Messages can quote files, servers and models, so control characters are escaped.
    await io.err(`hookline: ${escapeLines(message)}\n`);
    return 1;
  }
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === "help" && rest.length > 0) return dispatch([...rest, "--help"], io);
  if (name === undefined || isHelp(name)) return print(programHelp(sections), io);
  if (name === "--version" || name === "-v") return print(`${packageVersion()}\n`, io);
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) throw unknownCommand(name);
  const loaded = await entry.load();
  return "group" in loaded ? runVerb(name, loaded.group, rest, io) : runCommand(name, loaded.command, rest, io);
}

async function runVerb(name: string, group: CommandGroup, [verb, ...args]: readonly string[], io: Io): Promise<number> {
  if (verb === undefined || isHelp(verb)) return print(verbsHelp(name, group), io);
  const entry = Object.hasOwn(group.verbs, verb) ? group.verbs[verb] : undefined;
  if (entry === undefined) throw unknownVerb(name, verb, group);
  return runCommand(`${name} ${verb}`, (await entry.load()).command, args, io);
}

async function runCommand(name: string, command: Command, args: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(args)) return print(commandHelp(name, command), io);
  return command.run(parseCall(name, command, args), io);
}

function isHelp(argument: string): boolean {
  return argument === "--help" || argument === "-h" || argument === "help";
}

async function print(text: string, io: Io): Promise<number> {
  await io.out(text);
  return 0;
}

function unknownCommand(name: string): Problem {
  const hint = didYouMean(name, Object.keys(commands), "Run hookline --help to list the commands.");
  return new Problem("cli/unknown-command", `Unknown command "${name}".${hint}`);
}

function unknownVerb(name: string, verb: string, { verbs }: CommandGroup): Problem {
  const near = closestName(verb, Object.keys(verbs));
  const hint = near ? `Did you mean "hookline ${name} ${near}"?` : `See hookline ${name} --help.`;
  return new Problem("cli/usage", `Unknown command "${name} ${verb}". ${hint}`);
}

/** Any other error is a bug in Hookline. A bug report needs the stack. */
function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this is a bug in hookline, please report it.\n${stack}`;
}
