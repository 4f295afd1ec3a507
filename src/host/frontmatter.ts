import { type FrontmatterFault, readFrontmatter } from "../engine/settings/index.ts";

/** What stands before the text of a Markdown file, as far as it concerns us. */
export interface Frontmatter {
  /** The plain values, and lists joined by commas. What is nested is not for us. */
  readonly fields: Readonly<Record<string, string>>;
  /** All keys; of those that are not in `fields` the value is nested. */
  readonly keys: readonly string[];
  readonly body: string;
  readonly fault?: FrontmatterFault;
}

/** Contract: never rejects. */
export async function splitFrontmatter(text: string): Promise<Frontmatter> {
  const { fields, ...rest } = await readFrontmatter(text);
  const texts = Object.entries(fields).flatMap(([key, value]): [string, string][] => {
    const plain = Array.isArray(value) ? joined(value) : textOf(value);
    return plain === undefined ? [] : [[key, plain]];
  });
  return { ...rest, fields: Object.fromEntries(texts), keys: Object.keys(fields) };
}

/** Undefined for a list that holds anything but plain values: half of a limit must not count as the limit. */
function joined(list: readonly unknown[]): string | undefined {
  const texts = list.map(textOf);
  return texts.includes(undefined) ? undefined : texts.join(", ");
}

function textOf(value: unknown): string | undefined {
  if (value === null) return "";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value).trim()
    : undefined;
}
