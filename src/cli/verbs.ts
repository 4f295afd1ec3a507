import { nearest, Problem } from "../protocol/index.ts";
import type { Command, Io } from "./command-line/command.ts";
import { asksForHelp, commandHelp, verbsHelp } from "./command-line/help.ts";
import { parseCall } from "./command-line/parse.ts";

/** A command that is several: `hookline NAME VERB …`. Only the verb that is called is loaded. */
export interface CommandGroup {
  readonly about: string;
  readonly verbs: Readonly<
    Record<string, { readonly summary: string; readonly load: () => Promise<{ command: Command }> }>
  >;
}

export async function runVerb(
  name: string,
  group: CommandGroup,
  [verb, ...args]: readonly string[],
  io: Io,
): Promise<number> {
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
  const near = nearest(verb, Object.keys(verbs));
  const hint = near ? `Did you mean "hookline ${name} ${near}"?` : `hookline ${name} --help lists what there is.`;
  return new Problem("cli/usage", `"${verb}" is nothing hookline ${name} can do. ${hint}`, { about: { name, verb } });
}
