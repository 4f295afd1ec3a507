/** A test for names: exact, with `*` for anything, or by a regular expression. */
export function nameTest(name: string | RegExp): (text: string) => boolean {
  if (name instanceof RegExp) return (text) => new RegExp(name.source, name.flags.replace(/[gy]/g, "")).test(text);
  if (!name.includes("*")) return (text) => text === name;
  const parts = name.split("*");
  return (text) => matchesParts(text, parts);
}

/** `a*b*c` without a regular expression: what stands between the stars is found from left to right. */
function matchesParts(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** A test for texts: blind to case unless it is a regular expression. */
export function textTest(text: string | RegExp): (content: string) => boolean {
  if (text instanceof RegExp) return nameTest(text);
  const wanted = text.toLowerCase();
  return (content) => content.toLowerCase().includes(wanted);
}
