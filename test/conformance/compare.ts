/** What of `expected` is not in `found`, as a line each; see conformance/README.md for the rules. */
export function differences(expected: unknown, found: unknown, path = "outcome"): readonly string[] {
  if (Array.isArray(expected)) return listDifferences(expected, found, path);
  if (typeof expected === "object" && expected !== null) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return [unlike(path, expected, found)];
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, (found as Record<string, unknown>)[key], `${path}.${key}`),
    );
  }
  const expression = typeof expected === "string" ? /^\/(.+)\/$/s.exec(expected)?.[1] : undefined;
  const equal = expression === undefined ? expected === found : new RegExp(expression, "s").test(String(found));
  return equal ? [] : [unlike(path, expected, found)];
}

function listDifferences(expected: readonly unknown[], found: unknown, path: string): readonly string[] {
  if (!Array.isArray(found) || found.length !== expected.length) return [unlike(path, expected, found)];
  return expected.flatMap((item, index) => differences(item, found[index], `${path}[${index}]`));
}

function unlike(path: string, expected: unknown, found: unknown): string {
  return `${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
}
