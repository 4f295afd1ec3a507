import type { ShellWord } from "../shell-part.ts";
import { type Inner, opaque } from "./inner-command.ts";

/** Strings, comments and regular expressions. A slash behind a value divides, in front of one it begins a regular expression. */
const literals =
  /"(?:\\[\s\S]|[^"\\])*"|#[^\n]*|(?<=(?:^|[^\w)\]". \t]|\b(?:printf?|return|case|else|do|exit))[ \t]*)\/(?:\\.|\[\^?\]?[^\]\n]{0,999}\]|[^/\\\n[])*\//g;
/** If another slash follows in the line, whether this one divides depends on the grammar. */
const eitherSlash = /(?:\)|\+\+|--|\blength|\bgetline)[ \t]*\/[^\n]*\//;
const pipe = /(?<!\|)\|(?!\|)/;

/** What a program of awk starts: with `system`, with a pipe from or to a command, or with a function whose name a variable holds. */
export function unwrapAwk(args: readonly ShellWord[], stdin: string | undefined): readonly Inner[] {
  const words = args.map(({ pieces }) => pieces.join("$"));
  // Standard input is data, except with `-f -`, `@include` and the like.
  const isData = args.every(({ pieces: [first] }) => !/^(?:$|-(?![Fv]))/.test(first)) && !words.join(" ").includes("@");
  const texts = stdin === undefined || isData ? words : [...words, stdin];
  return texts.some(mayRun) ? [opaque("its program may run a command")] : [];
}

function mayRun(text: string): boolean {
  const bare = text.replace(literals, (literal) => (literal.includes("/") ? '""/' : '""'));
  // Versions of awk disagree where a line that ends with a backslash goes on.
  const code = eitherSlash.test(bare) || /\\\r?\n/.test(text) ? text : bare;
  if (/\bsystem[\s\\]*\(|@(?:include|load)\b|@\w+\s*\(/.test(code)) return true;
  return pipe.test(code) && /\b(?:printf?|getline)\b/.test(code);
}
