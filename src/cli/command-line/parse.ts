import { parseArgs } from "node:util";
import { closestName, messageOf, Problem } from "../../protocol/internal.ts";
import type { Call, Command } from "./command.ts";
import { shownOptions } from "./help.ts";

/** `args` read by the command's own options; anything else is a `cli/usage` problem that names the way out. */
export function parseCall(name: string, command: Command, args: readonly string[]): Call {
  const { values, positionals } = readArgs(name, command, args);
  const fault = tooManyArguments(name, command, positionals) ?? excluded(command, values);
  if (fault !== undefined) throw new Problem("cli/usage", `${fault} See hookline ${name} --help.`);
  const read = (option: string): unknown => {
    const declared = command.options[option];
    if (declared === undefined || declared.aliasOf !== undefined)
      throw new Error(`hookline ${name} reads --${option}, which it does not declare`);
    return withAliases(option, command, values);
  };
  return {
    words: positionals,
    flag: (option) => read(option) === true,
    text: (option) => lastText(read(option)),
    texts: (option) => allTexts(read(option)),
  };
}

function tooManyArguments(
  name: string,
  { mostArguments: most }: Command,
  given: readonly string[],
): string | undefined {
  if (most === undefined || given.length <= most) return undefined;
  return most === 0 ? `hookline ${name} takes no arguments.` : `Unexpected argument "${given[most]}".`;
}

function excluded({ options }: Command, values: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, { excludes = [] }] of Object.entries(options)) {
    const other = values[name] === undefined ? undefined : excludes.find((option) => values[option] !== undefined);
    if (other !== undefined) return `--${name} and --${other} cannot be used together.`;
  }
  return undefined;
}

/** The value of an option, and before it what was given by its other names: the option's own name counts more. */
function withAliases(option: string, command: Command, values: Readonly<Record<string, unknown>>): unknown {
  const others = Object.entries(command.options).flatMap(([name, { aliasOf }]) => {
    if (aliasOf?.option !== option || values[name] === undefined) return [];
    return aliasOf.value ?? values[name];
  });
  if (others.length === 0) return values[option];
  return command.options[option]?.type === "boolean" ? true : [...others, values[option] ?? []].flat();
}

function readArgs(name: string, command: Command, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { type, short, multiple }]) => [
      option,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (cause) {
    throw new Problem("cli/usage", usageMessage(name, command, args, cause), { cause });
  }
}

function usageMessage(name: string, command: Command, args: readonly string[], cause: unknown): string {
  const said = messageOf(cause);
  const unknown = /Unknown option '(-[^']*)'/.exec(said)?.[1];
  const valueless = /Option '(?:-\w, )?(--[^' ]+)(?: <value>)?' argument/.exec(said)?.[1];
  if (valueless !== undefined) return `${withoutValue(valueless, args)} See hookline ${name} --help.`;
  if (unknown === undefined) return `${said.split(". To specify")[0]}. See hookline ${name} --help.`;
  const near = closestName(unknown.replace(/^-+/, ""), Object.keys(shownOptions(command)));
  const hint = near ? ` Did you mean --${near}?` : "";
  return `hookline ${name} has no option ${unknown}.${hint} See hookline ${name} --help.`;
}

/** An option that takes a value and got none, or one that begins with a dash. */
function withoutValue(option: string, args: readonly string[]): string {
  const next = args[args.indexOf(option) + 1];
  if (!args.includes(option) || next === undefined) return `${option} needs a value.`;
  return `${option} needs a value, and "${next}" reads as an option. If it is the value, write ${option}=${next}.`;
}

function lastText(value: unknown): string | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === "string" ? last : undefined;
}

function allTexts(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.filter((item) => typeof item === "string");
}
