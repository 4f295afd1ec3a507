import { packageVersion } from "../files/internal.ts";
import { closestName, escapeLines, Problem } from "../protocol/internal.ts";
import type { Command, Io } from "./command-line/command.ts";
import { asksForHelp, commandHelp, programHelp, verbsHelp } from "./command-line/help.ts";
import { parseCall } from "./command-line/parse.ts";

/** Every command with its line for --help; only the one that is called is loaded. */
const commands: Readonly<
  Record<string, { summary: string; load: () => Promise<{ command: Command } | { group: CommandGroup }> }>
> = {
  demo: { summary: "a tour: real hooks deciding about real events, offline", load: () => import("./commands/demo.ts") },
  fire: {
    summary: "send one event through the hooks that apply, print the outcome",
    load: () => import("./commands/fire.ts"),
  },
  explain: {
    summary: "which hooks would run, and why the others would not",
    load: () => import("./commands/explain.ts"),
  },
  check: {
    summary: "one tool call under the permission rules: allow, ask or deny, and why",
    load: () => import("./commands/check.ts"),
  },
  trust: {
    summary: "what a folder's own settings would run; approve it by content",
    load: () => import("./commands/trust.ts"),
  },
  doctor: {
    summary: "what is wrong with this machine's hooks",
    load: () => import("./commands/doctor.ts"),
  },
  init: { summary: "scaffold a hooks file with its test", load: () => import("./commands/init.ts") },
  test: { summary: "run the tests of a project's hooks, or show one event", load: () => import("./commands/test.ts") },
  replay: { summary: "what an app would have done to past sessions", load: () => import("./commands/replay.ts") },
  install: { summary: "put an app into an agent's settings", load: () => import("./commands/install.ts") },
  uninstall: { summary: "take it out again, byte for byte", load: () => import("./commands/uninstall.ts") },
  status: { summary: "what is installed, and what has drifted", load: () => import("./commands/status.ts") },
  run: { summary: "what settings.json calls: one event in, one answer out", load: () => import("./commands/run.ts") },
  serve: {
    summary: "the same app, warm: a local daemon that answers at once",
    load: () => import("./commands/serve.ts"),
  },
  log: { summary: "what hooks did, from the hook log", load: () => import("./commands/log.ts") },
  list: { summary: "every configured hook, its source, trust and problems", load: () => import("./commands/list.ts") },
  sessions: { summary: "read, search, check and keep what agents wrote", load: () => import("./commands/sessions.ts") },
  usage: { summary: "tokens and cost, by day, session, model, project", load: () => import("./commands/usage.ts") },
  agent: { summary: "a small coding agent that fires every event", load: () => import("./commands/agent.ts") },
  ask: { summary: "run an agent session and get its answer as data", load: () => import("./commands/ask.ts") },
  statusline: { summary: "one line for an agent's status bar", load: () => import("./commands/statusline.ts") },
};

/** Contract: resolves with the exit status; what goes wrong is told on stderr, never thrown. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    if (io.signal.aborted && error === io.signal.reason) return 130;
    // What went wrong is often told in words of a file, a server or a model.
    const { machineError } = await import("./machine-error.ts");
    await io.err(
      `hookline: ${escapeLines(error instanceof Problem ? error.message : (machineError(error) ?? describeBug(error)))}\n`,
    );
    return 1;
  }
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === "help" && rest.length > 0) return dispatch([...rest, "--help"], io);
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    await io.out(programHelp(commands));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    await io.out(`${packageVersion()}\n`);
    return 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) throw unknownCommand(name);
  const loaded = await entry.load();
  if ("group" in loaded) return runVerb(name, loaded.group, rest, io);
  const { command } = loaded;
  if (asksForHelp(rest)) {
    await io.out(commandHelp(name, command));
    return 0;
  }
  return command.run(parseCall(name, command, rest), io);
}

function unknownCommand(name: string): Problem {
  const near = closestName(name, Object.keys(commands));
  const hint = near ? `Did you mean "${near}"?` : "hookline --help lists the commands.";
  return new Problem("cli/unknown-command", `"${name}" is not a command. ${hint}`, { about: { name } });
}

/** An error that is neither a `Problem` nor the machine's is our fault: the stack is what a bug report needs. */
function describeBug(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this is a bug in hookline, please report it.\n${stack}`;
}

/** A command that is several: `hookline NAME VERB …`. Only the verb that is called is loaded. */
export interface CommandGroup {
  readonly about: string;
  readonly verbs: Readonly<
    Record<string, { readonly summary: string; readonly load: () => Promise<{ command: Command }> }>
  >;
}

async function runVerb(name: string, group: CommandGroup, [verb, ...args]: readonly string[], io: Io): Promise<number> {
  if (verb === undefined || verb === "--help" || verb === "-h" || verb === "help") {
    await io.out(verbsHelp(name, group));
    return 0;
  }
  const entry = Object.hasOwn(group.verbs, verb) ? group.verbs[verb] : undefined;
  if (entry === undefined) throw unknownVerb(name, verb, group);
  const { command } = await entry.load();
  if (asksForHelp(args)) {
    await io.out(commandHelp(`${name} ${verb}`, command));
    return 0;
  }
  return command.run(parseCall(`${name} ${verb}`, command, args), io);
}

function unknownVerb(name: string, verb: string, { verbs }: CommandGroup): Problem {
  const near = closestName(verb, Object.keys(verbs));
  const hint = near ? `Did you mean "hookline ${name} ${near}"?` : `hookline ${name} --help lists what there is.`;
  return new Problem("cli/usage", `"${verb}" is nothing hookline ${name} can do. ${hint}`, { about: { name, verb } });
}
