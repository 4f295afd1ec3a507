import {
  type EventRow,
  intendedInPattern,
  intendedName,
  type MatchedField,
  messageOf,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";
import { compileSearch, hazardOf } from "./matcher-search.ts";
import { parseGlob, parsePattern } from "./matcher-syntax.ts";

/** What a group's `matcher` means, worked out once per snapshot. */
export type Matcher =
  | { readonly kind: "all"; readonly text: string }
  | {
      readonly kind: "names";
      readonly text: string;
      readonly names: ReadonlySet<string>;
      readonly aliases: ToolAliases;
    }
  | {
      readonly kind: "expression";
      readonly text: string;
      readonly test: (value: string) => boolean;
      readonly aliases: ToolAliases;
    }
  | { readonly kind: "never"; readonly text: string; readonly why: string };

/** Older name of a tool → its current one. */
export type ToolAliases = Readonly<Record<string, string>>;

export interface MatcherOptions {
  /** A host's own pairs, beside `Task` → `Agent`. */
  readonly aliases?: ToolAliases;
  /** What warnings give as their place. */
  readonly place?: string;
}

/** Longer values are no names of anything: they are compared with names only, and a hook with an expression runs. */
const longestValue = 512;
const longestPattern = 1000;

/** Contract: never throws; what cannot be used becomes a matcher that never matches, and a warning that says why. */
export function compileMatcher(
  text: string | undefined,
  matchedField: MatchedField | null,
  options: MatcherOptions = {},
): { readonly matcher: Matcher; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string) =>
    warnings.push(options.place === undefined ? { code, message } : { code, message, place: options.place });
  return { matcher: Object.freeze(compile(text ?? "", matchedField, options.aliases, warn)), warnings };
}

export function matches(matcher: Matcher, value: string | undefined): boolean {
  if (matcher.kind === "all") return true;
  if (value === undefined || matcher.kind === "never") return false;
  if (matcher.kind === "names") return matcher.names.has(currentName(value, matcher.aliases));
  return value.length > longestValue || spellingsOf(value, matcher.aliases).some(matcher.test);
}

/** One line on why a value matches or not. */
export function matcherDetail(matcher: Matcher, value: string | undefined): string {
  if (matcher.kind === "all") return matcher.text === "" ? "no matcher: every value matches" : "* matches every value";
  if (matcher.kind === "never") return `the matcher ${quoted(matcher.text)} never matches: ${matcher.why}`;
  if (value === undefined) return `the payload has no value to compare with ${quoted(matcher.text)}`;
  if (matcher.kind === "names") {
    const found = matches(matcher, value);
    const older = found && !matcher.text.includes(value) ? " under an older name" : "";
    return `${quoted(value)} is ${found ? "" : "not "}one of the names ${quoted(matcher.text)}${older}`;
  }
  if (value.length > longestValue) {
    return `a value of ${value.length} characters is too long for the expression ${quoted(matcher.text)}: the hook runs`;
  }
  return `${quoted(value)} ${matches(matcher, value) ? "matches" : "does not match"} the expression ${quoted(matcher.text)}`;
}

/** The value of a payload that matchers are compared with. */
export function matcherValue(
  field: MatchedField | null,
  payload: Readonly<Record<string, unknown>>,
): string | undefined {
  if (field === null) return undefined;
  const value = payload[field.field];
  if (typeof value !== "string") return undefined;
  return field.part === "basename" ? value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1) : value;
}

type Warn = (code: WarningCode, message: string) => void;

const toolAliases: ToolAliases = { Task: "Agent" };
const noAliases: ToolAliases = {};

function compile(text: string, field: MatchedField | null, hostAliases: ToolAliases | undefined, warn: Warn): Matcher {
  if (text === "" || text === "*") return { kind: "all", text };
  if (field === null) {
    warn("matcher-ignored", `The matcher ${quoted(text)} is ignored: this event matches on nothing. Remove it.`);
    return { kind: "all", text };
  }
  const aliases = field.field === "tool_name" ? { ...toolAliases, ...hostAliases } : noAliases;
  const names = namesIn(text, field);
  if (names?.every((name) => name.length <= longestPattern)) {
    return { kind: "names", text, names: new Set(names.map((name) => currentName(name, aliases))), aliases };
  }
  if (text.length > longestPattern) {
    const why = `it has ${text.length} characters; at most ${longestPattern} are accepted`;
    return refused(text, why, warn);
  }
  return compileExpression(text, aliases, warn);
}

