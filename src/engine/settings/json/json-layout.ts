/** How a file is laid out, so that what we add looks like what is there. */
export interface Layout {
  readonly lineBreak: "\n" | "\r\n";
  /** One step of indentation. */
  readonly step: string;
  /** Whether blanks follow commas and colons. */
  readonly spaced: boolean;
  /** Nothing but one line. */
  readonly oneLine: boolean;
}

export function layoutOf(text: string): Layout {
  const isBare = /^\ufeff?\s*(?:\{\s*\}|\[\s*\])\s*$/.test(text);
  return {
    lineBreak: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    step: /\n([ \t]{1,10})["[{/\w-]/.exec(text)?.[1] ?? "  ",
    spaced: isBare || /[,:]\s/.test(text),
    oneLine: !isBare && !text.trim().includes("\n"),
  };
}

/** A value over several lines; those after the first begin with `indent`. */
export function printed(value: unknown, { lineBreak, step }: Layout, indent: string): string {
  return JSON.stringify(value, null, step).replaceAll("\n", `${lineBreak}${indent}`);
}

/** A value on one line. */
export function printedInline(value: unknown, layout: Layout): string {
  if (!layout.spaced || typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = (item: unknown) => printedInline(item, layout);
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inner(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
