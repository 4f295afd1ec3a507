import { basename, dirname } from "node:path";
import { sha256 } from "../../files/internal.ts";
import { catalog, isObject, messageOf } from "../../protocol/internal.ts";
import type { Rows } from "./check-hooks.ts";
import { keysOfFrontmatter } from "./claude-code-keys.ts";
import type { FrontmatterOrigin, Layer } from "./layer.ts";
import { keysAboutHooks } from "./misplaced-hooks.ts";
import { type LayerSource, layerOf, unreadableLayer } from "./read-layer.ts";
import { readSettingsSource } from "./settings-source.ts";

/** The frontmatter of a Markdown file, and its text. */
interface FrontmatterText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Why it cannot be read; then there are no fields. */
  readonly fault?: FrontmatterFault;
}

export interface FrontmatterFault {
  /** The line in the file, from 1. */
  readonly line: number;
  readonly why: string;
}

/** Reads the YAML between the first two `---`. Contract: never rejects, for any text. */
export async function readFrontmatter(text: string): Promise<FrontmatterText> {
  const { head, body } = splitHead(text);
  if (head === undefined) return { fields: {}, body };
  if (typeof head !== "string") return { fields: {}, body, fault: head };
  return { fields: {}, ...(await readYaml(head)), body };
}

/** The name of an agent or skill and the part of its frontmatter that is about hooks; undefined when there is none. */
export async function frontmatterHooks(
  text: string,
  rows: Rows = catalog,
): Promise<{ readonly name?: string; readonly settings: object } | { readonly fault: FrontmatterFault } | undefined> {
  const { head } = splitHead(text);
  if (head === undefined) {
    // In UTF-16 every second character is a NUL.
    const meant = nearlyHead.exec(text.slice(0, maxCharacters).replaceAll("\0", ""))?.[2] ?? "";
    return mentionsHooks.test(meant) ? { fault: { line: 1, why: 'it is not exactly "---" in UTF-8' } } : undefined;
  }
  const mentioned = mentionsHooks.test(typeof head === "string" ? head : text);
  const mayHaveHooks = mentioned || mentionsRules.test(text) || Object.keys(rows).some((event) => text.includes(event));
  // Most files have no hooks, and then no YAML has to be read.
  const plain = typeof head === "string" && !mayHaveHooks ? plainKeys(head) : undefined;
  if (plain !== undefined && keysAboutHooks(plain, rows).length === 0) return undefined;
  const { fields, fault } = await readFrontmatter(text);
  if (fault !== undefined) return mentioned ? { fault } : undefined;
  // Hooks under a misspelled or misplaced key were meant to run, and are reported.
  const about = keysAboutHooks(fields, rows);
  if (about.length === 0) return undefined;
  const isAbout = (key: string) => about.includes(key) || !keysOfFrontmatter.has(key);
  const settings = Object.fromEntries(Object.entries(fields).filter(([key]) => isAbout(key)));
  const { name: written } = fields;
  // A name of digits is a number in YAML; it counts as a name.
  const name = typeof written === "object" || written === undefined ? "" : String(written).trim();
  return name === "" ? { settings } : { name, settings };
}

