import { domainToASCII } from "node:url";
import { fitsPieces, type ToolInput } from "../../protocol/internal.ts";
import type { Invalid } from "./rule.ts";

/**
 * Text with gaps: `["git ", " main"]` is `git `, any run of characters, ` main`. One piece means no gap.
 * In patterns a gap is a `*`; in command texts it is a word with an unknown value.
 */
export type Glob = readonly [string, ...string[]];

/** Whether some text matches both. If both have gaps, only their ends can conflict: each middle part fits into a gap of the other. */
export function globsOverlap(a: Glob, b: Glob): boolean {
  if (a.length === 1) return fitsPieces(b, a[0]);
  if (b.length === 1) return fitsPieces(a, b[0]);
  const [endA, endB] = [a.at(-1) ?? "", b.at(-1) ?? ""];
  return (a[0].startsWith(b[0]) || b[0].startsWith(a[0])) && (endA.endsWith(endB) || endB.endsWith(endA));
}

/** A spec split at its stars, without escapes: `git \** x` gives `["git *", " x"]`. */
export function readSpec(spec: string): Glob {
  const pieces: [string, ...string[]] = [""];
  for (let index = 0; index < spec.length; index++) {
    const char = spec[index] ?? "";
    if (char === "*") {
      pieces.push("");
      continue;
    }
    const next = spec[index + 1];
    const escaped = char === "\\" && next !== undefined && "*()\\".includes(next);
    pieces[pieces.length - 1] += escaped ? next : char;
    if (escaped) index += 1;
  }
  return pieces;
}

/** Escapes a text so that `readSpec` returns it as one literal piece. */
export function escapeSpec(text: string): string {
  return text.replace(/[*()\\]/g, "\\$&");
}

/** A compiled command rule. */
export interface CommandPattern {
  /** The pattern covers any text that matches one of these. A final ` *` gives two forms: with and without further words. */
  readonly forms: readonly Glob[];
  /** True without any `*`: covers exactly one text. */
  readonly exact: boolean;
  /** The blank-separated words of the pattern, except those that are only a gap. A word may contain gaps. */
  readonly words: readonly Glob[];
}

export function compileCommand(spec: string): CommandPattern {
  const glob = readSpec(spec.endsWith(":*") ? `${spec.slice(0, -2).trimEnd()} *` : spec);
  return { forms: formsOf(glob), exact: glob.length === 1, words: wordsOf(glob) };
}

/** Whether the pattern covers a text that is completely known. */
export function covers(pattern: CommandPattern, text: string): boolean {
  // Plain loops here and below: they run for every rule and every part, and closures would create most of the garbage.
  for (const form of pattern.forms) if (fitsPieces(form, text)) return true;
  return false;
}

/** Whether the pattern covers a text for some values of its gaps. */
export function couldCover(pattern: CommandPattern, text: Glob): boolean {
  for (const form of pattern.forms) if (globsOverlap(form, text)) return true;
  return false;
}

function formsOf(glob: Glob): Glob[] {
  const [last, before] = [glob.at(-1), glob.at(-2)];
  if (last !== "" || before === undefined || !before.endsWith(" ")) return [glob];
  const [first = "", ...rest] = [...glob.slice(0, -2), before.trimEnd()];
  return [[first, ...rest], glob];
}

/** `git * --x*` gives `git` and `--x*`. */
function wordsOf(glob: Glob): Glob[] {
  const words: [string, ...string[]][] = [[""]];
  for (const [index, piece] of glob.entries()) {
    if (index > 0) words.at(-1)?.push("");
    for (const [part, text] of piece.split(" ").entries()) {
      if (part > 0) words.push([""]);
      const word = words.at(-1);
      if (word) word[word.length - 1] += text;
    }
  }
  return words.filter((word) => word.some((piece) => piece !== ""));
}

/** A compiled rule on skills. */
export interface SkillPattern {
  /** For allow: the name and the arguments as written. */
  readonly written: CommandPattern;
  /** For deny and ask, as in Claude Code: `deploy *` and `deploy:*` cover every name with this prefix. */
  readonly wide: CommandPattern;
  /** The same without the plugin's name, because `deploy` also starts `plugin:deploy`. */
  readonly short: CommandPattern;
}

