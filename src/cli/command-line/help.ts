import type { Command, CommandGroup, OptionSpec } from "./command.ts";

/** The text of `hookline NAME --help`. */
export function commandHelp(name: string, command: Command): string {
  const rows = Object.entries({
    ...shownOptions(command),
    help: { type: "boolean", about: "print this help" } as const,
  });
  return [
    `hookline ${name} ${command.usage}`.trimEnd(),
    "",
    command.about,
    "",
    "Options",
    ...columns(rows.map(([option, spec]) => [optionLabel(option, spec), spec.about])),
    "",
    command.examples.length === 1 ? "Example" : "Examples",
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

/** The options of a command without aliases. */
export function shownOptions({ options }: Command): Command["options"] {
  return Object.fromEntries(Object.entries(options).filter(([, { aliasOf }]) => aliasOf === undefined));
}

/** Commands for one task, under one heading of `hookline --help`. */
export interface HelpSection {
  readonly title: string;
  readonly commands: Readonly<Record<string, { readonly summary: string }>>;
}

/** The text of `hookline --help`. */
export function programHelp(sections: readonly HelpSection[]): string {
  const width = Math.max(...sections.flatMap(({ commands }) => Object.keys(commands).map(({ length }) => length)));
  return [
    "hookline COMMAND [options]",
    "",
    "Run, test and debug hooks for coding agents.",
    "",
    ...sections.flatMap(({ title, commands }) => [title, ...columns(summaries(commands), width), ""]),
    "hookline COMMAND --help shows the options and examples of a command; --version prints the version.",
    "",
  ].join("\n");
}

function summaries(commands: HelpSection["commands"]): readonly (readonly [string, string])[] {
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

function optionLabel(name: string, { value, short, type }: OptionSpec): string {
  const argument = type === "string" ? ` ${value ?? "TEXT"}` : "";
  return `${short ? `-${short}, ` : ""}--${name}${argument}`;
}

function columns(
  rows: readonly (readonly [string, string])[],
  width: number = Math.max(...rows.map(([label]) => label.length)),
): string[] {
  return rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}`);
}
