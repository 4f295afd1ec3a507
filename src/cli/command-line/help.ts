import type { Command, CommandGroup, OptionSpec } from "./command.ts";

/** The text of `hookline NAME --help`. */
export function commandHelp(name: string, command: Command): string {
  const shown = Object.entries(command.options).filter(([, { hidden }]) => !hidden);
  const options = [...shown, ["help", { about: "print this help" }] as const];
  return [
    `hookline ${name} ${command.usage}`.trimEnd(),
    "",
    command.about,
    "",
    "Options",
    ...columns(options.map(([option, spec]) => [optionLabel(option, spec), spec.about])),
    "",
    command.examples.length === 1 ? "Example" : "Examples",
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

type Summaries = Readonly<Record<string, { readonly summary: string }>>;

/** The text of `hookline --help`: the commands under their headings. */
export function programHelp(sections: Readonly<Record<string, Summaries>>): string {
  const names = Object.values(sections).flatMap((commands) => Object.keys(commands));
  const width = Math.max(...names.map(({ length }) => length));
  return [
    "hookline COMMAND [options]",
    "",
    "Run, test and debug hooks for coding agents.",
    "",
    ...Object.entries(sections).flatMap(([title, commands]) => [title, ...columns(summaries(commands), width), ""]),
    "hookline COMMAND --help shows the options and examples of a command; --version prints the version.",
    "",
  ].join("\n");
}

function summaries(commands: Summaries): readonly (readonly [string, string])[] {
  return Object.entries(commands).map(([name, { summary }]) => [name, summary]);
}

/** The text of `hookline NAME --help` of a command with verbs. */
export function verbsHelp(name: string, { about, verbs }: CommandGroup): string {
  return [
    `hookline ${name} VERB [options]`,
    "",
    about,
    "",
    "Verbs",
    ...columns(summaries(verbs)),
    "",
    `hookline ${name} VERB --help shows the options and examples of a verb.`,
    "",
  ].join("\n");
}

function optionLabel(name: string, { value, short }: OptionSpec): string {
  return `${short ? `-${short}, ` : ""}--${name}${value === undefined ? "" : ` ${value}`}`;
}

function columns(
  rows: readonly (readonly [string, string])[],
  width: number = Math.max(...rows.map(([label]) => label.length)),
): string[] {
  return rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}`);
}
