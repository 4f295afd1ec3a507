/** What stands before the text of a Markdown file, as far as it concerns us. */
export interface Frontmatter {
  /** The plain values, and lists joined by commas. What is nested is not for us. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  /** The first line that cannot be read. */
  readonly fault?: { readonly line: number; readonly why: string };
}

/** Reads the `key: value` lines between the first two `---`. Contract: never throws; a fault leaves what could be read. */
export function splitFrontmatter(text: string): Frontmatter {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return { fields: {}, body: text };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) return { fields: {}, body: text, fault: { line: 1, why: 'no line "---" ends what begins here' } };
  const head = lines.slice(1, end);
  const fields: [string, string][] = [];
  let fault: Frontmatter["fault"];
  for (const [index, line] of head.entries()) {
    if (/^\s*(?:#|$)|^[ \t]|^-/.test(line)) continue; // a remark, or part of the key above
    const [, key, said] = /^([A-Za-z][\w-]*)[ \t]*:(.*)$/.exec(line) ?? [];
    const value = key === undefined ? undefined : readValue(withoutRemark(said ?? ""), head.slice(index + 1));
    if (key !== undefined && value !== undefined) fields.push([key, value]);
    else fault ??= { line: index + 2, why: `${JSON.stringify(line)} is no "key: value"` };
  }
  const body = lines.slice(end + 1).join("\n");
  return { fields: Object.fromEntries(fields), body, ...(fault === undefined ? {} : { fault }) };
}

/** A word, `[a, b]`, or what the lines below hold: a list, or folded text. Undefined when it is none of these. */
function readValue(said: string, below: readonly string[]): string | undefined {
  if (said.startsWith("["))
    return said.endsWith("]") ? said.slice(1, -1).split(",").map(trimmed).filter(Boolean).join(", ") : undefined;
  if (said !== "" && !/^[|>][-+]?$/.test(said)) return unquoted(said);
  const end = below.findIndex((line) => /^[^\s#-]/.test(line));
  const own = below.slice(0, end === -1 ? undefined : end).filter((line) => line.trim() !== "");
  if (said !== "") return own.map((line) => line.trim()).join(" ");
  return own.every((line) => /^\s*-\s/.test(line))
    ? own.map((line) => trimmed(line.replace(/^\s*-/, ""))).join(", ")
    : "";
}

function withoutRemark(said: string): string {
  const value = said.trim();
  return /^["']/.test(value) ? value : value.replace(/(?:^|\s+)#.*$/, "");
}

function trimmed(value: string): string {
  return unquoted(value.trim());
}

function unquoted(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? /^'(.*)'$/.exec(value)?.[1] ?? value;
}
