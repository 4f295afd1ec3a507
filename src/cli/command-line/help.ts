import type { Command, Option } from "./command.ts";

/** Behind `--` words are words, whatever they look like. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}

/** The text of `hookline NAME --help`. */
export function commandHelp(name: string, command: Command): string {
  const rows = Object.entries({ ...shownOptions(command), help: { type: "boolean", about: "this text" } as const });
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

/** The options of a command without those that are other names of one. */
export function shownOptions({ options }: Command): Command["options"] {
  return Object.fromEntries(Object.entries(options).filter(([, { aliasOf }]) => aliasOf === undefined));
}

/** The text of `hookline --help`. */
export function programHelp(commands: Readonly<Record<string, { readonly summary: string }>>): string {
  return [
    "hookline COMMAND [options]",
    "",
    "The hook engine for coding agents: settings in, event in, one decision out.",
    "",
    "Commands",
    ...columns(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    "",
    "hookline COMMAND --help shows a command's options and examples; --version prints the version.",
    "",
  ].join("\n");
}

/** The text of `hookline NAME --help` of a command with verbs. */
export function verbsHelp(
  name: string,
  { about, verbs }: { readonly about: string; readonly verbs: Readonly<Record<string, { readonly summary: string }>> },
): string {
  return [
    `hookline ${name} VERB [options]`,
    "",
    about,
    "",
    "Verbs",
    ...columns(Object.entries(verbs).map(([verb, { summary }]) => [verb, summary])),
    "",
    `hookline ${name} VERB --help shows a verb's options and examples.`,
    "",
  ].join("\n");
}

function optionLabel(name: string, { value, short, type }: Option): string {
  const argument = type === "string" ? ` ${value ?? "TEXT"}` : "";
  return `${short ? `-${short}, ` : ""}--${name}${argument}`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}`);
}
