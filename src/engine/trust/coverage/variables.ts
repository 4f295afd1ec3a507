import type { Gathering } from "./gather-files.ts";
import { type Script, valueContext } from "./script-walk.ts";
import type { TextCommand, TextWord } from "./shell-text.ts";
import { isGiven, unknown, valuesOf } from "./word-values.ts";

/** Values may be built of values. */
const rounds = 3;
const mostValues = 32;

/** What the variables of a text may hold: every value that is assigned anywhere in it, beside those it starts with. */
export function variablesOf(
  commands: readonly TextCommand[],
  script: Script,
  gathering: Gathering,
): ReadonlyMap<string, readonly string[]> {
  const assigned = commands.flatMap(({ words }) => assignmentsIn(words));
  let variables = script.variables;
  for (let round = 0; round < rounds && assigned.length > 0; round++) {
    const context = valueContext({ ...script, variables }, gathering);
    const found = new Map<string, Set<string>>();
    for (const { name, values } of assigned) {
      const known = found.get(name) ?? new Set();
      for (const word of values)
        for (const value of word === undefined || isGiven(word.pieces) ? [unknown] : valuesOf(word, context))
          known.add(value);
      found.set(name, known);
    }
    variables = new Map([...script.variables, ...[...found].map(([name, known]) => [name, bounded(known)] as const)]);
  }
  return variables;
}

function bounded(values: ReadonlySet<string>): readonly string[] {
  return values.size > mostValues ? [unknown] : [...values];
}

interface Assigned {
  readonly name: string;
  /** Undefined: a value from elsewhere. */
  readonly values: readonly (TextWord | undefined)[];
}

function assignmentsIn(words: readonly TextWord[]): readonly Assigned[] {
  const start = words.findIndex((word) => !/^(?:if|then|else|elif|while|until|do|!|\{|time)$/.test(word.raw));
  const [first, second, third, ...rest] = words.slice(Math.max(start, 0));
  if (first === undefined) return [];
  if (/^(?:for|select)$/.test(first.raw) && third?.raw === "in" && second !== undefined)
    return [{ name: second.raw, values: rest }];
  if (/^(?:read|mapfile|readarray|getopts)$/.test(first.raw))
    return words.flatMap(({ raw }) => (/^[A-Za-z_]\w*$/.test(raw) ? [{ name: raw, values: [undefined] }] : []));
  return words.flatMap((word) => assignmentOf(word) ?? []);
}

/** `NAME=value`; in doubt an argument of that form is taken for one too. */
function assignmentOf({ pieces, raw }: TextWord): Assigned | undefined {
  const [first, ...rest] = pieces;
  if (first?.kind !== "text" || first.quoted) return undefined;
  const [whole, name] = /^([A-Za-z_]\w*)\+?=/.exec(first.text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  return { name, values: [{ raw, pieces: [{ ...first, text: first.text.slice(whole.length) }, ...rest] }] };
}
