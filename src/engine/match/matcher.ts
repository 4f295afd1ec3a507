import {
  defined,
  type EventRow,
  intendedInPattern,
  intendedName,
  isMisspelling,
  type MatchedField,
  messageOf,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";
import type { AnyPayload } from "../fire/payload.ts";
import { compileSearch, hazardOf } from "./matcher-search.ts";
import { alternativesOf, parseGlob, parsePattern } from "./matcher-syntax.ts";

/** The `matcher` of a hook group, compiled once per snapshot. */
export type Matcher = { readonly text: string } & (
  | { readonly kind: "all" }
  | { readonly kind: "names"; readonly names: ReadonlySet<string>; readonly aliases: ToolAliases }
  | { readonly kind: "expression"; readonly test: (value: string) => boolean; readonly aliases: ToolAliases }
  | { readonly kind: "never"; readonly why: string }
);

/** Maps older names of tools to the current ones. */
export type ToolAliases = Readonly<Record<string, string>>;

interface MatcherOptions {
  /** Aliases of the host, in addition to `Task` → `Agent`. */
  readonly aliases?: ToolAliases;
  /** The `place` of warnings. */
  readonly place?: string;
}

/** Longer values are not tested against expressions: the hook runs. */
const maxValueLength = 512;
const maxPatternLength = 1000;
/** More than people write: a hostile file may not make the start slow. */
const maxAlternatives = 50;

interface CompiledMatcher {
  readonly matcher: Matcher;
  readonly warnings: readonly Warning[];
}

/** Contract: never throws. An invalid matcher never matches, and a warning gives the reason. */
export function compileMatcher(
  text: string | undefined,
  matchedField: MatchedField | null,
  options: MatcherOptions = {},
): CompiledMatcher {
  const warnings: Warning[] = [];
  const { aliases, place } = options;
  const warn = (code: WarningCode, message: string) => warnings.push({ code, message, ...defined({ place }) });
  return { matcher: Object.freeze(compile(text ?? "", matchedField, aliases, warn)), warnings };
}

/** What an invalid matcher of a guard matches: with rules in it also their tools, in any case, or else everything. */
export function guardMatcher({ matcher, warnings }: CompiledMatcher, row: EventRow): Matcher {
  // Only names and rules tell which tools an expression that cannot be used was for.
  const isClear = (part: string) => looksLikeRule(part) || /^[\w-]+$/.test(part);
  const hasTools = matcher.kind !== "never" || alternativesOf(matcher.text).every(isClear);
  if (hasTools && warnings.some(({ code }) => code === "matcher-is-rule")) {
    const tools = ruleTools(matcher.text).map((tool) => intendedName(row, tool) ?? tool);
    const test = (value: string) => tools.includes(value) || matches(matcher, value);
    const aliases = "aliases" in matcher ? matcher.aliases : noAliases;
    return { kind: "expression", text: matcher.text, test, aliases };
  }
  return matcher.kind === "never" || isEmptyList(matcher) ? { kind: "all", text: matcher.text } : matcher;
}

/** A list without a name. */
export function isEmptyList(matcher: Matcher): boolean {
  return matcher.kind === "names" && matcher.names.size === 0;
}

export function matches(matcher: Matcher, value: string | undefined): boolean {
  if (matcher.kind === "all") return true;
  if (value === undefined || matcher.kind === "never") return false;
  if (matcher.kind === "names") return matcher.names.has(currentName(value, matcher.aliases));
  return value.length > maxValueLength || spellingsOf(value, matcher.aliases).some(matcher.test);
}

/** One line that explains why a value matches or does not match. */
export function matcherDetail(matcher: Matcher, value: string | undefined): string {
  if (matcher.kind === "all") {
    if (matcher.text === "") return "no matcher: every value matches";
    return matcher.text === "*"
      ? "* matches every value"
      : `the matcher ${quoted(matcher.text)} is invalid: it matches every value`;
  }
  if (matcher.kind === "never") return `the matcher ${quoted(matcher.text)} never matches: ${matcher.why}`;
  if (value === undefined) return `the payload has no value to compare with ${quoted(matcher.text)}`;
  if (matcher.kind === "names") {
    const isMatch = matches(matcher, value);
    const byAlias = isMatch && !matcher.text.includes(value) ? " under an older name" : "";
    return `${quoted(value)} ${isMatch ? "matches" : "does not match"} ${quoted(matcher.text)}${byAlias}`;
  }
  if (value.length > maxValueLength) {
    return `a value of ${value.length} characters is too long for the expression ${quoted(matcher.text)}: the hook runs`;
  }
  return `${quoted(value)} ${matches(matcher, value) ? "matches" : "does not match"} the expression ${quoted(matcher.text)}`;
}

/** The value of a payload that matchers are tested against. */
export function matcherValue(field: MatchedField | null, payload: AnyPayload): string | undefined {
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
    warn("matcher-ignored", `The matcher ${quoted(text)} is ignored: this event has no matchers. Remove it.`);
    return { kind: "all", text };
  }
  const aliases = field.field === "tool_name" ? { ...toolAliases, ...hostAliases } : noAliases;
  const names = namesIn(text, field);
  if (names?.every((name) => name.length <= maxPatternLength)) {
    return { kind: "names", text, names: new Set(names.map((name) => currentName(name, aliases))), aliases };
  }
  if (text.length > maxPatternLength)
    return refused(text, `it has ${text.length} characters; at most ${maxPatternLength} are accepted`, warn);
  return compileExpression(text, aliases, warn);
}

