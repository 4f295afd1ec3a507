import type { Glob } from "../rules/spec-glob.ts";

/** A piece of a word before expansion. `pattern` is text with every sign that means itself escaped. */
export type Atom =
  | { readonly pattern: string; readonly quoted: boolean }
  | { readonly name: string; readonly quoted: boolean };

/** Where and as whom a word is expanded. */
export interface Expander {
  readonly variables: ShellVariables;
  readonly folders: readonly string[] | undefined;
  readonly home: string;
}

const maxFields = 64;

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

export function isPathPattern(pattern: string): boolean {
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
    if (states.length > maxFields || states.some(({ done }) => done.length > maxFields)) return undefined;
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
    if (values.length > maxFields) return undefined;
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

/** A run of plain text as bash would read it: what is known of its value, and whether it has a sign that should not be there. */
interface Literal {
  readonly pieces: Glob;
  readonly clean: boolean;
  /** The unescaped characters, escaped ones replaced, for checks that need the whole word. */
  readonly bare: string;
}

const masked = "\u0001";
const signs = new Set("$`()<>;&|'\"");

/** Unquoted text: a backslash takes the next character as it is; `*` and `?` are gaps. */
export function readUnquoted(text: string): Literal {
  const pieces: [string, ...string[]] = [""];
  let [clean, bare] = [true, ""];
  for (let index = 0; index < text.length; index++) {
    let char = text[index] ?? "";
    if (char === "\\") {
      index += 1;
      char = text[index] ?? "";
      if (char === "" || char === "\n") clean = false;
      pieces[pieces.length - 1] += char;
      bare += masked;
      continue;
    }
    if (signs.has(char)) clean = false;
    bare += char;
    if (char === "*" || char === "?") pieces.push("");
    else pieces[pieces.length - 1] += char;
  }
  return { pieces, clean, bare };
}

/** Text in double quotes, or with `inHeredoc` in an expanding here-document, where a double quote means itself. */
export function readQuoted(text: string, inHeredoc: boolean): Literal {
  let [value, clean] = ["", true];
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? "";
    const next = text[index + 1] ?? "";
    if (char === "\\" && next !== "" && (inHeredoc ? "$`\\\n" : '$`"\\\n').includes(next)) {
      if (next === "\n") clean = false;
      value += next;
      index += 1;
      continue;
    }
    if (char === "`" || (char === '"' && !inHeredoc)) clean = false;
    if (char === "$" && /[({[A-Za-z0-9_@*#?$!-]/.test(next)) clean = false;
    value += char;
  }
  return { pieces: [value], clean, bare: masked.repeat(value.length) };
}

export function maskOf(length: number): string {
  return masked.repeat(Math.max(1, length));
}

/** `{a,b}` or `{1..3}` in the unescaped text of a word: bash would make several words of it. */
export function hasBraces(bare: string): boolean {
  const open = bare.indexOf("{");
  const close = bare.lastIndexOf("}");
  if (open < 0 || close < open) return false;
  const inside = bare.slice(open, close);
  return inside.includes(",") || inside.includes("..");
}

/** `[` with a `]` somewhere behind it: a set of characters, unless nothing fits. */
export function hasBrackets(bare: string): boolean {
  const open = bare.indexOf("[");
  return open >= 0 && bare.indexOf("]", open + 1) > open;
}

export function variableAtom(raw: string, quoted: boolean): Atom | undefined {
  const name = /^\$(?:([A-Za-z_][A-Za-z0-9_]*|[?#$!])|\{([A-Za-z_][A-Za-z0-9_]*)\})$/.exec(raw);
  const found = name?.[1] ?? name?.[2];
  return found === undefined ? undefined : { name: found, quoted };
}

export function hasTilde(bare: string): boolean {
  return /(^|[=:])~/.test(bare);
}

export function tildeOf(bare: string, glob: Glob): string | undefined {
  if (!bare.startsWith("~") || glob.length > 1) return undefined;
  const rest = glob[0].slice(1);
  return rest === "" || rest.startsWith("/") ? rest : undefined;
}

export const gap: Glob = ["", ""];

/** `~/x` is a gap and `/x`; of a tilde elsewhere, or a set of characters, nothing is taken as known. */
export function piecesWithoutTilde(bare: string, glob: Glob): Glob {
  const slash = glob[0].indexOf("/");
  if (hasBrackets(bare) || !bare.startsWith("~") || slash < 0 || hasTilde(bare.slice(1))) return gap;
  return ["", glob[0].slice(slash), ...glob.slice(1)];
}

/** What a variable may hold: a text, or with `live` a pattern of names that bash found on disk. */
export interface VariableValue {
  readonly text: string;
  readonly live: boolean;
}

/** What is known of the shell's variables at one point of a script; a name that is absent may hold anything. */
export type ShellVariables = ReadonlyMap<string, readonly VariableValue[]>;
