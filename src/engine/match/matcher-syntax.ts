/** A pattern as a tree, with counted repetitions written out. */
export type Pattern =
  | { readonly is: "unit"; readonly accepts: UnitTest; readonly source: string }
  | { readonly is: "sequence"; readonly of: readonly Pattern[] }
  | { readonly is: "choice"; readonly of: readonly Pattern[] }
  /** Repeats without an upper limit, `least` times or more. */
  | { readonly is: "loop"; readonly of: Pattern; readonly least: 0 | 1 }
  | { readonly is: "edge"; readonly at: "start" | "end" | "word" | "inside" }
  /** A look-ahead or look-behind, negative when not `positive`. */
  | { readonly is: "look"; readonly ahead: boolean; readonly positive: boolean; readonly of: Pattern };

/** Whether one UTF-16 code unit is accepted. */
export type UnitTest = (unit: string) => boolean;

/** Counted repetitions are written out, so `.{500}` has 500 parts. */
const maxParts = 1000;
const maxNesting = 50;

/**
 * Parses an expression that `RegExp` has already accepted, without flags.
 *
 * Contract: linear in the length of the pattern. Rare syntax (back references, octal and control escapes) is refused.
 */
export function parsePattern(text: string): Pattern | { readonly refused: string } {
  const reader = new PatternReader(text);
  try {
    return reader.choice(0);
  } catch (error) {
    if (error instanceof PatternRefused) return { refused: error.message };
    throw error;
  }
}

/** `*` matches any text, `?` any one unit, everything else itself. The whole value must match. */
export function parseGlob(text: string): Pattern {
  const any: Pattern = { is: "unit", accepts: () => true, source: "[^]" };
  const parts = text
    .replace(/\*+/g, "*")
    .split("")
    .map((unit): Pattern => {
      if (unit === "*") return { is: "loop", of: any, least: 0 };
      return unit === "?" ? any : literal(unit);
    });
  return { is: "sequence", of: [{ is: "edge", at: "start" }, ...parts, { is: "edge", at: "end" }] };
}

/** The alternatives of an expression, also in a group around all of them: `Bash(x)` and `Edit` in `^(Bash(x)|Edit)$`. */
export function alternativesOf(text: string): readonly string[] {
  const inside = /^\^?\((?!\?[^:])(?:\?:)?((?:[^()]|\([^()]*\))*)\)\$?$/.exec(text)?.[1] ?? text;
  return inside.match(/(?:\\.|\[[^\]]*\]|\((?:[^()]|\([^()]*\))*\)|[^|])+/gs) ?? [];
}

const escapeSequence = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])/;

class PatternRefused extends Error {}

/** A recursive descent parser. */
class PatternReader {
  private at = 0;
  private parts = 0;
  private loops = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  choice(depth: number): Pattern {
    if (depth > maxNesting) throw new PatternRefused(`groups are nested more than ${maxNesting} deep`);
    const branches = [this.sequence(depth)];
    while (this.take("|")) branches.push(this.sequence(depth));
    return branches.length === 1 ? (branches[0] ?? empty) : { is: "choice", of: branches };
  }

  private sequence(depth: number): Pattern {
    const parts: Pattern[] = [];
    while (this.at < this.text.length && this.text[this.at] !== "|" && this.text[this.at] !== ")") {
      const { parts: partsBefore, loops: loopsBefore } = this;
      const part = this.part(depth);
      parts.push(this.quantified(part, this.parts - partsBefore, this.loops > loopsBefore));
    }
    return { is: "sequence", of: parts };
  }

  private part(depth: number): Pattern {
    const unit = this.text[this.at] ?? "";
    if (unit === "(") return this.group(depth);
    if (this.take("^")) return { is: "edge", at: "start" };
    if (this.take("$")) return { is: "edge", at: "end" };
    if (this.take("\\b")) return { is: "edge", at: "word" };
    if (this.take("\\B")) return { is: "edge", at: "inside" };
    this.count(1);
    if (unit === "[") return this.class();
    if (unit === "\\") return this.escape();
    this.at += 1;
    return unit === "." ? nativeUnit(".") : literal(unit);
  }