export function compileSkill(spec: string): SkillPattern {
  const name = spec.replace(/^\/+/, "");
  const wide = name.replace(/[: ]\*$/, "*");
  return {
    written: compileCommand(name),
    wide: compileCommand(wide),
    short: compileCommand(wide.replace(pluginName, "")),
  };
}

const pluginName = /^[^\s:]+:(?=[^*])/;

/** Whether a call may start a skill that a deny or ask rule covers. The name alone covers every use of the skill. */
export function couldStartSkill({ wide, short }: SkillPattern, input: ToolInput): boolean {
  const name = skillName(input);
  return [name, skillText(input)].some(
    (text) =>
      covers(wide, text) || covers(wide, text.replace(pluginName, "")) || (!name.includes(":") && covers(short, text)),
  );
}

/** The name of the skill that a call starts, followed by its arguments. */
export function skillText(input: ToolInput): string {
  const args = input["args"] ?? input["arguments"];
  return typeof args === "string" && args !== "" ? `${skillName(input)} ${args}` : skillName(input);
}

/** The name without a leading slash and surrounding blanks. */
function skillName(input: ToolInput): string {
  const name = input["skill"] ?? input["name"] ?? input["command"];
  return typeof name === "string" ? name.trim().replace(/^\/+/, "") : "";
}

/** A compiled `domain:` rule. It compares whole labels, from the right. */
export interface DomainPattern {
  readonly labels: readonly Glob[];
  /** `*.a.io`: one or more labels must precede. */
  readonly below: boolean;
}

export function compileDomain(host: string): DomainPattern | Invalid {
  const name = host.trim().replace(/\.$/, "");
  if (name === "*") return { labels: [], below: true };
  const below = name.startsWith("*.");
  const labels: Glob[] = [];
  for (const label of (below ? name.slice(2) : name).split(".")) {
    const ascii = asciiLabel(label);
    if (ascii === undefined) {
      return { invalid: `"${host}" is not a host name; write domain:example.com, without port or path` };
    }
    labels.push(readSpec(ascii));
  }
  return { labels, below };
}

export function coversHost(pattern: DomainPattern, host: string): boolean {
  const labels = host.split(".");
  const extra = labels.length - pattern.labels.length;
  if (pattern.below ? extra < 1 : extra !== 0) return false;
  return pattern.labels.every((label, index) => fitsPieces(label, labels[extra + index] ?? ""));
}

/** The host of an http(s) URL. Undefined if programs may disagree about the host. */
export function hostOf(url: unknown): string | undefined {
  // Browsers remove tabs and newlines and read a backslash as a slash; other clients do not.
  if (typeof url !== "string" || url.length > 65_536 || /[\u0000-\u0020\u007f-\u00a0\\]/.test(url.trim())) {
    return undefined;
  }
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return host === "" ? undefined : host;
}

function asciiLabel(label: string): string | undefined {
  const lower = label.toLowerCase();
  if (/^[a-z0-9_*-]+$/.test(lower)) return lower;
  if (lower === "" || /[\s:/@?#\\*[\]()%]/.test(lower)) return /^\[[0-9a-f:.]+\]$/.test(lower) ? lower : undefined;
  return domainToASCII(lower) || undefined;
}

/** Whether a rule `Tool(field:value)` covers an input: `field` is one of its top-level keys and holds a scalar that fits. */
export function fieldCovers(
  { field, value }: { readonly field: string; readonly value: Glob },
  input: ToolInput,
): boolean {
  const actual = Object.hasOwn(input, field) ? input[field] : undefined;
  const isScalar = actual === null || ["string", "number", "boolean"].includes(typeof actual);
  return isScalar && fitsPieces(value, String(actual));
}

/** The subagent type that a call requests. */
export function agentType(input: ToolInput): string {
  const type = input["subagent_type"];
  return typeof type === "string" && type.trim() !== "" ? type.trim() : "general-purpose";
}

/** Whether a call may start this type of agent. Claude Code ignores case, hyphens, underscores and blanks in the name. */
export function couldStartAgent(type: Glob, input: ToolInput): boolean {
  const [first, ...rest] = type;
  return fitsPieces([normalizeAgentName(first), ...rest.map(normalizeAgentName)], normalizeAgentName(agentType(input)));
}

function normalizeAgentName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
