import type { Glob } from "../rules/spec-patterns.ts";
import { type ShellWord, staticValue } from "./shell-part.ts";

/** A piece of a word before expansion: a pattern in which literal characters are escaped, or the name of a variable. */
export type Atom =
  | { readonly pattern: string; readonly quoted: boolean }
  | { readonly name: string; readonly quoted: boolean };

/** What the expansion of a word depends on. */
export interface Expander {
  readonly variables: ShellVariables;
  readonly folders: readonly string[] | undefined;
  readonly home: string;
}

const maxFields = 64;

/** In a pattern: an unknown number or name without blanks and slashes. Such a pattern is not looked up on disk. */
export const someWord = "\u0001";

/** Escapes `*`, `?`, `[`, `]` and `\`, so that the text matches literally. */
export function escapePattern(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** Removes the escapes. For a pattern, this is the name that bash uses when nothing matches. */
export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\([\s\S])/g, "$1");
}

export function isPathPattern(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\[\s\S]/g, ""));
}

/** Whether a pattern may stand for other names than its own text. */
export function isOpenPattern(pattern: string): boolean {
  return isPathPattern(pattern) || pattern.includes(someWord);
}

/** Everything that a word may expand to, as patterns. Undefined if part of it is unknown. */
export function patternsOf(word: ShellWord): readonly string[] | undefined {
  const text = staticValue(word);
  return text === undefined ? word.expansions : [escapePattern(text)];
}

/** Unquoted text of a script as a pattern. A backslash makes the next character literal. */
export function unquotedPattern(raw: string): string {
  return raw.replace(/\\([\s\S])/g, (_, char: string) => escapePattern(char));
}

/** All words to which bash may expand a word, as patterns. Undefined if one of its variables is unknown. */
export function expandAtoms(atoms: readonly Atom[], expander: Expander): readonly string[] | undefined {
  const known = withoutTilde(atoms, expander);
  return known && joinAtoms(known, expander);
}

/** The possible values of a variable after the word was assigned to it, without word splitting and globbing. */
export function assignAtoms(atoms: readonly Atom[], expander: Expander): readonly VariableValue[] | undefined {
  const known = withoutTilde(atoms, expander)?.map((atom): Atom => {
    return "pattern" in atom ? quotedAtom(unescapePattern(atom.pattern)) : { ...atom, quoted: true };
  });
  return known && joinAtoms(known, expander)?.map(variableValue);
}

/** What a variable holds after an expansion to this pattern. */
export function variableValue(pattern: string): VariableValue {
  const isPattern = isOpenPattern(pattern);
  return { text: isPattern ? pattern : unescapePattern(pattern), isPattern };
}

export function quotedAtom(text: string): Atom {
  return { pattern: escapePattern(text), quoted: true };
}

function joinAtoms(atoms: readonly Atom[], expander: Expander): readonly string[] | undefined {
  let states: { done: readonly string[]; open: string | undefined }[] = [{ done: [], open: undefined }];
  for (const atom of atoms) {
    const added = atom.quoted || "pattern" in atom ? unsplitFields(atom, expander) : splitFields(atom.name, expander);
    if (added === undefined) return undefined;
    states = states.flatMap(({ done, open }) =>
      added.map((fields) => {
        const [first, ...rest] = fields;
        if (first === undefined) return { done, open };
        const current = open === undefined && first === null ? undefined : (open ?? "") + (first ?? "");
        if (rest.length === 0) return { done, open: current };
        const whole = [current, ...rest.slice(0, -1)].filter((field): field is string => typeof field === "string");
        return { done: [...done, ...whole], open: rest.at(-1) ?? undefined };
      }),
    );
    if (states.length > maxFields || states.some(({ done }) => done.length > maxFields)) return undefined;
  }
  return [...new Set(states.flatMap(({ done, open }) => (open === undefined ? done : [...done, open])))];
}

/** Expands `~` and `~/x` to home and `~+` to the working directory. Undefined for any other tilde. */
function withoutTilde(atoms: readonly Atom[], { home }: Expander): readonly Atom[] | undefined {
  const [first, ...rest] = atoms;
  if (first === undefined || !("pattern" in first) || first.quoted) return atoms;
  if (/[=:]~/.test(first.pattern)) return undefined;
  const tilde = /^~\+?(?=\/|$)/.exec(first.pattern)?.[0];
  if (tilde === undefined) return first.pattern.startsWith("~") ? undefined : atoms;
  if (tilde === first.pattern && rest.length > 0) return undefined;
  const afterTilde: Atom = { pattern: first.pattern.slice(tilde.length), quoted: false };
  return [tilde === "~" ? quotedAtom(home) : { name: "PWD", quoted: true }, afterTilde, ...rest];
}

