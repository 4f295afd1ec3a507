/** What a Markdown file has in front of its text. */
export interface FrontmatterText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Why it cannot be read, and where; then there are no fields. */
  readonly fault?: FrontmatterFault;
}

export interface FrontmatterFault {
  /** Counts from 1, in the file. */
  readonly line: number;
  readonly why: string;
}

/** Reads the YAML between the first two `---`. Contract: never rejects, whatever the text. */
export async function readFrontmatter(text: string): Promise<FrontmatterText> {
  const { head, body } = splitHead(text);
  if (head === undefined) return { fields: {}, body };
  if (typeof head !== "string") return { fields: {}, body, fault: head };
  const read = await readYaml(head);
  return "fault" in read ? { fields: {}, body, fault: read.fault } : { fields: read.fields, body };
}

/** What the frontmatter of an agent or skill says, as far as hooks go. */
export interface FrontmatterHooks {
  readonly name?: string;
  readonly hooks: unknown;
}

/** The `hooks` in a Markdown file's frontmatter; undefined when there are none. */
export async function frontmatterHooks(
  text: string,
): Promise<FrontmatterHooks | { readonly fault: FrontmatterFault } | undefined> {
  // Most files have no hooks, and then no YAML has to be read.
  if (!mentionsHooks.test(text)) return undefined;
  const { head } = splitHead(text);
  if (head === undefined || (typeof head === "string" && !mentionsHooks.test(head))) return undefined;
  const { fields, fault } = await readFrontmatter(text);
  if (fault !== undefined) return { fault };
  if (!Object.hasOwn(fields, "hooks")) return undefined;
  const { name, hooks } = fields;
  return typeof name === "string" && name !== "" ? { name, hooks } : { hooks };
}

const mentionsHooks = /^[ \t]*[{"']?[ \t]*["']?hooks\b/m;

/** The lines between the first two `---`; undefined when the file does not begin with one, a fault when none ends it. */
function splitHead(text: string): { readonly head?: string | FrontmatterFault; readonly body: string } {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return { body: text };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) return { head: { line: 1, why: 'no line "---" ends what begins here' }, body: text };
  const head = lines.slice(1, end).join("\n");
  const body = lines.slice(end + 1).join("\n");
  if (head.length <= mostCharacters) return { head, body };
  return { head: { line: 2, why: `it has more than ${mostCharacters} characters` }, body };
}

const mostCharacters = 100_000;

type ReadYaml = { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: FrontmatterFault };

/** As the client does it: what fails is tried once more with plain values in quotes and tabs as blanks. */
async function readYaml(head: string): Promise<ReadYaml> {
  const yaml = await import("yaml");
  const first = parsed(head, yaml);
  if (!("fault" in first)) return first;
  const again = parsed(withQuotes(head), yaml);
  return "fault" in again ? first : again;
}

function parsed(head: string, yaml: typeof import("yaml")): ReadYaml {
  try {
    const document = yaml.parseDocument(head, { logLevel: "silent", prettyErrors: true });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = (error.linePos?.[0].line ?? 1) + 1;
      return { fault: { line, why: error.message.split(/ at line |\n/)[0] ?? error.code } };
    }
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return { fields: {} };
    if (typeof value === "object" && !Array.isArray(value)) return { fields: value as Record<string, unknown> };
    return { fault: { line: 2, why: "it is a list or a single value, not a set of keys" } };
  } catch (error) {
    // Aliases that multiply, or nesting that would overflow the stack.
    return { fault: { line: 2, why: error instanceof Error ? error.message : String(error) } };
  }
}

/** Values such as `Use when: a test fails` are common, and in YAML they need quotes. */
function withQuotes(head: string): string {
  return head
    .split("\n")
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*:[ \t]+)([^\s"'|>[{&*!#].*)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? line : `${key}${JSON.stringify(value.trimEnd())}`;
    })
    .join("\n")
    .replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
}
