import { revealedNames } from "./revealed-names.ts";
import { type ShellWord, staticValue } from "./shell-part.ts";
import type { State } from "./shell-state.ts";
import { type VariableValue, withoutVariables } from "./variables.ts";
import type { Walk } from "./walk-context.ts";
import type { ReadWord } from "./word.ts";
import { assignAtoms, type Expander, expandAtoms } from "./word-pieces.ts";

/** The words of one command, each spelling expanded once. */
export function expandWords(words: readonly ReadWord[], state: State, walk: Walk): ShellWord[] {
  const known = new Map<string, Pick<ShellWord, "expansions" | "reveals">>();
  return words.map((word) => {
    const before = known.get(word.raw);
    if (before) {
      const { atoms: _, ...plain } = word;
      return { ...plain, ...before };
    }
    const expanded = expandWord(word, state, walk);
    const { expansions, reveals } = expanded;
    known.set(word.raw, { ...(expansions && { expansions }), ...(reveals && { reveals }) });
    return expanded;
  });
}

/** The word with all that it may become, as far as that is known. */
export function expandWord(word: ReadWord, state: State, walk: Walk): ShellWord {
  const { atoms, ...plain } = word;
  if (staticValue(word) !== undefined) return plain;
  const expansions = atoms && expansionsOf(word, state, walk);
  const reveals = revealedNames(word.raw, knownIn(state, walk));
  return { ...plain, ...(expansions ? { expansions } : {}), ...(reveals.length > 0 ? { reveals } : {}) };
}

/** Whether the script itself says what a variable holds. */
export function knownIn({ variables }: State, { volatile }: Walk): (name: string) => boolean {
  return (name) => variables.has(name) && !volatile.has(name);
}

export function expansionsOf({ atoms }: ReadWord, state: State, walk: Walk): readonly string[] | undefined {
  return atoms && expandAtoms(atoms, expander(state, walk));
}

/** What a variable holds after `name=word`. */
export function assignedValues(word: ReadWord, state: State, walk: Walk): readonly VariableValue[] | undefined {
  const text = staticValue(word);
  if (text !== undefined) return [{ text, live: false }];
  return word.atoms && assignAtoms(word.atoms, expander(state, walk));
}

function expander({ folders, unknown, variables }: State, { home, volatile }: Walk): Expander {
  return { variables: withoutVariables(variables, volatile), folders: unknown ? undefined : folders, home };
}