/** The names of a list; undefined when a character makes it an expression. */
function namesIn(text: string, { narrow }: MatchedField): string[] | undefined {
  const isList = narrow ? /^[A-Za-z0-9_|]*$/ : /^[A-Za-z0-9_\- ,|]*$/;
  if (!isList.test(text)) return undefined;
  return text
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function compileExpression(text: string, aliases: ToolAliases, warn: Warn): Matcher {
  if (looksLikeRule(text)) {
    warn(
      "matcher-is-rule",
      `The matcher ${quoted(text)} is a permission rule, and matchers compare names only. Match ${quoted(text.slice(0, text.indexOf("(")))} and put the rule into "if".`,
    );
  }
  const invalid = syntaxError(text);
  if (invalid !== undefined) {
    if (/[*?]/.test(text))
      return { kind: "expression", text, test: remembered(compileSearch(parseGlob(text))), aliases };
    warn("matcher-invalid", `The matcher ${quoted(text)} never matches: ${invalid}.`);
    return { kind: "never", text, why: invalid };
  }
  const parsed = parsePattern(text);
  if ("refused" in parsed) return refused(text, parsed.refused, warn);
  const hazard = hazardOf(parsed);
  if (hazard !== undefined) return refused(text, hazard, warn);
  return { kind: "expression", text, test: remembered(compileSearch(parsed)), aliases };
}

/** A session uses the same few names over and over. */
function remembered(test: (value: string) => boolean): (value: string) => boolean {
  const answers = new Map<string, boolean>();
  return (value) => {
    const known = answers.get(value);
    if (known !== undefined) return known;
    const answer = test(value);
    if (answers.size < 100) answers.set(value, answer);
    return answer;
  };
}

function refused(text: string, why: string, warn: Warn): Matcher {
  warn("matcher-unsafe", `The matcher ${quoted(text)} is refused and never matches: ${why}. Write a simpler pattern.`);
  return { kind: "never", text, why };
}

function syntaxError(text: string): string | undefined {
  try {
    new RegExp(text);
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    return message.slice(message.lastIndexOf(": ") + 2) || message;
  }
}

/** `Bash(git *)`, `Read(.env)`; not `Bash(.*)`, `Notebook(Edit)` or `Bash(?!Output)`, which are expressions people mean. */
function looksLikeRule(text: string): boolean {
  const inside = /^[A-Za-z][\w-]*\(([^()|]*)\)$/.exec(text)?.[1];
  if (inside === undefined || inside.startsWith("?")) return false;
  return /[ /:*.~]/.test(inside) && !/\.[*+?]|[\\[]/.test(inside);
}

function currentName(name: string, aliases: ToolAliases): string {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
}

/** An expression written for an older name of a tool goes on matching it. */
function spellingsOf(value: string, aliases: ToolAliases): string[] {
  const current = currentName(value, aliases);
  const older = Object.keys(aliases).filter((name) => aliases[name] === current);
  return older.length === 0 ? [current] : [current, ...older];
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

/** A warning for each name in a matcher that no host sends, unless the matcher has the name that was meant too. */
export function matcherNeverWarnings(matcher: Matcher, row: EventRow, place: string): readonly Warning[] {
  if (row.matchesOn === null) return [];
  const code = "matcher-never";
  if (matcher.kind === "expression") {
    const isPath = row.matchesOn.part === "basename" && /^[\w./ -]+$/.test(matcher.text);
    const path = isPath ? intendedName(row, matcher.text) : undefined;
    const meant = path ?? intendedInPattern(row, matcher.text, (value) => matches(matcher, value));
    if (meant === undefined) return [];
    const message = `The matcher "${matcher.text}" matches no name that is known. Did you mean "${meant}"?`;
    return [{ code, message, place }];
  }
  if (matcher.kind !== "names") return [];
  const names = [...matcher.names];
  if (names.length === 0) return [{ code, message: `The matcher "${matcher.text}" names nothing.`, place }];
  return names.flatMap((name): readonly Warning[] => {
    // No tool has a space in its name.
    const list = row.special.onTool && name.includes(" ") ? name.replace(/ +/g, "|") : undefined;
    const meant = intendedName(row, name) ?? list;
    if (meant === undefined || matcher.names.has(meant)) return [];
    const which = names.length === 1 ? `The matcher "${name}"` : `"${name}" in the matcher "${matcher.text}"`;
    // A host may have a tool of its own that differs from a known one by case alone, so only this much is certain.
    const isCase = meant.toLowerCase() === name.toLowerCase();
    const why = isCase ? `does not match "${meant}": case counts` : "never matches";
    return [{ code, message: `${which} ${why}. Did you mean "${meant}"?`, place }];
  });
}
