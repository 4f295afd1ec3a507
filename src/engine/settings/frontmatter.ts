import { readYaml, type YamlFault, type YamlLine } from "./yaml.ts";

/** What the frontmatter of an agent or skill says, as far as hooks go. */
export interface FrontmatterHooks {
  readonly name?: string;
  readonly hooks: unknown;
}

/**
 * The `hooks` in a Markdown file's frontmatter; undefined when there are none.
 *
 * Only that key (and `name`) is looked at: whatever else stands there, in whatever YAML, is its author's business.
 */
export function frontmatterHooks(text: string): FrontmatterHooks | { readonly fault: YamlFault } | undefined {
  const lines = frontmatterLines(text);
  const start = lines.findIndex((line) => /^(?:hooks|"hooks"|'hooks')\s*:/.test(line.text));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => /^[^\s#-]/.test(line.text));
  const read = readYaml(lines.slice(start, length === -1 ? undefined : start + 1 + length));
  if ("fault" in read) return { fault: read.fault };
  const { hooks } = read.value as { hooks: unknown };
  const name = nameIn(lines);
  return name === undefined ? { hooks } : { name, hooks };
}

/** The lines between the first two `---`; none when the file does not begin with one. */
function frontmatterLines(text: string): readonly YamlLine[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return [];
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end === -1 ? [] : lines.slice(1, end).map((line, index) => ({ number: index + 2, text: line }));
}

function nameIn(lines: readonly YamlLine[]): string | undefined {
  const line = lines.find(({ text }) => /^name\s*:/.test(text));
  if (line === undefined) return undefined;
  const read = readYaml([line]);
  const name = "fault" in read ? undefined : (read.value as { name: unknown }).name;
  return typeof name === "string" && name !== "" ? name : undefined;
}
