/** A pattern as a tree, counted repetition written out: what the hazard check and the search read. */
export type Pattern =
  | { readonly is: "unit"; readonly accepts: UnitTest; readonly source: string }
  | { readonly is: "sequence"; readonly of: readonly Pattern[] }
  | { readonly is: "choice"; readonly of: readonly Pattern[] }
  /** As often as it fits, `least` times or more. */
  | { readonly is: "loop"; readonly of: Pattern; readonly least: 0 | 1 }
  | { readonly is: "edge"; readonly at: "start" | "end" | "word" | "inside" }
  | { readonly is: "look"; readonly ahead: boolean; readonly wanted: boolean; readonly of: Pattern };

/** Whether one UTF-16 unit is accepted. */
export type UnitTest = (unit: string) => boolean;

/** Counts are written out, so `.{500}` is five hundred parts; more than this is refused. */
const mostParts = 1000;
const deepestNesting = 50;

/**
 * Reads an expression that `RegExp` has already accepted, without flags.
 *
 * Contract: linear in the pattern; rare syntax (back references, octal and control escapes) is refused, not guessed at.
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

/** `*` is any text, `?` any one unit, all else itself; the whole value must match. */
export function parseGlob(text: string): Pattern {
  const any: Pattern = { is: "unit", accepts: () => true, source: "[^]" };
  const parts = text
    .replace(/\*+/g, "*")
    .split("")
    .map((unit): Pattern => (unit === "*" ? { is: "loop", of: any, least: 0 } : unit === "?" ? any : literal(unit)));
  return { is: "sequence", of: [{ is: "edge", at: "start" }, ...parts, { is: "edge", at: "end" }] };
}

const oneEscape = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])/;

class PatternRefused extends Error {}

/** Holds the place in the text while the tree is built. */
class PatternReader {
  private at = 0;
  private parts = 0;
  private loops = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  choice(depth: number): Pattern {
    if (depth > deepestNesting) throw new PatternRefused(`groups are nested more than ${deepestNesting} deep`);
    const branches = [this.sequence(depth)];
    while (this.take("|")) branches.push(this.sequence(depth));
    return branches.length === 1 ? (branches[0] ?? nothing) : { is: "choice", of: branches };
  }

  private sequence(depth: number): Pattern {
    const parts: Pattern[] = [];
    while (this.at < this.text.length && this.text[this.at] !== "|" && this.text[this.at] !== ")") {
      const { parts: partsBefore, loops: loopsBefore } = this;
      const part = this.part(depth);
      parts.push(this.repeated(part, this.parts - partsBefore, this.loops > loopsBefore));
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
    const open = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
    open.lastIndex = this.at;
    const [start = "("] = open.exec(this.text) ?? [];
    this.at += start.length;
    if (start === "(" && this.text[this.at] === "?") throw new PatternRefused("it uses a group that is not understood");
    const of = this.choice(depth + 1);
    this.take(")");
    if (start.endsWith("=") || start.endsWith("!")) {
      return { is: "look", ahead: !start.includes("<"), wanted: start.endsWith("="), of };
    }
    return of;
  }

  private class(): Pattern {
    const whole = /\[(?:[^\]\\]|\\[\s\S])*\]/y;
    whole.lastIndex = this.at;
    const [source = "["] = whole.exec(this.text) ?? [];
    this.at += source.length;
    for (const [sign] of source.matchAll(new RegExp(oneEscape, "g"))) refuseRareEscape(sign);
    return nativeUnit(source);
  }

  private escape(): Pattern {
    const whole = new RegExp(oneEscape, "y");
    whole.lastIndex = this.at;
    const [source = "\\"] = whole.exec(this.text) ?? [];
    refuseRareEscape(source);
    this.at += source.length;
    return nativeUnit(source);
  }

  /** `part` with the quantifier that follows it, if one does; lazy and greedy accept the same texts. */
  private repeated(part: Pattern, size: number, holdsLoop: boolean): Pattern {
    const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
    quantifier.lastIndex = this.at;
    const found = quantifier.exec(this.text);
    if (found === null) return part;
    this.at += found[0].length;
    const { min, max } = bounds(found);
    if (holdsLoop && max > 1) throw new PatternRefused("a repetition without a limit stands inside another repetition");
    if (max !== Number.POSITIVE_INFINITY) {
      this.count((size + 1) * max);
      return times(part, min, max);
    }
    this.loops += 1;
    this.count((size + 1) * min);
    if (min === 0) return { is: "loop", of: part, least: 0 };
    return { is: "sequence", of: [...copies(part, min - 1), { is: "loop", of: part, least: 1 }] };
  }

  private count(parts: number): void {
    this.parts += parts;
    if (this.parts > mostParts) throw new PatternRefused("its counted repetitions are too large");
  }

  private take(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }
}

const nothing: Pattern = { is: "sequence", of: [] };

function bounds([, sign, least, comma, most]: RegExpExecArray): { min: number; max: number } {
  if (sign === "?") return { min: 0, max: 1 };
  if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: Number.POSITIVE_INFINITY };
  const min = Number(least);
  if (comma === undefined) return { min, max: min };
  return { min, max: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}

/** `x{2,4}` is `xx(x(x)?)?`: nested, so that a text is accepted in one way only. */
function times(part: Pattern, min: number, max: number): Pattern {
  let rest = nothing;
  for (let left = max - min; left > 0; left--) {
    rest = { is: "choice", of: [{ is: "sequence", of: [part, rest] }, nothing] };
  }
  return { is: "sequence", of: [...copies(part, min), rest] };
}

function copies(part: Pattern, count: number): Pattern[] {
  return Array.from({ length: count }, () => part);
}

function literal(unit: string): Pattern {
  return { is: "unit", accepts: (other) => other === unit, source: unit };
}

/** What a class or an escape accepts is asked of `RegExp` itself: there is one authority on that. */
function nativeUnit(source: string): Pattern {
  const whole = new RegExp(`^${source}$`);
  return { is: "unit", accepts: (unit) => whole.test(unit), source };
}

function refuseRareEscape(sign: string): void {
  if (/^\\[1-9k]/.test(sign)) throw new PatternRefused("it refers back to a group");
  if (/^\\(?:[0c]|[xu]$)/.test(sign)) throw new PatternRefused(`it uses the escape ${sign}, which is not understood`);
}
