import { parseArgs } from "node:util";
import { closestName, messageOf, Problem, stringsIn } from "../../protocol/internal.ts";
import type { Command, OptionSpec, ParsedCall } from "./command.ts";

/** Reads `args` by the options that the command declares. A wrong argument is a `cli/usage` problem that says what to do. */
export function parseCall(name: string, command: Command, args: readonly string[]): ParsedCall {
  const fault = (why: string, cause?: unknown) =>
    new Problem("cli/usage", `${why} See hookline ${name} --help.`, { cause });
  const misread = (cause: unknown) => fault(syntaxFault(name, command, args, cause), cause);
  const { values, positionals } = readArgs(command, args, misread);
  /** The values of an option: those given by its aliases first, so that its own name takes precedence. */
  const read = (option: string): readonly unknown[] => {
    if (!Object.hasOwn(command.options, option))
      throw new Error(`hookline ${name} reads --${option}, which it does not declare`);
    const byAlias = Object.entries(command.aliases ?? {}).map(([alias, target]) => {
      const [actual, value] = target.split("=");
      return actual === option && values[alias] !== undefined ? (value ?? values[alias]) : [];
    });
    return [...byAlias, values[option] ?? []].flat();
  };
  const why = tooManyArguments(name, command, positionals) ?? wrongTogether(command, read);
  if (why !== undefined) throw fault(why);
  return {
    operands: positionals,
    flag: (option) => read(option).includes(true),
    text: (option) => stringsIn(read(option)).at(-1),
    texts: (option) => stringsIn(read(option)),
  };
}

function tooManyArguments(name: string, command: Command, given: readonly string[]): string | undefined {
  const { mostArguments: most = 0 } = command;
  if (most === "any" || given.length <= most) return undefined;
  return `Unexpected argument "${given[most]}".${most === 0 ? ` ${name} takes no arguments.` : ""}`;
}

/** The first option that excludes another one that was given, or that requires one that was not. */
function wrongTogether({ options }: Command, read: (option: string) => readonly unknown[]): string | undefined {
  const isGiven = (option: string) => read(option).length > 0;
  for (const [name, { excludes = [], requires }] of Object.entries(options)) {
    if (!isGiven(name)) continue;
    const other = excludes.find(isGiven);
    if (other !== undefined) return `--${name} and --${other} cannot be used together.`;
    const [option, value] = requires?.split("=") ?? [];
    const holds = option === undefined || (value === undefined ? isGiven(option) : read(option).at(-1) === value);
    if (!holds) return `--${name} requires --${[option, value].filter(Boolean).join(" ")}.`;
  }
  return undefined;
}

function readArgs({ options, aliases = {} }: Command, args: readonly string[], faultOf: (cause: unknown) => Problem) {
  const typeOf = ({ value, multiple = false }: Partial<OptionSpec> = {}) =>
    ({ type: value === undefined ? "boolean" : "string", multiple }) as const;
  const own = Object.entries(options).map(
    ([name, spec]) => [name, { ...typeOf(spec), ...(spec.short ? { short: spec.short } : {}) }] as const,
  );
  const others = Object.entries(aliases).map(([alias, target]) => [alias, typeOf(options[target])] as const);
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries([...own, ...others]), allowPositionals: true });
  } catch (cause) {
    throw faultOf(cause);
  }
}

function syntaxFault(name: string, { options }: Command, args: readonly string[], cause: unknown): string {
  const message = messageOf(cause);
  const unknown = /Unknown option '(-[^']*)'/.exec(message)?.[1];
  const valueless = /Option '(?:-\w, )?(--[^' ]+)(?: <value>)?' argument/.exec(message)?.[1];
  if (valueless !== undefined) return withoutValue(valueless, args);
  if (unknown === undefined) return `${message.split(". To specify")[0]}.`;
  const near = closestName(unknown.replace(/^-+/, ""), Object.keys(options));
  const hint = near ? ` Did you mean --${near}?` : "";
  return `${name} has no option ${unknown}.${hint}`;
}

/** For an option that takes a value and got none, or one that begins with a dash. */
function withoutValue(option: string, args: readonly string[]): string {
  const next = args[args.indexOf(option) + 1];
  if (!args.includes(option) || next === undefined) return `${option} requires a value.`;
  return `${option} requires a value. To pass "${next}", write ${option}=${next}.`;
}

/** Whether the arguments include `--help` or `-h`; what follows `--` is not an option. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}
