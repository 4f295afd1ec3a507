import { parseArgs } from "node:util";
import { closestName, messageOf, Problem } from "../../protocol/internal.ts";
import type { Command, ParsedCall } from "./command.ts";
import { shownOptions } from "./help.ts";

/** Reads `args` by the options that the command declares. A wrong argument is a `cli/usage` problem that says what to do. */
export function parseCall(name: string, command: Command, args: readonly string[]): ParsedCall {
  const { values, positionals } = readArgs(name, command, args);
  const read = (option: string): unknown => {
    const declared = command.options[option];
    if (declared === undefined || declared.aliasOf !== undefined)
      throw new Error(`hookline ${name} reads --${option}, which it does not declare`);
    return withAliases(option, command, values);
  };
  const call: ParsedCall = {
    operands: positionals,
    flag: (option) => read(option) === true,
    text: (option) => lastText(read(option)),
    texts: (option) => allTexts(read(option)),
  };
  const fault = tooManyArguments(name, command, positionals) ?? wrongTogether(command, call);
  if (fault !== undefined) throw new Problem("cli/usage", `${fault} See hookline ${name} --help.`);
  return call;
}

function tooManyArguments(
  name: string,
  { mostArguments: most }: Command,
  given: readonly string[],
): string | undefined {
  if (most === undefined || given.length <= most) return undefined;
  return most === 0 ? `hookline ${name} takes no arguments.` : `Unexpected argument "${given[most]}".`;
}

/** The first option that excludes another one that was given, or that requires one that was not. */
function wrongTogether({ options }: Command, call: ParsedCall): string | undefined {
  const isGiven = (option: string) => call.flag(option) || call.text(option) !== undefined;
  for (const [name, { excludes = [], requires, aliasOf }] of Object.entries(options)) {
    if (aliasOf !== undefined || !isGiven(name)) continue;
    const other = excludes.find(isGiven);
    if (other !== undefined) return `--${name} and --${other} cannot be used together.`;
    if (requires === undefined) continue;
    const { option, value } = requires;
    const holds = value === undefined ? isGiven(option) : call.text(option) === value;
    if (!holds) return `--${name} requires --${[option, value].filter(Boolean).join(" ")}.`;
  }
  return undefined;
}

/** The values of an option: those given by its aliases first, so that its own name takes precedence. */
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
  const message = messageOf(cause);
  const unknown = /Unknown option '(-[^']*)'/.exec(message)?.[1];
  const valueless = /Option '(?:-\w, )?(--[^' ]+)(?: <value>)?' argument/.exec(message)?.[1];
  if (valueless !== undefined) return `${withoutValue(valueless, args)} See hookline ${name} --help.`;
  if (unknown === undefined) return `${message.split(". To specify")[0]}. See hookline ${name} --help.`;
  const near = closestName(unknown.replace(/^-+/, ""), Object.keys(shownOptions(command)));
  const hint = near ? ` Did you mean --${near}?` : "";
  return `hookline ${name} has no option ${unknown}.${hint} See hookline ${name} --help.`;
}

/** For an option that takes a value and got none, or one that begins with a dash. */
function withoutValue(option: string, args: readonly string[]): string {
  const next = args[args.indexOf(option) + 1];
  if (!args.includes(option) || next === undefined) return `${option} requires a value.`;
  return `${option} requires a value. To pass "${next}", write ${option}=${next}.`;
}

function lastText(value: unknown): string | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === "string" ? last : undefined;
}

function allTexts(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.filter((item) => typeof item === "string");
}

/** Whether the arguments include `--help` or `-h`; what follows `--` is not an option. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}
