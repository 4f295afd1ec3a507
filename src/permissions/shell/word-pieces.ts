import type { Variables, VariableValue } from "./variables.ts";

/** A piece of a word before expansion. `pattern` is text with every sign that means itself escaped. */
export type Atom =
  | { readonly pattern: string; readonly quoted: boolean }
  | { readonly name: string; readonly quoted: boolean };

/** Where and as whom a word is expanded. */
export interface Expander {
  readonly variables: Variables;
  readonly folders: readonly string[] | undefined;
  readonly home: string;
}

const mostFields = 64;

/** In a pattern: a number or a name that is not known, without blanks and slashes. It is not looked for on disk. */
export const someWord = "\u0001";

/** Text in which `*`, `?`, `[`, `]` and `\` mean themselves. */
export function escapePattern(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** What an escaped text means; for a pattern, the name bash uses when nothing fits. */
export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\([\s\S])/g, "$1");
}

export function isPattern(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\[\s\S]/g, ""));
}

/** Unquoted text of a script as a pattern: a backslash takes the next character as it is. */
export function unquotedPattern(raw: string): string {
  return raw.replace(/\\([\s\S])/g, (_, char: string) => escapePattern(char));
}

/** All words that bash may make of a word, as patterns; undefined when one of its variables is not known. */
export function expandAtoms(atoms: readonly Atom[], expander: Expander): readonly string[] | undefined {
  let states: { done: readonly string[]; open: string | undefined }[] = [{ done: [], open: undefined }];
  for (const atom of withoutTilde(atoms, expander) ?? [unknownAtom]) {
    const added = atom.quoted || "pattern" in atom ? solid(atom, expander) : split(atom.name, expander);
    if (added === undefined) return undefined;
    states = states.flatMap(({ done, open }) =>
      added.map((fields) => {
        const [first, ...rest] = fields;
        if (first === undefined) return { done, open };
        const begun = open === undefined && first === null ? undefined : (open ?? "") + (first ?? "");
        if (rest.length === 0) return { done, open: begun };
        const whole = [begun, ...rest.slice(0, -1)].filter((field): field is string => typeof field === "string");
        return { done: [...done, ...whole], open: rest.at(-1) ?? undefined };
      }),
    );
    if (states.length > mostFields || states.some(({ done }) => done.length > mostFields)) return undefined;
  }
  return [...new Set(states.flatMap(({ done, open }) => (open === undefined ? done : [...done, open])))];
}

/** What an assignment of the word gives a variable: no splitting, and no search for names. */
export function assignAtoms(atoms: readonly Atom[], expander: Expander): readonly VariableValue[] | undefined {
  let values: { pattern: string; live: boolean }[] = [{ pattern: "", live: false }];
  for (const atom of withoutTilde(atoms, expander) ?? [unknownAtom]) {
    const added =
      "pattern" in atom
        ? [{ pattern: escapePattern(unescapePattern(atom.pattern)), live: false }]
        : valuesOf(atom.name, expander)?.map(({ text, live }) => ({
            pattern: live ? text : escapePattern(text),
            live,
          }));
    if (added === undefined) return undefined;
    values = values.flatMap((value) =>
      added.map(({ pattern, live }) => ({ pattern: value.pattern + pattern, live: value.live || live })),
    );
    if (values.length > mostFields) return undefined;
  }
  return values.map(({ pattern, live }) => ({ text: live ? pattern : unescapePattern(pattern), live }));
}

const unknownAtom: Atom = { name: "", quoted: true };

/** `~` and `~/x` are home, `~+` the working directory; of any other tilde nothing is known. */
function withoutTilde(atoms: readonly Atom[], { home }: Expander): readonly Atom[] | undefined {
  const [first, ...rest] = atoms;
  if (first === undefined || !("pattern" in first) || first.quoted) return atoms;
  if (/[=:]~/.test(first.pattern)) return undefined;
  const tilde = /^~\+?(?=\/|$)/.exec(first.pattern)?.[0];
  if (tilde === undefined) return first.pattern.startsWith("~") ? undefined : atoms;
  if (tilde === first.pattern && rest.length > 0) return undefined;
  const behind: Atom = { pattern: first.pattern.slice(tilde.length), quoted: false };
  return [
    tilde === "~" ? { pattern: escapePattern(home), quoted: true } : { name: "PWD", quoted: true },
    behind,
    ...rest,
  ];
}

/** One field per value: quoted text, a pattern as written, or a variable in quotes. */
function solid(atom: Atom, expander: Expander): readonly (readonly (string | null)[])[] | undefined {
  if ("pattern" in atom) return [[atom.pattern]];
  return valuesOf(atom.name, expander)?.map(({ text, live }) => [live ? text : escapePattern(text)]);
}

/** A variable without quotes is cut at blanks, and signs in it are those of a pattern. Null is a field that has not begun. */
function split(name: string, expander: Expander): readonly (readonly (string | null)[])[] | undefined {
  const values = valuesOf(name, expander);
  if (values === undefined || values.some(({ text, live }) => !live && text.includes("\\"))) return undefined;
  return values.map(({ text, live }) => {
    if (live) return [text];
    const fields = text.split(/[ \t\n]+/).map((field) => (field === "" ? null : field));
    return fields.length === 1 && fields[0] === null ? [] : fields;
  });
}

/** Numbers and names that hold neither blanks nor slashes, whatever they are. */
const plainNames = /^([?#$!]|RANDOM|SECONDS|LINENO|SHLVL|UID|EUID|PPID|BASHPID|USER|LOGNAME|HOSTNAME)$/;

function valuesOf(name: string, { variables, folders, home }: Expander): readonly VariableValue[] | undefined {
  const known = variables.get(name);
  if (known) return known;
  if (plainNames.test(name)) return [{ text: someWord, live: true }];
  if (name === "HOME") return [{ text: home, live: false }];
  return name === "PWD" ? folders?.map((text) => ({ text, live: false })) : undefined;
}