/** One field per value, for quoted text, a pattern, or a variable in quotes. */
function unsplitFields(atom: Atom, expander: Expander): readonly (readonly (string | null)[])[] | undefined {
  if ("pattern" in atom) return [[atom.pattern]];
  return valuesOf(atom.name, expander)?.map(({ text, isPattern }) => [isPattern ? text : escapePattern(text)]);
}

/** The fields of an unquoted variable: split at blanks, with pattern characters active. Null is a field that has not begun. */
function splitFields(name: string, expander: Expander): readonly (readonly (string | null)[])[] | undefined {
  const values = valuesOf(name, expander);
  if (values === undefined || values.some(hasBackslash)) return undefined;
  return values.map(({ text }) => {
    const fields = text.split(/[ \t\n]+/).map((field) => (field === "" ? null : field));
    return fields.length === 1 && fields[0] === null ? [] : fields;
  });
}

function hasBackslash({ text, isPattern }: VariableValue): boolean {
  return (isPattern ? unescapePattern(text) : text).includes("\\");
}

/** Variables whose value contains neither blanks nor slashes. */
const wordVariables = /^([?#$!]|RANDOM|SECONDS|LINENO|SHLVL|UID|EUID|PPID|BASHPID|USER|LOGNAME|HOSTNAME)$/;

function valuesOf(name: string, { variables, folders, home }: Expander): readonly VariableValue[] | undefined {
  const known = variables.get(name);
  if (known) return known;
  if (wordVariables.test(name)) return [{ text: someWord, isPattern: true }];
  if (name === "HOME") return [{ text: home, isPattern: false }];
  return name === "PWD" ? folders?.map((text) => ({ text, isPattern: false })) : undefined;
}

/** A run of literal text as bash reads it. `clean` is false if it contains an unexpected metacharacter. */
interface ReadText {
  readonly pieces: Glob;
  readonly clean: boolean;
  /** The text with escaped and quoted characters masked, for checks on the whole word. */
  readonly bare: string;
}

const maskChar = "\u0001";
const metacharacters = new Set("$`()<>;&|'\"");

/** Reads unquoted text: a backslash makes the next character literal; `*` and `?` are gaps. */
export function readUnquoted(text: string): ReadText {
  const pieces: [string, ...string[]] = [""];
  let [clean, bare] = [true, ""];
  for (let index = 0; index < text.length; index++) {
    let char = text[index] ?? "";
    if (char === "\\") {
      index += 1;
      char = text[index] ?? "";
      if (char === "" || char === "\n") clean = false;
      pieces[pieces.length - 1] += char;
      bare += maskChar;
      continue;
    }
    if (metacharacters.has(char)) clean = false;
    bare += char;
    if (char === "*" || char === "?") pieces.push("");
    else pieces[pieces.length - 1] += char;
  }
  return { pieces, clean, bare };
}

/** Reads text in double quotes or, with `inHeredoc`, in an expanding here-document, where a double quote is literal. */
export function readQuoted(text: string, inHeredoc: boolean): ReadText {
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
  return { pieces: [value], clean, bare: maskChar.repeat(value.length) };
}

export function maskOf(length: number): string {
  return maskChar.repeat(Math.max(1, length));
}

/** Whether a word contains `{a,b}` or `{1..3}`, which bash expands to several words. */
export function hasBraces(bare: string): boolean {
  const open = bare.indexOf("{");
  const close = bare.lastIndexOf("}");
  if (open < 0 || close < open) return false;
  const inside = bare.slice(open, close);
  return inside.includes(",") || inside.includes("..");
}

/** Whether a word contains `[…]`, a set of characters. */
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

/** The pieces of a word with a tilde or brackets. `~/x` is a gap and `/x`; otherwise nothing is known. */
export function piecesWithoutTilde(bare: string, glob: Glob): Glob {
  const slash = glob[0].indexOf("/");
  if (hasBrackets(bare) || !bare.startsWith("~") || slash < 0 || hasTilde(bare.slice(1))) return gap;
  return ["", glob[0].slice(slash), ...glob.slice(1)];
}

/** A possible value of a variable: a text or, with `isPattern`, the file names that match a pattern. */
export interface VariableValue {
  readonly text: string;
  readonly isPattern: boolean;
}

/** The known variables at one point of a script. A variable that is absent may have any value. */
export type ShellVariables = ReadonlyMap<string, readonly VariableValue[]>;
