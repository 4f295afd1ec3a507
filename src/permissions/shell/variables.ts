/** What a variable may hold: a text, or with `live` a pattern of names that bash found on disk. */
export interface VariableValue {
  readonly text: string;
  readonly live: boolean;
}

/** What is known of the shell's variables at one point of a script; a name that is absent may hold anything. */
export type Variables = ReadonlyMap<string, readonly VariableValue[]>;

export const noVariables: Variables = new Map();

const mostValues = 32;
/** Each step copies them. */
const mostVariables = 64;

export function withVariable(
  variables: Variables,
  name: string,
  values: readonly VariableValue[] | undefined,
): Variables {
  const known = variables.has(name);
  if (!known && (values === undefined || variables.size >= mostVariables)) return variables;
  const changed = new Map(variables);
  if (values === undefined || values.length > mostValues) changed.delete(name);
  else changed.set(name, values);
  return changed;
}

export function withoutVariables(variables: Variables, names: Iterable<string>): Variables {
  let changed: Map<string, readonly VariableValue[]> | undefined;
  for (const name of names) {
    if (!variables.has(name)) continue;
    changed ??= new Map(variables);
    changed.delete(name);
  }
  return changed ?? variables;
}

/** What is known where two ways meet: a name keeps what it holds on either, if both know. */
export function mergeVariables(a: Variables, b: Variables): Variables {
  if (a === b) return a;
  const merged = new Map<string, readonly VariableValue[]>();
  for (const [name, values] of a) {
    const others = b.get(name);
    if (others === undefined) continue;
    const added = others.filter(
      ({ text, live }) => !values.some((known) => known.text === text && known.live === live),
    );
    if (values.length + added.length <= mostValues)
      merged.set(name, added.length === 0 ? values : [...values, ...added]);
  }
  return merged;
}