/** Whether a text that cannot be read as YAML seems to have hooks. */
export const mentionsHooks = /ho+ks*["']?[ \t]*(?::|$)|tool_?use["']?[ \t]*:/im;

const mentionsRules = /\b(?:den|ask|disallow)\w*["']?[ \t]*:/i;

/**
 * Frontmatter after blank lines or in another encoding, with a blank or a comment next to its `---`, or with `+++`. After comments it
 * begins with a key: a text between two horizontal rules does not.
 */
const nearlyHead =
  /^[\s\ufffd]*(---|\+\+\+)[^\r\n]*[\r\n](?:\s*#[^\r\n]*[\r\n])*\s*(["']?[\w-]+["']?[ \t]*[:=].*?)[\r\n][ \t]*\1/s;

/** The keys of frontmatter in its usual form, `key: …` at the beginning of a line; undefined when only YAML can tell. */
function plainKeys(head: string): Readonly<Record<string, unknown>> | undefined {
  const lines = head.split("\n").filter((line) => !/^\s*(?:#|$)/.test(line));
  const begins = lines.filter((line, index) => index === 0 || !/^(?:[ \t]|-(?:\s|$))/.test(line));
  const keys = begins.map((line) => /^([A-Za-z][\w-]*):(?:\s|$)/.exec(line)?.[1]);
  // A value that a hook may have: what it is decides later.
  return keys.includes(undefined) ? undefined : Object.fromEntries(keys.map((key) => [key, { onFailure: "block" }]));
}

/** The lines between the first two `---`; undefined when the file does not begin with one, a fault when none ends it. */
function splitHead(text: string): { readonly head?: string | FrontmatterFault; readonly body: string } {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return { body: text };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) return { head: { line: 1, why: 'no line "---" ends what begins here' }, body: text };
  const head = lines.slice(1, end).join("\n");
  const body = lines.slice(end + 1).join("\n");
  if (head.length <= maxCharacters) return { head, body };
  return { head: { line: 2, why: `it has more than ${maxCharacters} characters` }, body };
}

const maxCharacters = 100_000;

type ReadYaml = { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: FrontmatterFault };

/** Like Claude Code: what fails is tried once more with plain values in quotes and tabs as blanks. */
async function readYaml(head: string): Promise<ReadYaml> {
  const yaml = await import("yaml");
  const first = parseYaml(head, yaml);
  if (!("fault" in first)) return first;
  const second = parseYaml(withQuotes(head), yaml);
  return "fault" in second ? first : second;
}

function parseYaml(head: string, yaml: typeof import("yaml")): ReadYaml {
  const fault = tooCostly(head, yaml);
  if (fault !== undefined) return { fault };
  try {
    // Pretty errors are computed for every error, and a hostile text has thousands.
    const document = yaml.parseDocument(head, { logLevel: "silent", prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = head.slice(0, error.pos[0]).split("\n").length + 1;
      return { fault: { line, why: error.message } };
    }
    // Converted to JSON: an alias to its own parent has no end.
    const value: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null)) ?? {};
    if (isObject(value)) return { fields: value };
    return { fault: { line: 2, why: "it is a list or a single value, not a set of keys" } };
  } catch (error) {
    // Aliases that multiply or go in a circle.
    return { fault: { line: 2, why: messageOf(error).split("\n")[0] ?? "" } };
  }
}

/** Limits that no ordinary frontmatter reaches: nesting, anchors and tags, parts, indentation. */
const maxLevels = 100;
const maxMarks = 500;
const maxParts = 20_000;
const farRight = /^(?:[ \t]|[-?:](?=[ \t])){200}/;

/**
 * Refuses what would cost the parser too much. It is recursive, and a stack overflow may end the process before anything can be caught;
 * and it compares each anchor and each key with all others. A level in lines needs at least one more blank of indentation; levels in
 * brackets are counted as the parser sees them.
 */
function tooCostly(head: string, { Lexer }: typeof import("yaml")): FrontmatterFault | undefined {
  const right = head.split("\n").findIndex((line) => farRight.test(line));
  if (right >= 0) return { line: right + 2, why: nestedTooDeeply };
  let [line, level, marks, parts] = [2, 0, 0, 0];
  for (const token of new Lexer().lex(head)) {
    if (token === "[" || token === "{") level++;
    else if (token === "]" || token === "}") level = Math.max(0, level - 1);
    else if (/^[&!*]/.test(token)) marks++;
    if (++parts > maxParts) return { line, why: "it has too many parts" };
    if (level > maxLevels) return { line, why: nestedTooDeeply };
    if (marks > maxMarks) return { line, why: `it has more than ${maxMarks} anchors, aliases and tags` };
    line += token.split("\n").length - 1;
  }
  return undefined;
}

const nestedTooDeeply = "it is nested too deeply";

const plainValue = /^([A-Za-z][\w-]*:[ \t]+)([^\s"'|>[{&*!#].*)$/;

/** `argument-hint: [number] [priority]` is common, and not a list. */
const freeText = /^((?:argument-hint|description):[ \t]+)([[{&*!#].*)$/;

/** Values such as `Use when: a test fails` are common, and in YAML they need quotes. */
function withQuotes(head: string): string {
  return head
    .split("\n")
    .map((line) => {
      const [, key, value] = plainValue.exec(line) ?? freeText.exec(line) ?? [];
      return key === undefined || value === undefined ? line : `${key}${JSON.stringify(value.trimEnd())}`;
    })
    .join("\n")
    .replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
}

/** The origin of a file with frontmatter. The name of the agent or skill may be in the file. */
export type FrontmatterFile = Omit<FrontmatterOrigin, "name">;

/** The hooks of an agent or skill as a layer; undefined when the file has none. */
export async function frontmatterLayer(file: string, origin: FrontmatterFile, rows: Rows): Promise<Layer | undefined> {
  const source = frontmatterSource(file, origin);
  const found = await readSettingsSource(file);
  if (found.is === "missing") return undefined;
  if (found.is === "unreadable") return unreadableLayer(source, found.why);
  const read = await frontmatterHooks(Buffer.from(found.bytes).toString("utf8"), rows);
  if (read === undefined) return undefined;
  const contentHash = sha256(found.bytes);
  if ("fault" in read) {
    const { line, why } = read.fault;
    return unreadableLayer(source, `line ${line}: ${why}`, contentHash, String(line));
  }
  return layerOf(frontmatterSource(file, origin, read.name), read.settings, contentHash, rows);
}

export function frontmatterSource(file: string, { of, from }: FrontmatterFile, name?: string): LayerSource {
  const named = name ?? (of === "agent" ? basename(file, ".md") : basename(dirname(file)));
  return {
    kind: of,
    file,
    frontmatter: { of, name: named, from },
    // Hooks of one skill are never duplicates of another skill's hooks: their paths are relative to its folder.
    ...(of === "skill" ? { plugin: { root: dirname(file) } } : {}),
  };
}