  private group(depth: number): Pattern {
    const [start = "("] = this.read(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y);
    if (start === "(" && this.text[this.at] === "?")
      throw new PatternRefused("it uses a kind of group that is not supported");
    const of = this.choice(depth + 1);
    this.take(")");
    if (start.endsWith("=") || start.endsWith("!")) {
      return { is: "look", ahead: !start.includes("<"), positive: start.endsWith("="), of };
    }
    return of;
  }

  private class(): Pattern {
    const [source = "["] = this.read(/\[(?:[^\]\\]|\\[\s\S])*\]/y);
    for (const [sequence] of source.matchAll(new RegExp(escapeSequence, "g"))) refuseRareEscape(sequence);
    return nativeUnit(source);
  }

  private escape(): Pattern {
    const [source = "\\"] = this.read(new RegExp(escapeSequence, "y"));
    refuseRareEscape(source);
    return nativeUnit(source);
  }

  /** `part` with the quantifier that follows it, if any. Lazy and greedy quantifiers accept the same texts. */
  private quantified(part: Pattern, size: number, hasLoop: boolean): Pattern {
    const match = this.read(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y);
    if (match.length === 0) return part;
    const { min, max } = bounds(match);
    if (hasLoop && max > 1) throw new PatternRefused("an unlimited repetition is inside another repetition");
    if (max !== Number.POSITIVE_INFINITY) {
      this.count((size + 1) * max);
      return repeat(part, min, max);
    }
    this.loops += 1;
    this.count((size + 1) * min);
    if (min === 0) return { is: "loop", of: part, least: 0 };
    return { is: "sequence", of: [...copies(part, min - 1), { is: "loop", of: part, least: 1 }] };
  }

  private count(parts: number): void {
    this.parts += parts;
    if (this.parts > maxParts) throw new PatternRefused("its counted repetitions are too large");
  }

  /** What a sticky expression matches here, with its groups; empty when it does not match. Moves past the match. */
  private read(expression: RegExp): readonly (string | undefined)[] {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text) ?? [];
    this.at += match[0]?.length ?? 0;
    return match;
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }
}

const empty: Pattern = { is: "sequence", of: [] };

function bounds([, sign, least, comma, most]: readonly (string | undefined)[]): { min: number; max: number } {
  if (sign === "?") return { min: 0, max: 1 };
  if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: Number.POSITIVE_INFINITY };
  const min = Number(least);
  if (comma === undefined) return { min, max: min };
  return { min, max: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}

/** `x{2,4}` becomes `xx(x(x)?)?`. It is nested so that there is only one way to accept a text. */
function repeat(part: Pattern, min: number, max: number): Pattern {
  let rest = empty;
  for (let left = max - min; left > 0; left--) {
    rest = { is: "choice", of: [{ is: "sequence", of: [part, rest] }, empty] };
  }
  return { is: "sequence", of: [...copies(part, min), rest] };
}

function copies(part: Pattern, count: number): Pattern[] {
  return Array.from({ length: count }, () => part);
}

function literal(unit: string): Pattern {
  return { is: "unit", accepts: (other) => other === unit, source: unit };
}

/** Classes and escapes are evaluated by `RegExp` itself. */
function nativeUnit(source: string): Pattern {
  const expression = new RegExp(`^${source}$`);
  return { is: "unit", accepts: (unit) => expression.test(unit), source };
}

function refuseRareEscape(sequence: string): void {
  if (/^\\[1-9k]/.test(sequence)) throw new PatternRefused("it uses a back reference");
  if (/^\\(?:[0c]|[xu]$)/.test(sequence))
    throw new PatternRefused(`it uses the escape ${sequence}, which is not supported`);
}