/** The names in a list of names; undefined when the text has other characters and so is an expression. */
function namesIn(text: string, { narrow }: MatchedField): string[] | undefined {
  const listOfNames = narrow ? /^[A-Za-z0-9_|]*$/ : /^[A-Za-z0-9_\- ,|]*$/;
  if (!listOfNames.test(text)) return undefined;
  return text
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function compileExpression(text: string, aliases: ToolAliases, warn: Warn): Matcher {
  if (alternativesOf(text).some(looksLikeRule)) warn("matcher-is-rule", isRule(text));
  const invalid = syntaxError(text);
  if (invalid !== undefined) {
    if (/[*?]/.test(text)) return { kind: "expression", text, test: compileSearch(parseGlob(text)), aliases };
    warn("matcher-invalid", `The matcher ${quoted(text)} is not a valid expression: ${invalid}.`);
    return { kind: "never", text, why: invalid };
  }
  const parsed = parsePattern(text);
  if ("refused" in parsed) return refused(text, parsed.refused, warn);
  const hazard = hazardOf(parsed);
  if (hazard !== undefined) return refused(text, hazard, warn);
  return { kind: "expression", text, test: compileSearch(parsed), aliases };
}

function refused(text: string, why: string, warn: Warn): Matcher {
  warn("matcher-unsafe", `The matcher ${quoted(text)} is refused: ${why}. Write a simpler pattern.`);
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

/** True for `Bash(git *)` and `Read(.env)`; false for `Bash(.*)`, `Notebook(Edit)` and `Bash(?!Output)`, which are real expressions. */
function looksLikeRule(text: string): boolean {
  const inside = /^[A-Za-z][\w-]*\(([^()|]*)\)$/.exec(text)?.[1];
  if (inside === undefined || inside.startsWith("?")) return false;
  return /[ /:*.~]/.test(inside) && !/\.[*+?]|[\\[]/.test(inside);
}

/** The tools in a text with rules: `Bash`, `Read` and `Edit` in `Bash(rm *), Read(.env)|Edit`. */
function ruleTools(text: string): readonly string[] {
  const names = text.replace(/(\w)\s*\([^()]*\)?/g, "$1 ");
  return names === text ? [] : [...new Set(names.match(/[A-Za-z][\w-]*/g))];
}

function isRule(text: string): string {
  const tools = ruleTools(text);
  const remedy = `${tools.length > 1 ? "Write a group for each of" : "Match"} ${quoted(tools.join(", "))}`;
  return `The matcher ${quoted(text)} contains a permission rule, and matchers compare names only. ${remedy} and put the rule into "if".`;
}

function currentName(name: string, aliases: ToolAliases): string {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
}

/** All names of a tool: an expression written for an older name still matches. */
function spellingsOf(value: string, aliases: ToolAliases): string[] {
  const current = currentName(value, aliases);
  return [current, ...Object.keys(aliases).filter((name) => aliases[name] === current)];
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

function subjectOf(part: string, text: string): string {
  return part === text ? `The matcher ${quoted(text)}` : `${quoted(part)} in the matcher ${quoted(text)}`;
}

/** A warning for each name in a matcher that looks misspelled, unless the matcher has the correct name too. */
export function matcherNeverWarnings(matcher: Matcher, row: EventRow, place: string): readonly Warning[] {
  if (row.matchesOn === null) return [];
  const code = "matcher-never";
  if (matcher.kind === "expression") {
    const plain = row.matchesOn.part === "basename" ? /^[\w./ -]+$/ : /^[^\\^$.*+?()[\]{}|]+$/;
    const parts = syntaxError(matcher.text) === undefined ? alternativesOf(matcher.text) : [matcher.text];
    return [...new Set(parts)].slice(0, maxAlternatives).flatMap((part): readonly Warning[] => {
      const own = compileExpression(part, matcher.aliases, () => undefined);
      const test = (value: string) => matches(own, value);
      const [tool] = row.special.onTool ? ruleTools(part) : [];
      // `Bash(rm)` matches no tool, unlike `Notebook(Edit)`.
      if (tool !== undefined && intendedInPattern(row, tool, test) !== undefined)
        return [{ code: "matcher-is-rule", message: isRule(matcher.text), place }];
      const intended = (plain.test(part) && intendedName(row, part)) || intendedInPattern(row, part, test);
      if (intended === undefined || intended.split(", ").every((name) => matches(matcher, name))) return [];
      const message = `${subjectOf(part, matcher.text)} matches no known name. Did you mean "${intended}"?`;
      return [{ code, message, place }];
    });
  }
  if (matcher.kind !== "names") return [];
  const names = [...matcher.names];
  if (isEmptyList(matcher)) return [{ code, message: `The matcher "${matcher.text}" contains no name.`, place }];
  return names.flatMap((name): readonly Warning[] => {
    // No tool has a space in its name.
    const list = row.special.onTool && name.includes(" ") ? name.replace(/ +/g, "|") : undefined;
    const intended = intendedName(row, name) ?? list;
    if (intended === undefined || matcher.names.has(intended)) return [];
    const subject = subjectOf(name, names.length === 1 ? name : matcher.text);
    // A host may have its own tool with such a name, so the message about a tool does not say "never".
    const differsInCase = intended.toLowerCase() === name.toLowerCase();
    const isOpen = row.special.onTool && list === undefined && isMisspelling(name, intended);
    const why = differsInCase
      ? `does not match "${intended}": matchers are case-sensitive`
      : isOpen
        ? "names no known tool"
        : "never matches";
    return [{ code, message: `${subject} ${why}. Did you mean "${intended}"?`, place }];
  });
}
